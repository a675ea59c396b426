"""Soft signals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.constraints.designs.operator import LabelColumn
from corral.constraints.designs.signal_design import Design
from corral.signals.soft_source import is_vote

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

    @property
    def precision(self) -> np.dtype[np.floating]:
        return self.dtype if self.compiled else np.dtype(np.float64)

    @cached_property
    def label_columns(self) -> list[LabelColumn]:
        slices = zip(self._slices, self.values, strict=True)
        no_code = np.full(self.n_rows, -1, np.int8)
        return [(r, (values, self.line[r], no_code[r])) for r, values in slices]

    def entries(self, row: int, start: int, stop: int) -> NDArray[np.floating]:
        if self.line[row] < 0:
            return np.full(stop - start, np.nan, self.dtype)
        w = self.values[self.label[row]][self.line[row], start:stop]
        return np.where(is_vote(w), w, self.dtype.type(np.nan))

    def signs(self, start: int, stop: int) -> FloatArray:
        if not self.compiled:
            return super().signs(start, stop)
        from corral.constraints import dense_kernels

        out = np.empty((self.n_rows, stop - start))
        for rows, lines in self.label_columns:
            dense_kernels.signs_of(*lines, start, stop, out[rows])
        return out

    def sizes_and_means(self) -> tuple[FloatArray, FloatArray]:
        if not self.compiled:
            return super().sizes_and_means()
        from corral.constraints import dense_kernels

        sizes, sums = np.zeros(self.n_rows), np.zeros(self.n_rows)
        for a, b in self.ranges():
            for rows, (values, line, _) in self.label_columns:
                sums_of = sizes[rows], sums[rows]
                dense_kernels.tally(values, line, self.weights, a, b, *sums_of)
        return sizes, sums / np.maximum(sizes, np.finfo(float).tiny)

    def active_counts(self) -> IntArray:
        if not self.compiled:
            return super().active_counts()
        from corral.constraints import dense_kernels

        counts = np.zeros((self.n_labels, self.n_patterns), np.int32)
        for a, b in self.ranges():
            for k, (_, (values, line, _)) in enumerate(self.label_columns):
                dense_kernels.count(values, line, a, b, counts[k, a:b])
        return counts
