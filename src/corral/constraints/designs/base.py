"""The sign matrix of a set of signals, as an operator.

Rows are constraints, one a (signal, label column); columns are *units*: vote
patterns with their counts, or single examples for soft signals. The sign at a unit is
``active (1 - 2 w)``, so that row ``r`` of ``A`` is ``sign[r] / size[r]``.

Only two products are ever needed, over a range of units so that a pass stays in
the cache: `pull` (rows to units, the transpose) and `push` (units to rows).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray

COMPILED_FROM = 200_000
"""Sign entries from which the compiled kernels pay for loading them."""


class Design(ABC):
    """Products with the sign matrix of some signals.

    Attributes
    ----------
    label : (r,) array of int
        The label column of every row, ascending.
    weights : (u,) array of float
        Examples a unit.
    inverse : (n,) array of int or None
        The unit of every example; None where units are examples.
    n_labels : int
        Number of label columns.
    sample_weight : (n,) array of float
        One an example; ones unless given.
    block : int
        Units that a pass should take at once.
    order : "C" or "F"
        How arrays (n_labels, units) should lie in memory: "F" keeps the label columns of a
        unit together.
    """

    block = 1 << 16
    order: Literal["C", "F"] = "C"

    def __init__(
        self,
        label: IntArray,
        n_labels: int,
        weights: FloatArray,
        inverse: IntArray | None,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.label = label
        self.n_labels = n_labels
        self.weights = weights
        self.inverse = inverse
        self._sample_weight = sample_weight

    @cached_property
    def sample_weight(self) -> FloatArray:
        """(n,) one an example; ones unless given."""
        if self._sample_weight is None:
            return np.ones(self.n_examples)
        return self._sample_weight

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.weights)

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return self.n_units if self.inverse is None else len(self.inverse)

    @property
    def n_rows(self) -> int:
        """Number of rows of ``A``."""
        return len(self.label)

    @property
    def compiled(self) -> bool:
        """Whether this input is large enough for the compiled kernels."""
        return self.n_units * self.n_rows >= COMPILED_FROM

    @abstractmethod
    def pull(self, v: FloatArray, start: int, stop: int) -> FloatArray:
        """``sign.T @ v`` for the units of a range: (r,) -> (n_labels, units)."""

    @abstractmethod
    def push(self, y: FloatArray, start: int, stop: int) -> FloatArray:
        """``sign @ y`` over the units of a range: (n_labels, units) -> (r,)."""

    @abstractmethod
    def entries(self, row: int, start: int, stop: int) -> NDArray[np.floating]:
        """What row `row` says (``w``, NaN for abstain) of the units of a range."""

    def totals(self, y: FloatArray) -> FloatArray:
        """``sign @ y`` over all units: (n_labels, u) -> (r,)."""
        parts = [self.push(y[:, a:b], a, b) for a, b in self.ranges()]
        return np.sum(parts, axis=0)

    def ranges(self) -> list[tuple[int, int]]:
        """The units in blocks."""
        n, step = self.n_units, self.block
        return [(a, min(a + step, n)) for a in range(0, n, step)]

    def signs(self, start: int, stop: int) -> FloatArray:
        """The sign matrix of a range of units, dense: (r, units)."""
        w = np.empty((self.n_rows, stop - start))  # float64 whatever the signals are
        for r in range(self.n_rows):
            w[r] = self.entries(r, start, stop)
        return np.where(np.isnan(w), 0.0, 1.0 - 2.0 * w)

    @cached_property
    def _small(self) -> FloatArray:
        """The whole sign matrix, for inputs below `COMPILED_FROM`."""
        return self.signs(0, self.n_units)

    @cached_property
    def _slices(self) -> list[slice]:
        edges = np.searchsorted(self.label, np.arange(self.n_labels + 1))
        return [slice(a, b) for a, b in pairwise(edges)]

    def _small_pull(self, v: FloatArray, start: int, stop: int) -> FloatArray:
        signs = self._small[:, start:stop]
        return np.stack([v[rows] @ signs[rows] for rows in self._slices])

    def _small_push(self, y: FloatArray, start: int, stop: int) -> FloatArray:
        signs = self._small[:, start:stop]
        slices = zip(self._slices, y, strict=True)
        return np.concatenate([signs[rows] @ column for rows, column in slices])

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
        """(n_labels, u) how many rows speak of each entry."""
        counts = np.zeros((self.n_labels, self.n_units), np.int32)
        for a, b in self.ranges():
            for r, k in enumerate(self.label):
                counts[k, a:b] += ~np.isnan(self.entries(r, a, b))
        return counts

    def by_unit(self, y: FloatArray) -> FloatArray:
        """Weighted mean of the examples of each unit: (n, n_labels) -> (n_labels, u)."""
        if self.inverse is None:
            return y.T
        means = np.empty((y.shape[1], self.n_units))
        for mean, column in zip(means, y.T, strict=True):
            weighted = column * self.sample_weight
            mean[:] = np.bincount(self.inverse, weighted, minlength=self.n_units)
        means /= np.where(self.weights > 0, self.weights, 1)
        return means

    def by_example(self, y: NDArray[Any]) -> NDArray[Any]:
        """What every example gets from its unit: (u, k) -> (n, k)."""
        return y if self.inverse is None else y.take(self.inverse, axis=0)
