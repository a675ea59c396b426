"""Which signals repeat each other, so that together they count as one.

A copy of a signal adds nothing. Two columns are copies as far as they agree beyond chance,
over all examples on which either votes.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse import coo_array, csr_array, vstack

from corral._types import FloatArray, IntArray
from corral.error_rates.lifts import vote_balance
from corral.error_rates.raters import find_raters
from corral.error_rates.vote_features import VoteFeatures
from corral.signals.patterns import mix_words

COPIES = 2 / 3
"""Chance-corrected agreement from which two columns are copies."""
WIDTH = 4.0
"""Squared number of standard errors that agreement is lowered by before it counts."""
FULL, DENSE, BLOCK = 0.1, 2000, 1 << 13
"""Share of entries from which products are dense, most columns, and rows at once."""
PAIRS = 1 << 20
"""Pairs of votes counted at once, so that memory does not grow with their number."""
EXCESS = 1.5
"""Copies agree with each other this many times as much as outsiders explain."""
INFORMED_OUTSIDERS = 0.02
"""Agreement beyond chance of outsiders with each other, without which nothing is proven."""
DENSE_GROUP = 0.5
"""Raters that vote on this share of the examples are copies only if that is proven."""
LEAST = 5
"""Repeated votes from which identical columns that name several classes are copies."""


def find_leaders(features: VoteFeatures) -> IntArray:
    """(c,) the column that every column repeats; itself if none."""
    return find_copies(features, find_raters(features))


def find_copies(features: VoteFeatures, rater: FloatArray) -> IntArray:
    """(c,) the leader of every column: one that it repeats, or itself.

    Leaders are chosen in turn, those first that agree the most with others: the
    original of many noisy copies agrees more with each than they do with each other.

    Accurate raters agree as much as copies do. So raters who vote on most examples are
    copies only if it is proven: if they agree with each other more than their agreement
    with outsiders explains.

    Parameters
    ----------
    features : VoteFeatures
    rater : (c,) array of float
        How far a column is a rater's; see `find_raters`.
    """
    near = agreement(features, rater)
    near.data[near.data < COPIES] = 0
    near.eliminate_zeros()
    leader = np.full(features.n_columns, -1)
    prove = _Proof(features, rater) if near.nnz else None
    for i in np.argsort(-np.asarray(near.sum(axis=1)).ravel(), kind="stable"):
        if leader[i] >= 0:
            continue
        leader[i] = i
        others = near.indices[near.indptr[i] : near.indptr[i + 1]]
        others = others[(leader[others] < 0) & (others != i)]
        if prove is not None and len(others) and prove(np.r_[i, others]):
            leader[others] = i
    return leader[find_identical(features)]


class _Proof:
    """Whether a group agrees more than its agreement with outsiders explains.

    If the columns err independently, the agreement beyond chance is a product: inside
    the group ``a * a``, with outsiders ``a * b``, among outsiders ``b * b``. So inside
    times among outsiders is the square of that across, unless the group has copies.
    """

    def __init__(self, features: VoteFeatures, rater: FloatArray) -> None:
        self.density = rater * features.votes_cast / features.counts.sum()
        # At most the standard error of an agreement.
        self.slack = 0.5 / np.sqrt(features.counts.sum())
        self.features, self.rater = features, rater

    @cached_property
    def tables(self) -> tuple[csr_array, csr_array]:
        """(c, c) agreements beyond chance, and how many there could be."""
        features, rater = self.features, self.rater
        met, same = count_meetings(features)
        met.setdiag(0)
        same.setdiag(0)
        votes = _vote_shares(features)
        balance = vote_balance(features)
        guess = rater[:, None] * votes
        if votes.shape[1] == len(balance):
            guess += (1 - rater)[:, None] * balance
        pairs = met.tocoo()
        i, j = pairs.row, pairs.col
        chance = (votes[i] * guess[j]).sum(axis=1) + (guess[i] * votes[j]).sum(axis=1)
        chance = csr_array((pairs.data * chance / 2, (i, j)), met.shape)
        return (same - chance).tocsr(), (met - chance).tocsr()

    @cached_property
    def totals(self) -> list[float]:
        """The sums of both."""
        return [table.sum() for table in self.tables]

    def __call__(self, group: IntArray) -> bool:
        if self.density[group].mean() < DENSE_GROUP:
            return True
        inside = np.zeros(len(self.density))
        inside[group] = 1
        sums = []
        for table, total in zip(self.tables, self.totals, strict=True):
            rows = table @ inside
            within, across = inside @ rows, (1 - inside) @ rows
            sums.append((within, across, total - within - 2 * across))
        if min(sums[1]) <= 1e-9:
            return False
        within, across, outside = np.divide(sums[0], sums[1])
        return bool(
            outside > INFORMED_OUTSIDERS
            and within * (outside - self.slack)
            > EXCESS * max(across + self.slack, 0) ** 2
        )


def chance_corrected_agreement(features: VoteFeatures, columns: IntArray) -> FloatArray:
    """(s, s) agreement beyond chance on the examples that two of these columns vote on."""
    rows = [
        [t[:, columns] for t in count_meetings(features, i, i + 1)] for i in columns
    ]
    met, same = (vstack(tables).toarray() for tables in zip(*rows, strict=True))
    votes = _vote_shares(features)[columns]
    chance = votes @ votes.T
    agreed = (same + chance) / (met + 1)
    found: FloatArray = (agreed - chance) / np.maximum(1 - chance, 0.05)
    return found


def _vote_shares(features: VoteFeatures) -> FloatArray:
    """(c, votes) how often every column casts every vote."""
    shares = np.zeros((features.n_columns, features.n_values))
    shares[features.column, features.vote] = features.size
    return shares / np.maximum(features.votes_cast, 1e-300)[:, None]


def share_votes(
    leader: IntArray, cast: FloatArray, owner: IntArray, n_signals: int
) -> FloatArray:
    """(m,) the share that every signal has in a vote: one if it repeats no other.

    Parameters
    ----------
    leader : (c,) array of int
        From `find_copies`.
    cast : (c,) array of float
        Votes of every column.
    owner : (c,) array of int
        The signal of every column.
    n_signals : int
    """
    alone = 1 / np.bincount(leader, minlength=len(leader))[leader]
    sums = np.bincount(owner, cast * alone, minlength=n_signals)
    votes = np.bincount(owner, cast, minlength=n_signals)
    return np.divide(sums, votes, out=np.zeros(n_signals), where=votes > 0)


def find_identical(features: VoteFeatures) -> IntArray:
    """(c,) the first column that casts the very same votes.

    Few equal votes may be a coincidence. So columns with a single vote keep their own,
    however many cast the same: workers of a crowd who answer one task, and no other, do.
    So do raters who together repeat fewer than `LEAST` votes of the first of them: two
    with up to four votes each, three with two.
    """
    cell = features.pattern.astype(np.uint64) * np.uint64(features.n_values)
    # Equal sums of random words over the votes: equal votes, but for odds of 1 in 2^64.
    word = mix_words(cell + features.vote[features.feature].astype(np.uint64))
    key = np.zeros(features.n_columns, np.uint64)
    np.add.at(key, features.column_of_vote, word)
    number = np.bincount(features.column_of_vote, minlength=features.n_columns)
    kinds = np.bincount(features.column, minlength=features.n_columns)
    table = np.stack([key, number.astype(np.uint64), features.about.astype(np.uint64)])
    _, first, which, size = np.unique(
        table, axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    which = which.ravel()
    cast = features.votes_cast
    few = np.where(kinds > 1, (size[which] - 1) * cast < LEAST, cast < 2)
    leader: IntArray = np.where(few, np.arange(features.n_columns), first[which])
    return leader


def agreement(
    features: VoteFeatures, rater: FloatArray, width: float = WIDTH
) -> csr_array:
    """(c, c) chance-corrected agreement of all columns that may be copies.

    Parameters
    ----------
    features : VoteFeatures
    rater : (c,) array of float
        How far a column is a rater's. Raters were asked about their examples, so chance
        agreement is taken on the examples that both vote on; rules choose theirs, so
        voting on the same examples is agreement, too.
    width : float
        Squared standard errors that agreement is lowered by; 0: as it is seen.
    """
    c, n, cast = features.n_columns, features.counts.sum(), features.votes_cast
    table = csr_array((features.size, (features.column, features.vote)))
    found = []
    step = max(1, PAIRS * c // len(features.column) ** 2)
    for start in range(0, c, step):
        met, same = count_meetings(features, start, start + step)
        both = met.tocoo()
        i, j = both.row + start, both.col
        # Agreement on the union cannot reach COPIES if the overlap is so small.
        enough = both.data > COPIES / 2 * np.maximum(cast[i], cast[j])
        near = (i < j) & enough & (features.about[i] == features.about[j])
        if near.any():
            agreed = np.asarray(same[both.row[near], j[near]]).ravel()
            found.append((i[near], j[near], both.data[near], agreed))
    if not found:
        return csr_array((c, c))
    i, j, met, agreed = map(np.concatenate, zip(*found, strict=True))
    union = cast[i] + cast[j] - met
    product = np.asarray(table[i].multiply(table[j]).sum(axis=1)).ravel()
    asked = np.maximum(rater[i], rater[j])
    chance = asked * met * product / (cast[i] * cast[j]) + (1 - asked) * product / n
    chance = np.minimum(chance / union, 1 - 1e-9)
    kappa = (lower_bound(agreed / union, union, width) - chance) / (1 - chance)
    upper = csr_array((np.maximum(kappa, 0), (i, j)), (c, c))
    return (upper + upper.T).tocsr()


def count_meetings(
    features: VoteFeatures, start: int = 0, stop: int | None = None
) -> tuple[csr_array, csr_array]:
    """(s, c) examples on which two columns vote, and on which they vote the same.

    Of the columns from `start` to `stop` with all; default all.
    """
    c = features.n_columns
    stop = c if stop is None else min(stop, c)
    own = slice(*np.searchsorted(features.column, (start, stop)))
    shape = (stop - start, c)
    pairs = multiply(features.weighted[own], features.matrix).tocoo()
    a, b = features.column[own][pairs.row] - start, features.column[pairs.col]
    alike = features.vote[own][pairs.row] == features.vote[pairs.col]
    return (
        coo_array((pairs.data, (a, b)), shape).tocsr(),
        coo_array((pairs.data * alike, (a, b)), shape).tocsr(),
    )


def multiply(a: csr_array, b: csr_array) -> csr_array:
    """``a @ b``; where both are full, as dense arrays, which is tens of times faster."""
    n, m = b.shape
    full = min(a.nnz, b.nnz) > FULL * n * max(m, a.shape[0])
    if not full or max(a.shape[0], m) > DENSE:
        return csr_array(a @ b)
    total = np.zeros((a.shape[0], m))
    columns = a.tocsc()
    for at in range(0, n, BLOCK):
        part = slice(at, at + BLOCK)
        total += columns[:, part].toarray() @ b[part].toarray()
    return csr_array(total)


def lower_bound(share: FloatArray, n: FloatArray, width: float = WIDTH) -> FloatArray:
    """Wilson's lower bound of a share seen in `n` trials."""
    centre = share + width / (2 * n)
    spread = np.sqrt(width * share * (1 - share) / n + (width / (2 * n)) ** 2)
    return (centre - spread) / (1 + width / n)
