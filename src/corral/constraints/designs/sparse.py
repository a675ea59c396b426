"""Class votes of very many signals."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from corral._types import FloatArray, IntArray
from corral.constraints.designs.base import Design


class SparseVoteDesign(Design):
    """Class votes of many signals, few a pattern; memory in the number of votes.

    A class vote of signal ``i`` says "no" to every label column and then "yes" to one,
    so ``sign.T @ v`` is a sparse product less twice the entries voted for.
    Rows stand in the order (label column, signal).
    """

    def __init__(
        self,
        votes: csr_array,
        hits: IntArray,
        signals: IntArray,
        weights: FloatArray,
        inverse: IntArray | None,
        sample_weight: FloatArray | None = None,
    ) -> None:
        n_labels = len(hits)
        label = np.repeat(np.arange(n_labels), len(signals))
        super().__init__(label, n_labels, weights, inverse, sample_weight)
        self.block = max(1, len(weights))  # one sparse product over everything
        kept = votes[:, signals]
        self._active = csr_array(
            (np.ones(kept.nnz), kept.indices, kept.indptr), kept.shape
        )
        # By stored value, code + 1; these votes may lack the last classes.
        position = np.full(
            max(int(kept.data.max(initial=0)), int(hits.max()) + 1) + 1, -1
        )
        position[hits + 1] = np.arange(n_labels)
        voted = position[kept.data]  # label column voted for, or -1
        unit = np.repeat(np.arange(kept.shape[0]), np.diff(kept.indptr))
        said = np.flatnonzero(voted >= 0)
        self._yes = voted[said], kept.indices[said], unit[said]

    @property
    def compiled(self) -> bool:
        return True

    @property
    def _n_signals(self) -> int:
        return int(self._active.shape[1])

    def _range(
        self, start: int, stop: int
    ) -> tuple[csr_array, tuple[IntArray, IntArray, IntArray]]:
        """Votes of a range of units, and label column, signal, unit of each "yes"."""
        active, (label, signal, unit) = self._active, self._yes
        first, last = active.indptr[[start, stop]]
        cells = active.data[first:last], active.indices[first:last]
        part = csr_array(
            (*cells, active.indptr[start : stop + 1] - first),
            (stop - start, self._n_signals),
        )
        at = slice(*np.searchsorted(unit, [start, stop]))
        return part, (label[at], signal[at], unit[at] - start)

    def entries(self, row: int, start: int, stop: int) -> FloatArray:
        k, signal = divmod(row, self._n_signals)
        active, (label, voter, unit) = self._range(start, stop)
        w = np.where(active[:, [signal]].toarray()[:, 0] > 0, 0.0, np.nan)
        w[unit[(voter == signal) & (label == k)]] = 1.0
        return w

    def signs(self, start: int, stop: int) -> FloatArray:
        active, (label, signal, unit) = self._range(start, stop)
        signs = np.tile(active.toarray().T, (self.n_labels, 1))
        signs[label * self._n_signals + signal, unit] = -1
        return signs

    def pull(self, v: FloatArray, start: int, stop: int) -> FloatArray:
        active, (label, signal, unit) = self._range(start, stop)
        table = v.reshape(self.n_labels, -1)
        out = np.ascontiguousarray((active @ table.T).T)
        at = label * (stop - start) + unit
        yes = np.bincount(at, table[label, signal], minlength=out.size)
        return out - 2 * yes.reshape(out.shape)

    def push(self, y: FloatArray, start: int, stop: int) -> FloatArray:
        active, (label, signal, unit) = self._range(start, stop)
        out = np.ascontiguousarray((active.T @ y.T).T).ravel()
        at = label * self._n_signals + signal
        return out - 2 * np.bincount(at, y[label, unit], minlength=out.size)

    def sizes_and_means(self) -> tuple[FloatArray, FloatArray]:
        label, signal, unit = self._yes
        sizes = np.tile(self._active.T @ self.weights, self.n_labels)
        at = label * self._n_signals + signal
        sums = np.bincount(at, self.weights[unit], minlength=self.n_rows)
        return sizes, sums / np.maximum(sizes, np.finfo(float).tiny)

    def active_counts(self) -> IntArray:
        return np.tile(np.diff(self._active.indptr), (self.n_labels, 1))
