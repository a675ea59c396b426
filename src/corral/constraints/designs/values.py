"""Soft signals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.constraints.designs.base import Design
from corral.signals.soft import spoken

BLOCK = 1 << 21
"""Bytes of values in the range of patterns that a pass takes at once."""


class ValueDesign(Design):
    """Soft signals, whose patterns are single examples unless they are rounded.

    Values are read where they are, in any layout, and never copied as a whole.

    Parameters
    ----------
    values : sequence of (c_k, p) arrays
        Probabilities of every label column; what is not between 0 and 1 is an abstain.
    place : (r,) array of int
        Row ``r`` is the line ``place[r]`` of all lines of `values` in order; -1: a row
        on which these signals are silent.
    label : (r,) array of int
        The label column of every row, ascending.
    weights, inverse, sample_weight
        As for `Design`.
    """

    def __init__(
        self,
        values: Sequence[NDArray[np.floating]],
        place: IntArray,
        label: IntArray,
        weights: FloatArray,
        inverse: IntArray | None = None,
        sample_weight: FloatArray | None = None,
    ) -> None:
        super().__init__(label, len(values), weights, inverse, sample_weight)
        self.values = values
        before = np.cumsum([0, *map(len, values)])[label]
        self.line = np.where(place < 0, -1, place - before)
        size = max(1, self.n_rows) * self.dtype.itemsize
        self.block = max(1 << 10, BLOCK // size)

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """Precision of the values."""
        return self.values[0].dtype

    @cached_property
    def label_columns(self) -> list[tuple[slice, NDArray[np.floating], IntArray]]:
        """Every label column: its rows, its values, and the line of every row."""
        slices = zip(self._slices, self.values, strict=True)
        return [(rows, values, self.line[rows]) for rows, values in slices]

    def entries(self, row: int, start: int, stop: int) -> NDArray[np.floating]:
        if self.line[row] < 0:
            return np.full(stop - start, np.nan, self.dtype)
        w = self.values[self.label[row]][self.line[row], start:stop]
        return np.where(spoken(w), w, self.dtype.type(np.nan))

    def pull(self, v: FloatArray, start: int, stop: int) -> FloatArray:
        if not self.compiled:
            return self._small_pull(v, start, stop)
        from corral.constraints import value_kernels

        out = np.zeros((self.n_labels, stop - start))
        for k, (rows, values, line) in enumerate(self.label_columns):
            value_kernels.pull(values, line, v[rows], start, stop, out[k])
        return out

    def push(self, y: FloatArray, start: int, stop: int) -> FloatArray:
        if not self.compiled:
            return self._small_push(y, start, stop)
        from corral.constraints import value_kernels

        out = np.zeros(self.n_rows)
        for k, (rows, values, line) in enumerate(self.label_columns):
            value_kernels.push(values, line, y[k], start, stop, out[rows])
        return out

    def signs(self, start: int, stop: int) -> FloatArray:
        if not self.compiled:
            return super().signs(start, stop)
        from corral.constraints import value_kernels

        out = np.empty((self.n_rows, stop - start))
        for rows, values, line in self.label_columns:
            value_kernels.signs_of(values, line, start, stop, out[rows])
        return out

    def sizes_and_means(self) -> tuple[FloatArray, FloatArray]:
        if not self.compiled:
            return super().sizes_and_means()
        from corral.constraints import value_kernels

        sizes, sums = np.zeros(self.n_rows), np.zeros(self.n_rows)
        for a, b in self.ranges():
            for rows, values, line in self.label_columns:
                sums_of = sizes[rows], sums[rows]
                value_kernels.tally(values, line, self.weights, a, b, *sums_of)
        return sizes, sums / np.maximum(sizes, np.finfo(float).tiny)

    def active_counts(self) -> IntArray:
        if not self.compiled:
            return super().active_counts()
        from corral.constraints import value_kernels

        counts = np.zeros((self.n_labels, self.n_units), np.int32)
        for a, b in self.ranges():
            for k, (_, values, line) in enumerate(self.label_columns):
                value_kernels.count(values, line, a, b, counts[k, a:b])
        return counts
