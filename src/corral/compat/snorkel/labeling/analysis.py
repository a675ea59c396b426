"""What labeling functions do, and how well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.compat.snorkel.labeling.lf.core import LabelingFunction
from corral.compat.snorkel.labeling.votes import as_signals, check_votes
from corral.compat.snorkel.utils.core import ABSTAIN, to_int_label_array
from corral.errors import ParameterError


class LFAnalysis:
    """What labeling functions do: coverage, overlaps, conflicts, accuracy.

    `corral.analyse` says more, of any signals: copies, precision and recall, what a labeler
    has learned, and the rows to look at.

    Parameters
    ----------
    L : (n, m) array of int
        Votes, -1 for an abstain.
    lfs : list of LabelingFunction, optional
        For their names.

    Examples
    --------
    >>> from corral.compat.snorkel.labeling import LFAnalysis
    >>> found = LFAnalysis([[-1, 0, 0], [-1, -1, -1], [1, 0, -1], [-1, 0, -1], [0, 0, 0]])
    >>> found.label_coverage(), found.label_overlap(), found.label_conflict()
    (0.8, 0.6, 0.2)
    >>> found.lf_polarities()
    [[0, 1], [0], [0]]
    >>> found.lf_coverages()
    array([0.4, 0.8, 0.4])
    """

    def __init__(
        self, L: ArrayLike, lfs: Sequence[LabelingFunction] | None = None
    ) -> None:
        self.L = check_votes(L)
        m = self.L.shape[1]
        if lfs is not None and len(lfs) != m:
            raise ParameterError(
                f"Number of LFs ({len(lfs)}) and of columns of L ({m}) are different; "
                "give the functions that made these votes, in that order."
            )
        self._names = None if lfs is None else [lf.name for lf in lfs]
        votes = int((self.L != ABSTAIN).sum())
        self._signals = as_signals(self.L, int(self.L.max()) + 1) if votes else None

    def _shares(self, of: str) -> FloatArray:
        """(m,) coverage, overlaps or conflicts of every function."""
        if self._signals is None:  # which corral has no signals for
            return np.zeros(self.L.shape[1])
        shares: FloatArray = getattr(self._signals, of)
        return shares

    def _votes_per_example(self) -> IntArray:
        number: IntArray = (self.L != ABSTAIN).sum(axis=1)
        return number

    def label_coverage(self) -> float:
        """Share of the examples that any function votes on."""
        return float((self._votes_per_example() > 0).mean())

    def label_overlap(self) -> float:
        """Share of the examples that two functions or more vote on."""
        return float((self._votes_per_example() > 1).mean())

    def label_conflict(self) -> float:
        """Share of the examples on which functions contradict each other."""
        highest = self.L.max(axis=1, keepdims=True)
        return float(((self.L != ABSTAIN) & (highest != self.L)).any(axis=1).mean())

    def lf_polarities(self) -> list[list[int]]:
        """The classes that every function votes for."""
        return [np.unique(votes[votes != ABSTAIN]).tolist() for votes in self.L.T]

    def lf_coverages(self) -> FloatArray:
        """(m,) share of the examples that every function votes on."""
        return self._shares("coverage")

    def lf_overlaps(self, normalize_by_coverage: bool = False) -> FloatArray:
        """(m,) share of the examples on which it votes and another does, too.

        Parameters
        ----------
        normalize_by_coverage : bool
            Of the examples on which it votes.
        """
        overlaps = self._shares("overlaps")
        return (
            divide(overlaps, self.lf_coverages()) if normalize_by_coverage else overlaps
        )

    def lf_conflicts(self, normalize_by_overlaps: bool = False) -> FloatArray:
        """(m,) share of the examples on which it votes and another contradicts it.

        Parameters
        ----------
        normalize_by_overlaps : bool
            Of the examples on which another votes, too.
        """
        conflicts = self._shares("conflicts")
        return (
            divide(conflicts, self.lf_overlaps())
            if normalize_by_overlaps
            else conflicts
        )

    def lf_empirical_accuracies(self, Y: ArrayLike) -> FloatArray:
        """(m,) share of the votes of every function that are right; 0 without votes.

        Parameters
        ----------
        Y : (n,) array of int
            True classes.
        """
        right = self._right(to_int_label_array(Y)).sum(axis=0)
        return divide(right, (self.L != ABSTAIN).sum(axis=0))

    def _right(self, gold: IntArray) -> Any:
        if len(gold) != len(self.L):
            raise ParameterError(
                f"must have a class for each of the {len(self.L)} examples; {len(gold)} "
                "came.",
                parameter="Y",
            )
        return (gold[:, None] == self.L) & (self.L != ABSTAIN)

    def lf_empirical_probs(self, Y: ArrayLike, k: int) -> FloatArray:
        """(m, k + 1, k) how often every function says -1, 0, 1, ... given the class.

        Parameters
        ----------
        Y : (n,) array of int
            True classes.
        k : int
            Number of classes.
        """
        truth = to_int_label_array(Y)[:, None] == np.arange(k)
        return vote_table(self.L, truth.astype(float))

    def lf_summary(
        self, Y: ArrayLike | None = None, est_weights: ArrayLike | None = None
    ) -> Any:
        """All of that, one line per function.

        Parameters
        ----------
        Y : (n,) array of int, optional
            True classes; -1 where unknown.
        est_weights : (m,) array of float, optional
            What a label model has learned, such as `LabelModel.get_weights`.

        Returns
        -------
        pandas data frame
        """
        import pandas as pd

        columns: dict[str, Any] = {}
        if self._names is not None:
            columns["j"] = range(len(self._names))
        columns["Polarity"] = self.lf_polarities()
        columns["Coverage"] = self.lf_coverages()
        columns["Overlaps"] = self.lf_overlaps()
        columns["Conflicts"] = self.lf_conflicts()
        if Y is not None:
            gold = to_int_label_array(Y)
            right = self._right(gold)
            known = (self.L != ABSTAIN) & (gold != ABSTAIN)[:, None]
            columns["Correct"] = right.sum(axis=0)
            columns["Incorrect"] = (known & ~right).sum(axis=0)
            columns["Emp. Acc."] = self.lf_empirical_accuracies(gold)
        if est_weights is not None:
            columns["Learned Weight"] = np.asarray(est_weights)
        return pd.DataFrame(columns, index=self._names)


def divide(part: ArrayLike, whole: ArrayLike) -> FloatArray:
    """One array by another, zero where that is nothing."""
    parts, wholes = np.asarray(part, float), np.asarray(whole, float)
    return np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0)


def vote_table(votes: IntArray, labels: FloatArray) -> FloatArray:
    """(m, k + 1, k) how often functions say -1, 0, 1, ... given the class of labels (n, k).

    NaN for a class that no example has.
    """
    k = labels.shape[1]
    counts = [(votes == said).T @ labels for said in range(ABSTAIN, k)]
    with np.errstate(invalid="ignore"):
        table: FloatArray = np.stack(counts, axis=1) / labels.sum(axis=0)
    return table
