"""The sign matrix of a set of signals, as an operator.

Rows are constraints, one per (signal, label column); columns are patterns. The sign at a
pattern is ``active (1 - 2 w)``, so that row ``r`` of ``A`` is ``sign[r] / size[r]``.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from corral._types import FloatArray, IntArray
from corral.constraints.designs.operator import Block, Operator

COMPILED_FROM = 200_000
"""Sign entries from which the compiled kernels pay for loading them."""

SIGN_BLOCK, LABEL_BLOCK = 1 << 17, 1 << 14
"""Bytes of signs, and of labels, that the compiled kernels work on at once, at most."""


def sign_block(
    source: NDArray[Any], line: IntArray, precision: DTypeLike = float
) -> NDArray[Any]:
    """Room for the signs of a block; those of votes are as small as the codes."""
    labels = np.dtype(precision)
    dtype = source.dtype if source.dtype.kind == "i" else labels
    patterns = SIGN_BLOCK // (max(1, len(line)) * dtype.itemsize)
    longest = LABEL_BLOCK // labels.itemsize
    return np.empty((len(line), min(max(patterns, 64), longest)), dtype)


class Design(Operator):
    """Products with the sign matrix of some signals; every row has one label column.

    Attributes
    ----------
    label : (r,) array of int
        The label column of every row, ascending.
    """

    def __init__(
        self,
        label: IntArray,
        n_labels: int,
        weights: FloatArray,
        inverse: IntArray | None,
        sample_weight: FloatArray | None = None,
    ) -> None:
        super().__init__(n_labels, weights, inverse, sample_weight)
        self.label = label

    @property
    def n_rows(self) -> int:
        return len(self.label)

    @property
    def compiled(self) -> bool:
        return self.n_patterns * self.n_rows >= COMPILED_FROM

    @abstractmethod
    def entries(self, row: int, start: int, stop: int) -> NDArray[np.floating]:
        """What row `row` says (``w``, NaN for abstain) of the patterns of a range."""

    def signs(self, start: int, stop: int) -> FloatArray:
        """The sign matrix of a range of patterns, dense: (r, patterns)."""
        w = np.empty((self.n_rows, stop - start))  # float64 whatever the signals are
        for r in range(self.n_rows):
            w[r] = self.entries(r, start, stop)
        return np.where(np.isnan(w), 0.0, 1.0 - 2.0 * w)

    def coefficients(self, start: int, stop: int) -> list[Block]:
        small = not self.compiled
        signs = self._small[:, start:stop] if small else self.signs(start, stop)
        every = np.arange(self.n_rows)
        return [(every[rows], signs[rows]) for rows in self._slices]

    @cached_property
    def _small(self) -> FloatArray:
        """The whole sign matrix, for inputs below `COMPILED_FROM`."""
        return self.signs(0, self.n_patterns)

    @cached_property
    def _slices(self) -> list[slice]:
        edges = np.searchsorted(self.label, np.arange(self.n_labels + 1))
        return [slice(a, b) for a, b in pairwise(edges)]

    def pull(self, v: FloatArray, start: int, stop: int) -> FloatArray:
        if not self.compiled or self.label_columns is None:
            signs = self._small[:, start:stop]
            return np.stack([v[rows] @ signs[rows] for rows in self._slices])
        from corral.constraints import dense_kernels

        out = np.zeros((self.n_labels, stop - start))
        for column, (rows, lines) in zip(out, self.label_columns, strict=True):
            signs = sign_block(*lines[:2])
            dense_kernels.pull(*lines, signs, v[rows], start, stop, column)
        return out

    def push(self, y: FloatArray, start: int, stop: int) -> FloatArray:
        if not self.compiled or self.label_columns is None:
            signs = self._small[:, start:stop]
            slices = zip(self._slices, y, strict=True)
            return np.concatenate([signs[rows] @ column for rows, column in slices])
        from corral.constraints import dense_kernels

        out = np.zeros(self.n_rows)
        for column, (rows, lines) in zip(y, self.label_columns, strict=True):
            signs = sign_block(*lines[:2])
            dense_kernels.push(*lines, signs, column, start, stop, out[rows])
        return out

    def sizes_and_means(self) -> tuple[FloatArray, FloatArray]:
        """Active examples of every row, and the mean of ``w`` over them."""
        sizes, sums = np.zeros(self.n_rows), np.zeros(self.n_rows)
        for a, b in self.ranges():
            for r in range(self.n_rows):
                w = self.entries(r, a, b)
                active = ~np.isnan(w)
                weights = self.weights[a:b][active]
                sizes[r] += weights.sum()
                sums[r] += (weights * w[active]).sum()
        return sizes, sums / np.maximum(sizes, np.finfo(float).tiny)

    def active_counts(self) -> IntArray:
        counts = np.zeros((self.n_labels, self.n_patterns), np.int32)
        for a, b in self.ranges():
            for r, k in enumerate(self.label):
                counts[k, a:b] += ~np.isnan(self.entries(r, a, b))
        return counts
