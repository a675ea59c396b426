"""Rows of votes that were seen before, to be found again with their labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, vstack

from corral._types import FloatArray, IntArray
from corral.labelers.probabilities import ROUNDING
from corral.signals import WeakSignals
from corral.signals.patterns import find_patterns
from corral.storage.content_checks import check_columns, check_floats, require


@dataclass(frozen=True)
class SeenVotes:
    """Distinct rows of votes, and the labels that they have.

    Attributes
    ----------
    columns : (c, 2) array of int
        Signal and label column of every stored column of votes.
    votes : (p, c * n_values + 1) sparse array
        One for every vote of a row; the last is for votes of other columns.
    labels : (p, k) array of float
    """

    columns: IntArray
    votes: csr_array
    labels: FloatArray

    @classmethod
    def of(
        cls,
        signals: WeakSignals,
        cells: tuple[IntArray, IntArray, IntArray],
        labels: FloatArray,
    ) -> SeenVotes:
        """The rows that have these cells (row, stored column and vote), by row."""
        row, column, vote = cells
        key = column * signals.n_choices + vote
        width = len(signals.columns) * signals.n_choices + 1
        votes = _rows(row, key, (len(labels), width))
        return cls(signals.columns, votes, labels)

    def place(self, signals: WeakSignals) -> IntArray:
        """(p,) the row that has the votes of every pattern; -1: none has."""
        pattern, column, vote = signals.patterns.cells()
        # Class votes have the label column -1, here the last, on both sides.
        known = np.full((signals.n_signals, signals.n_label_columns), -1)
        known[tuple(self.columns.T)] = np.arange(len(self.columns))
        at = known[tuple(signals.columns.T)][column]
        key = np.where(at < 0, self.votes.shape[1] - 1, at * signals.n_choices + vote)
        shape = (len(signals.patterns), self.votes.shape[1])
        both = vstack([self.votes, _rows(pattern, key, shape)], format="csr")
        group = find_patterns(both, 1).inverse
        seen = len(self.labels)
        row = np.full(int(group.max()) + 1, -1)
        row[group[:seen]] = np.arange(seen)
        found: IntArray = row[group[seen:]]
        return found

    def check(self, signals: WeakSignals) -> None:
        """Refuse what a file holds if no votes could be found in it."""
        p, k = len(self.labels), signals.n_classes
        check_columns(self.columns, signals.n_signals, signals.n_label_columns)
        width = len(self.columns) * signals.n_choices + 1
        require(self.votes.shape == (p, width), f"votes of the shape {(p, width)}")
        ones = self.votes.dtype == np.int8 and (self.votes.data == 1).all()
        require(ones, "ones as votes")
        check_floats("labels", self.labels, (p, k), low=0, high=1 + ROUNDING)


def _rows(pattern: IntArray, key: IntArray, shape: tuple[int, int]) -> csr_array:
    """Sparse rows with a one for every key of a pattern, in order."""
    starts = np.searchsorted(pattern, np.arange(shape[0] + 1))
    rows = csr_array((np.ones(len(key), np.int8), key, starts), shape)
    rows.sort_indices()
    return rows
