"""Votes as features: which voter says what, on every vote pattern.

A *voter* is a stored column of the signals: a signal that names classes, or the opinion
of a one-vs-rest signal about one class. A *feature* is a pair (voter, vote), and speaks
for some of the classes: a class vote for one, "yes" for one, "no" for all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from corral._types import FloatArray, IntArray
from corral.signals import WeakSignals


def softmax(scores: FloatArray) -> FloatArray:
    """Probabilities (p, k) in proportion to ``exp(scores)``."""
    return posterior(scores)[0]


def posterior(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same, and the logarithm (p,) of the sum of ``exp(scores)``."""
    columns = np.array(scores.T, order="C")  # reductions over few classes, the fast way
    largest = columns.max(axis=0)
    columns -= largest
    np.exp(columns, out=columns)
    total = columns.sum(axis=0)
    columns /= total
    return np.ascontiguousarray(columns.T), largest + np.log(total)


def plurality_shares(pattern: IntArray, group: IntArray, vote: IntArray) -> FloatArray:
    """(v,) the part that every vote has in the one vote of its group.

    The commonest vote of a group on a pattern is that of the group, and those who cast it
    share it. The others have no part; nobody has where the commonest are tied.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.error_rates.features import plurality_shares
    >>> pattern, group = np.array([0, 0, 0, 1, 1]), np.zeros(5, int)
    >>> plurality_shares(pattern, group, np.array([2, 2, 0, 1, 0])).tolist()
    [0.5, 0.5, 0.0, 0.0, 0.0]
    """
    n_groups, n_votes = (int(x.max(initial=0)) + 1 for x in (group, vote))
    key = (pattern * n_groups + group) * n_votes + vote
    cells, at, times = np.unique(key, return_inverse=True, return_counts=True)
    owner = np.unique(cells // n_votes, return_inverse=True)[1]
    most = np.zeros(len(cells), np.int64)
    np.maximum.at(most, owner, times)
    wins = times == most[owner]
    alone = np.bincount(owner, wins)[owner] == 1
    shares: FloatArray = np.where(wins & alone, 1 / times, 0.0)[at]
    return shares


@dataclass(frozen=True)
class VoteFeatures:
    """The votes of all patterns as a sparse matrix of features.

    Attributes
    ----------
    counts : (p,) array of float
        Examples (or sample weight) per pattern.
    pattern, feature : (v,) arrays of int
        Pattern and feature of every vote, by pattern.
    voter : (f,) array of int
        Who casts the vote.
    vote : (f,) array of int
        Its code.
    member : (f, k) array of float
        One for the classes that the vote speaks for, else zero.
    about : (c,) array of int
        The class that every voter speaks of; -1: it names classes.
    """

    counts: FloatArray
    pattern: IntArray
    feature: IntArray
    voter: IntArray
    vote: IntArray
    member: FloatArray
    about: IntArray

    @property
    def n_voters(self) -> int:
        """Number of voters."""
        return len(self.about)

    @property
    def n_values(self) -> int:
        """How many different votes a voter has."""
        return 2 if (self.about >= 0).any() else self.n_classes

    @property
    def n_patterns(self) -> int:
        """Number of patterns."""
        return len(self.counts)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.member.shape[1]

    @cached_property
    def weight(self) -> FloatArray:
        """(v,) examples that every vote stands for."""
        return self.counts[self.pattern]

    @cached_property
    def caster(self) -> IntArray:
        """(v,) voter of every vote."""
        return self.voter[self.feature]

    @cached_property
    def matrix(self) -> csr_array:
        """(p, f) one where the pattern has the feature."""
        starts = np.searchsorted(self.pattern, np.arange(self.n_patterns + 1))
        shape = (self.n_patterns, len(self.voter))
        return csr_array((np.ones(len(self.pattern)), self.feature, starts), shape)

    @cached_property
    def weighted(self) -> csr_array:
        """(f, p) examples of the patterns that have the feature."""
        at = csr_array(
            (self.weight, self.feature, self.matrix.indptr), self.matrix.shape
        )
        return at.T.tocsr()

    @cached_property
    def size(self) -> FloatArray:
        """(f,) examples with the feature."""
        sums: Any = np.bincount(self.feature, self.weight, minlength=len(self.voter))
        return sums

    @cached_property
    def votes_by_pattern(self) -> FloatArray:
        """(p,) votes on every pattern."""
        sums: Any = np.bincount(self.pattern, minlength=self.n_patterns).astype(float)
        return sums

    @cached_property
    def votes_cast(self) -> FloatArray:
        """(c,) votes of every voter."""
        return self.by_voter(self.size)

    def merged(self, leader: IntArray) -> VoteFeatures:
        """With the voters of every leader (c,) as one, who casts their commonest vote."""
        if (leader == np.arange(self.n_voters)).all():
            return self
        voter, vote = leader[self.caster], self.vote[self.feature]
        grouped = np.bincount(leader, minlength=self.n_voters)[voter] > 1
        wins = ~grouped
        wins[grouped] = (
            plurality_shares(self.pattern[grouped], voter[grouped], vote[grouped]) > 0
        )
        n_votes = int(vote.max()) + 1
        key = (self.pattern * self.n_voters + voter) * n_votes + vote
        key = np.sort(key[wins])
        key = key[np.r_[True, np.diff(key) > 0]]
        cell, vote = np.divmod(key, n_votes)
        pattern, voter = np.divmod(cell, self.n_voters)
        return _features(self.counts, pattern, voter, vote, self.about, self.n_classes)

    def by_voter(self, each: FloatArray) -> FloatArray:
        """Sum a number per feature over the features of every voter."""
        sums: Any = np.bincount(self.voter, each, minlength=self.n_voters)
        return sums


def vote_features(
    signals: WeakSignals, weights: FloatArray | None = None
) -> VoteFeatures:
    """Features of the patterns of hard (or hardened) votes.

    Parameters
    ----------
    signals : WeakSignals
    weights : (n,) array of float, optional
        Sample weights; patterns without weight are left out.
    """
    patterns = signals.hardened().patterns
    counts = patterns.totals(weights)
    pattern, voter, vote = patterns.cells()
    if not counts.all():
        spoken = counts[pattern] > 0
        pattern, voter, vote = pattern[spoken], voter[spoken], vote[spoken]
    voted = np.zeros(len(counts), bool)
    voted[pattern] = True
    pattern = (np.cumsum(voted) - 1)[pattern]
    about = signals.vote_columns[:, 1]
    return _features(counts[voted], pattern, voter, vote, about, signals.n_classes)


def _features(
    counts: FloatArray,
    pattern: IntArray,
    voter: IntArray,
    vote: IntArray,
    about: IntArray,
    n_classes: int,
) -> VoteFeatures:
    """Features of votes (v,), given by pattern."""
    n_values = max(2, n_classes)
    # Voters times votes are few next to the votes, so a table beats sorting.
    key = voter * n_values + vote
    seen = np.zeros(len(about) * n_values, bool)
    seen[key] = True
    cells = np.flatnonzero(seen)
    owner, code = np.divmod(cells, n_values)
    spoken_of = about[owner]
    said_yes = np.eye(n_classes)[np.where(spoken_of < 0, code, spoken_of)]
    denied = ((spoken_of >= 0) & (code == 0))[:, None]
    return VoteFeatures(
        counts=counts,
        pattern=pattern,
        feature=(np.cumsum(seen) - 1)[key],
        voter=owner,
        vote=code,
        member=np.where(denied, 1 - said_yes, said_yes),
        about=about,
    )
