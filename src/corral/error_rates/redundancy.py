"""How far signals repeat each other.

A copy of a signal adds nothing, and near copies add little. Two voters repeat each other
as far as they agree beyond chance, over all examples on which either speaks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array, eye_array
from scipy.sparse.csgraph import connected_components

from corral._types import FloatArray, IntArray
from corral.error_rates.features import VoteFeatures
from corral.patterns import mix_words

NONE, FULL = 0.55, 0.7
"""Chance-corrected agreement up to which voters are distinct, and from which copies."""
WIDTH = 4.0
"""Squared number of standard errors that agreement is lowered by before it counts."""
LEAST = 5
"""Votes from which two identical voters that name several classes are copies."""


@dataclass(frozen=True)
class Repetition:
    """Who repeats whom.

    Attributes
    ----------
    overlap : (c, c) sparse array of float
        Examples on which both voters speak; nothing on the diagonal.
    repeats : (c, c) sparse array of float
        From 0 (distinct) to 1 (copies); one on the diagonal.
    agreement : (c, c) sparse array of float
        How far voters agree beyond chance, for those that come near to each other.
    """

    overlap: csr_array
    repeats: csr_array
    agreement: csr_array

    @property
    def share(self) -> FloatArray:
        """(c,) the part of a vote that every voter has: copies share one."""
        return 1 / np.asarray(self.repeats.sum(axis=1)).ravel()

    @property
    def groups(self) -> IntArray:
        """(c,) a number for every set of voters that more or less repeat each other."""
        return connected_components(self.repeats > 0.5, directed=False)[1]

    @property
    def witnesses(self) -> FloatArray:
        """(c,) how many distinct others speak where a voter speaks.

        The effective number ``(sum o)^2 / sum o^2`` of their overlaps ``o``; copies
        count as one, and those of the voter itself not at all.
        """
        other = self.overlap - self.overlap.multiply(self.repeats)
        first = np.asarray(other @ self.share)
        second = np.asarray(other.multiply(other) @ self.share)
        return np.divide(first**2, second, out=np.zeros(len(first)), where=second > 0)


def find_leaders(features: VoteFeatures) -> IntArray:
    """(c,) the first voter that casts the very same votes.

    Few equal votes may be a coincidence, so raters with fewer than `LEAST` votes, and
    voters with a single one, keep their own.
    """
    cell = features.unit.astype(np.uint64) * np.uint64(len(features.voter) + 1)
    # Equal sums of random words over the votes: equal votes, but for odds of 1 in 2^64.
    word = mix_words(cell + features.vote[features.feature].astype(np.uint64))
    key = np.zeros(features.n_voters, np.uint64)
    np.add.at(key, features.caster, word)
    number = np.bincount(features.caster, minlength=features.n_voters)
    kinds = np.bincount(features.voter, minlength=features.n_voters)
    alone = (features.votes_cast < LEAST) & ((kinds > 1) | (features.votes_cast < 2))
    own = np.arange(features.n_voters, dtype=np.uint64)
    table = np.stack([np.where(alone, own, key), np.where(alone, 0, number)], axis=1)
    _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    leader: IntArray = first[which.ravel()]
    return leader


def find_repetition(features: VoteFeatures, bipolar: FloatArray) -> Repetition:
    """Compare all voters that speak of the same examples.

    Parameters
    ----------
    features : VoteFeatures
    bipolar : (c,) array of float
        Probability that a voter names all classes. Those that do were asked about their
        examples, so chance agreement is taken on the examples that both speak of; rules
        that fire for one class choose theirs, so firing together is agreement, too.
    """
    c, n = features.n_voters, features.counts.sum()
    pairs = (features.weighted @ features.matrix).tocoo()
    a, b = features.voter[pairs.row], features.voter[pairs.col]
    _, claim = np.unique(features.member, axis=0, return_inverse=True)
    claim = claim.ravel()
    alike = claim[pairs.row] == claim[pairs.col]
    overlap = coo_array((pairs.data, (a, b)), (c, c)).tocsr()
    same = coo_array((pairs.data * alike, (a, b)), (c, c)).tocsr()
    same.sum_duplicates()
    overlap.sum_duplicates()
    cast = features.votes_cast
    table = csr_array((features.size, (features.voter, claim)), (c, claim.max() + 1))

    both = overlap.tocoo()
    # Agreement on the union cannot reach NONE if the overlap is so small.
    near = (both.row < both.col) & (
        both.data > 0.4 * np.maximum(cast[both.row], cast[both.col])
    )
    i, j, met = both.row[near], both.col[near], both.data[near]
    overlap.setdiag(0)
    if not len(i):
        return Repetition(overlap, eye_array(c, format="csr"), csr_array((c, c)))
    agreed = np.asarray(same[i, j]).ravel()
    union = cast[i] + cast[j] - met
    product = np.asarray(table[i].multiply(table[j]).sum(axis=1)).ravel()
    asked = np.maximum(bipolar[i], bipolar[j])
    chance = asked * met * product / (cast[i] * cast[j]) + (1 - asked) * product / n
    chance = np.minimum(chance / union, 1 - 1e-9)
    kappa = (lower_bound(agreed / union, union) - chance) / (1 - chance)
    degree = np.clip((kappa - NONE) / (FULL - NONE), 0, 1)
    identical = agreed > union * (1 - 1e-12)
    degree[identical & ((asked < 0.5) | (union >= LEAST))] = 1
    upper = csr_array((degree, (i, j)), (c, c))
    seen = csr_array(((agreed / union - chance) / (1 - chance), (i, j)), (c, c))
    repeats = (upper + upper.T + eye_array(c)).tocsr()
    return Repetition(overlap, repeats, (seen + seen.T).tocsr())


def lower_bound(share: FloatArray, n: FloatArray) -> FloatArray:
    """Wilson's lower bound of a share seen in `n` trials."""
    centre = share + WIDTH / (2 * n)
    spread = np.sqrt(WIDTH * share * (1 - share) / n + (WIDTH / (2 * n)) ** 2)
    return (centre - spread) / (1 + WIDTH / n)
