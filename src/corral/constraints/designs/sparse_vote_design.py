"""Class votes of very many signals."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from corral._types import FloatArray, IntArray
from corral.constraints.designs import signal_design
from corral.constraints.designs.operator import Block
from corral.constraints.designs.signal_design import Design


class SparseVoteDesign(Design):
    """Class votes of many signals, few per pattern; memory in the number of votes.

    A class vote of signal ``i`` says "no" to every label column and then "yes" to one,
    so ``sign.T @ v`` adds up whole rows of a table (signals, n_labels), less twice the
    entries voted for. Nothing of size votes x n_labels is stored. Rows stand in the order
    (label column, signal).

    Parameters
    ----------
    votes : (p, m) sparse array
        One row per pattern; ``code + 1`` of every vote.
    hits : (n_labels,) array of int
        The code that says "yes" to each label column.
    signals : (s,) array of int
        The columns of `votes` to read.

    Attributes
    ----------
    indptr, indices : arrays of int
        The votes of every pattern, and the signal of every vote, as in `votes`.
    voted : (votes,) array of int
        The label column that every vote says "yes" to; -1: none of them.
    """

    order = "F"

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
        every = np.array_equal(signals, np.arange(votes.shape[1]))
        kept = votes if every else votes[:, signals]
        self.indptr, self.indices = kept.indptr, kept.indices
        # By stored value, code + 1; these votes may lack the last classes.
        last = max(int(kept.data.max(initial=0)), int(hits.max()) + 1)
        position = np.full(last + 1, -1, np.int32)
        position[hits + 1] = np.arange(n_labels)
        self.voted = position[kept.data]
        self._n_signals = len(signals)
        # Every block has sums for all rows; these should cost little next to its votes.
        per_pattern = max(1.0, len(self.indices) / max(1, self.n_patterns))
        self.block = max(1 << 13, int(64 * self._n_signals / per_pattern))

    @property
    def compiled(self) -> bool:
        return len(self.indices) * self.n_labels >= signal_design.COMPILED_FROM

    @property
    def sparse_votes(self) -> tuple[IntArray, IntArray, IntArray]:
        return self.indptr, self.indices, self.voted

    def table(self, v: FloatArray) -> FloatArray:
        """Numbers of the rows by signal, as the kernels read them: (signals, n_labels)."""
        return np.ascontiguousarray(v.reshape(self.n_labels, -1).T)

    def pull(self, v: FloatArray, start: int, stop: int) -> FloatArray:
        table = self.table(v)
        if not self.compiled:
            active, (label, signal, pattern) = self._range(start, stop)
            out = active @ table
            at = pattern * self.n_labels + label
            yes = np.bincount(at, table[signal, label], minlength=out.size)
            return (out - 2 * yes.reshape(out.shape)).T
        from corral.constraints import sparse_kernels

        out = np.empty((stop - start, self.n_labels))
        sparse_kernels.sparse_pull(*self.sparse_votes, table, start, stop, out)
        return out.T

    def push(self, y: FloatArray, start: int, stop: int) -> FloatArray:
        if not self.compiled:
            active, (label, signal, pattern) = self._range(start, stop)
            sums = np.ascontiguousarray((active.T @ y.T).T).ravel()
            at = label * self._n_signals + signal
            return sums - 2 * np.bincount(at, y[label, pattern], minlength=sums.size)
        from corral.constraints import sparse_kernels

        out = np.zeros((self._n_signals, self.n_labels))
        by_pattern = np.ascontiguousarray(y.T)
        sparse_kernels.sparse_push(*self.sparse_votes, by_pattern, start, stop, out)
        return out.T.ravel()

    # -- the scipy form ---------------------------------------------------------

    @cached_property
    def _active(self) -> csr_array:
        """(p, signals) one where a signal votes."""
        cells = np.ones(len(self.indices)), self.indices, self.indptr
        return csr_array(cells, (self.n_patterns, self._n_signals))

    @cached_property
    def _yes(self) -> tuple[IntArray, IntArray, IntArray]:
        """Label column, signal and pattern of every "yes"."""
        said = np.flatnonzero(self.voted >= 0)
        return self.voted[said], self.indices[said], self._pattern[said]

    @property
    def _pattern(self) -> IntArray:
        """(votes,) the pattern of every vote."""
        return np.repeat(np.arange(self.n_patterns), np.diff(self.indptr))

    def _range(
        self, start: int, stop: int
    ) -> tuple[csr_array, tuple[IntArray, IntArray, IntArray]]:
        """Votes of a range of patterns, and label column, signal, pattern of each "yes"."""
        active, (label, signal, pattern) = self._active, self._yes
        if (
            stop - start == self.n_patterns
        ):  # to make an array takes longer than to use it
            return active, self._yes
        first, last = active.indptr[[start, stop]]
        cells = active.data[first:last], active.indices[first:last]
        part = csr_array(
            (*cells, active.indptr[start : stop + 1] - first),
            (stop - start, self._n_signals),
        )
        at = slice(*np.searchsorted(pattern, [start, stop]))
        return part, (label[at], signal[at], pattern[at] - start)

    def entries(self, row: int, start: int, stop: int) -> FloatArray:
        k, signal = divmod(row, self._n_signals)
        active, (label, signals, pattern) = self._range(start, stop)
        w = np.where(active[:, [signal]].toarray()[:, 0] > 0, 0.0, np.nan)
        w[pattern[(signals == signal) & (label == k)]] = 1.0
        return w

    def signs(self, start: int, stop: int) -> FloatArray:
        active, (label, signal, pattern) = self._range(start, stop)
        signs = np.tile(active.toarray().T, (self.n_labels, 1))
        signs[label * self._n_signals + signal, pattern] = -1
        return signs

    def coefficients(self, start: int, stop: int) -> list[Block]:
        active, (label, signal, pattern) = self._range(start, stop)
        rows = np.arange(self._n_signals)
        blocks: list[Block] = []
        for k in range(self.n_labels):
            yes = label == k
            cells = np.full(yes.sum(), -2.0), (signal[yes], pattern[yes])
            signs = active.T + csr_array(cells, active.shape[::-1])
            blocks.append((rows + k * self._n_signals, csr_array(signs)))
        return blocks

    @property
    def gram_cost(self) -> float:
        votes = np.diff(self.indptr).astype(float)
        return float((votes**2).sum())

    def gram(
        self, d: FloatArray, g: FloatArray | None, start: int, stop: int
    ) -> FloatArray:
        if self.n_labels > 1 or not self.compiled:
            return super().gram(d, g, start, stop)
        from corral.constraints import sparse_kernels

        out = np.zeros((self.n_rows, self.n_rows))
        own = d[0] if g is None else d[0] - g[0] ** 2
        sparse_kernels.column_gram(*self.sparse_votes, own, start, stop, out)
        return _mirrored(out)

    def joint_gram(
        self, d: FloatArray, g: FloatArray, start: int, stop: int
    ) -> FloatArray:
        """`gram` of half the sum of the rows of every signal: (signals, signals)."""
        from corral.constraints import sparse_kernels

        out = np.zeros((self._n_signals, self._n_signals))
        by_pattern = np.ascontiguousarray(d.T), np.ascontiguousarray(g.T)
        sparse_kernels.joint_gram(*self.sparse_votes, *by_pattern, start, stop, out)
        return _mirrored(out)

    # -- counts -----------------------------------------------------------------

    def sizes_and_means(self) -> tuple[FloatArray, FloatArray]:
        weights, m = self.weights[self._pattern], self._n_signals
        votes = np.bincount(self.indices, weights, minlength=m).astype(float)
        said = self.voted >= 0
        at = self.voted[said] * m + self.indices[said]
        sums = np.bincount(at, weights[said], minlength=self.n_rows)
        sizes = np.tile(votes, self.n_labels)
        return sizes, sums / np.maximum(sizes, np.finfo(float).tiny)

    def active_counts(self) -> IntArray:
        """A view: a vote is about every label column."""
        counts = np.diff(self.indptr)
        return np.broadcast_to(counts, (self.n_labels, self.n_patterns))


def _mirrored(out: FloatArray) -> FloatArray:
    """A symmetric matrix of which only one of every two entries was added to."""
    return out + out.T - np.diag(np.diag(out))
