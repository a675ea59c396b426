"""Votes as features: which column casts which vote, on every pattern.

A *column* is what a signal that names classes votes, or what a one-vs-rest signal votes
on one class. A *feature* is a pair (column, vote), and is a vote for some of the classes:
a class vote for one, "yes" for one, "no" for all others.
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
    columns = np.array(scores.T, order="C")  # faster to sum over few classes
    largest = columns.max(axis=0)
    columns -= largest
    np.exp(columns, out=columns)
    total = columns.sum(axis=0)
    columns /= total
    return np.ascontiguousarray(columns.T), largest + np.log(total)


def plurality_shares(pattern: IntArray, group: IntArray, vote: IntArray) -> FloatArray:
    """(v,) the share that every vote has in the one vote of its group.

    The commonest vote of a group on a pattern is that of the group, and the columns
    that cast it share it. Other votes have no share; none has where the commonest tie.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.error_rates.vote_features import plurality_shares
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
    column : (f,) array of int
        The column that casts the vote.
    vote : (f,) array of int
        Its code.
    member : (f, k) array of float
        One for the classes that the vote is for, else zero.
    about : (c,) array of int
        The class that every column votes on; -1: it names classes.
    """

    counts: FloatArray
    pattern: IntArray
    feature: IntArray
    column: IntArray
    vote: IntArray
    member: FloatArray
    about: IntArray

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.about)

    @property
    def n_values(self) -> int:
        """How many different votes a column has."""
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
    def column_of_vote(self) -> IntArray:
        """(v,) column of every vote."""
        return self.column[self.feature]

    @cached_property
    def matrix(self) -> csr_array:
        """(p, f) one where the pattern has the feature."""
        starts = np.searchsorted(self.pattern, np.arange(self.n_patterns + 1))
        shape = (self.n_patterns, len(self.column))
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
        sums: Any = np.bincount(self.feature, self.weight, minlength=len(self.column))
        return sums

    @cached_property
    def votes_by_pattern(self) -> FloatArray:
        """(u,) votes on every pattern; see `VoteModel.vote_sizes` for what counts."""
        size = (self.about < 0)[self.column_of_vote]
        sums: Any = np.bincount(self.pattern, size, minlength=self.n_patterns)
        return sums

    @cached_property
    def votes_cast(self) -> FloatArray:
        """(c,) votes of every column."""
        return self.by_column(self.size)

    def merge_columns(self, leader: IntArray) -> VoteFeatures:
        """With the columns of every leader (c,) as one that casts their commonest vote."""
        if (leader == np.arange(self.n_columns)).all():
            return self
        column, vote = leader[self.column_of_vote], self.vote[self.feature]
        grouped = np.bincount(leader, minlength=self.n_columns)[column] > 1
        wins = ~grouped
        wins[grouped] = (
            plurality_shares(self.pattern[grouped], column[grouped], vote[grouped]) > 0
        )
        n_votes = int(vote.max()) + 1
        key = (self.pattern * self.n_columns + column) * n_votes + vote
        key = np.sort(key[wins])
        key = key[np.r_[True, np.diff(key) > 0]]
        cell, vote = np.divmod(key, n_votes)
        pattern, column = np.divmod(cell, self.n_columns)
        return _features(self.counts, pattern, column, vote, self.about, self.n_classes)

    def by_column(self, each: FloatArray) -> FloatArray:
        """Sum numbers (f, ...) per feature over the features of every column, (c, ...)."""
        sums: Any = self._owners @ each
        return sums

    @cached_property
    def _owners(self) -> csr_array:
        """(c, f) one where the column has the feature."""
        starts = np.searchsorted(self.column, np.arange(self.n_columns + 1))
        f = len(self.column)
        return csr_array((np.ones(f), np.arange(f), starts), (self.n_columns, f))


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
    patterns = signals.harden().patterns
    counts = patterns.totals(weights)
    pattern, column, vote = patterns.cells()
    if not counts.all():
        kept = counts[pattern] > 0
        pattern, column, vote = pattern[kept], column[kept], vote[kept]
    voted = np.zeros(len(counts), bool)
    voted[pattern] = True
    pattern = (np.cumsum(voted) - 1)[pattern]
    about = signals.vote_columns[:, 1]
    return _features(counts[voted], pattern, column, vote, about, signals.n_classes)


def _features(
    counts: FloatArray,
    pattern: IntArray,
    column: IntArray,
    vote: IntArray,
    about: IntArray,
    n_classes: int,
) -> VoteFeatures:
    """Features of votes (v,), given by pattern."""
    n_values = max(2, n_classes)
    # Columns times votes are few next to the votes, so a table beats sorting.
    key = column * n_values + vote
    seen = np.zeros(len(about) * n_values, bool)
    seen[key] = True
    cells = np.flatnonzero(seen)
    owner, code = np.divmod(cells, n_values)
    votes_on = about[owner]
    said_yes = np.eye(n_classes)[np.where(votes_on < 0, code, votes_on)]
    denied = ((votes_on >= 0) & (code == 0))[:, None]
    return VoteFeatures(
        counts=counts,
        pattern=pattern,
        feature=(np.cumsum(seen) - 1)[key],
        column=owner,
        vote=code,
        member=np.where(denied, 1 - said_yes, said_yes),
        about=about,
    )
