"""Rows of constraints as an operator.

A row gives every (label column, pattern) a coefficient. A *pattern* is all examples with
the same votes; of soft signals that are not rounded, every example is one. Two products
are needed, `pull` (rows to patterns, the transpose) and `push` (patterns to rows), each
over a range of patterns so that a pass stays in the cache.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from corral._types import BoolArray, FloatArray, IntArray

GRAM_BLOCK = 1 << 18
"""Coefficients that are multiplied out at once."""

LabelColumn: TypeAlias = tuple[slice, tuple[NDArray[Any], IntArray, IntArray]]
"""Rows of a label column; lines to read, the line of each row, the code for "yes"."""
Block: TypeAlias = "tuple[IntArray, FloatArray | csr_array]"
"""Some rows, and their coefficients (rows, patterns) in one label column."""


class Operator(ABC):
    """Products with the coefficients of some rows.

    Attributes
    ----------
    n_labels : int
        Number of label columns.
    weights : (p,) array of float
        Examples per pattern.
    inverse : (n,) array of int or None
        The pattern of every example; None where patterns are examples.
    sample_weight : (n,) array of float
        One per example; ones unless given.
    block : int
        Patterns that a pass should take at once.
    order : "C" or "F"
        Memory order of arrays (n_labels, p): "F" keeps the label columns of a pattern
        together.
    """

    block = 1 << 16
    order: Literal["C", "F"] = "C"

    def __init__(
        self,
        n_labels: int,
        weights: FloatArray,
        inverse: IntArray | None,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.n_labels = n_labels
        self.weights = weights
        self.inverse = inverse
        self._sample_weight = sample_weight

    @cached_property
    def sample_weight(self) -> FloatArray:
        """(n,) one per example; ones unless given."""
        if self._sample_weight is None:
            return np.ones(self.n_examples)
        return self._sample_weight

    @property
    def n_patterns(self) -> int:
        """Number of patterns."""
        return len(self.weights)

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return self.n_patterns if self.inverse is None else len(self.inverse)

    def without(self, patterns: BoolArray) -> Self:
        """The same rows, with some patterns of weight zero."""
        other = copy(self)
        other.weights = np.where(patterns, 0.0, self.weights)
        gone = patterns if self.inverse is None else patterns[self.inverse]
        other.__dict__["sample_weight"] = np.where(gone, 0.0, self.sample_weight)
        return other

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    @abstractmethod
    def compiled(self) -> bool:
        """Whether this input is large enough for the compiled kernels."""

    @property
    def label_columns(self) -> list[LabelColumn] | None:
        """What `corral.constraints.dense_kernels` read, if these rows are of that form."""
        return None

    @property
    def sparse_votes(self) -> tuple[IntArray, IntArray, IntArray] | None:
        """What `corral.constraints.sparse_kernels` read, if these rows are of that form."""
        return None

    @property
    def precision(self) -> np.dtype[np.floating]:
        """How precise labels need to be while a solver moves them."""
        return np.dtype(np.float64)

    @abstractmethod
    def pull(self, v: FloatArray, start: int, stop: int) -> FloatArray:
        """Sum of ``v`` times the rows, for a range of patterns: (r,) -> (n_labels, p)."""

    @abstractmethod
    def push(self, y: FloatArray, start: int, stop: int) -> FloatArray:
        """Rows times labels, over a range of patterns: (n_labels, p) -> (r,)."""

    @abstractmethod
    def coefficients(self, start: int, stop: int) -> list[Block]:
        """The rows themselves, for a range of patterns: one block per label column."""

    @abstractmethod
    def active_counts(self) -> IntArray:
        """(n_labels, p) how many rows are active at each entry."""

    @property
    def gram_cost(self) -> float:
        """Multiplications that a `gram` over all patterns takes, roughly."""
        return float(self.n_labels * self.n_rows**2 * self.n_patterns)

    def gram(
        self, d: FloatArray, g: FloatArray | None, start: int, stop: int
    ) -> FloatArray:
        """Sum of ``A_u (diag(d_u) - g_u g_u^T) A_u^T`` over a range of patterns: (r, r).

        Parameters
        ----------
        d, g : (n_labels, patterns) arrays of float
            Without `g`, only the first part.
        start, stop : int
        """
        total = np.zeros((self.n_rows, self.n_rows))
        step = max(256, GRAM_BLOCK // max(1, self.n_rows))
        for a in range(start, stop, step):
            b = min(a + step, stop)
            at = slice(a - start, b - start)
            blocks = self.coefficients(a, b)
            for (rows, block), own in zip(blocks, d[:, at], strict=True):
                total[np.ix_(rows, rows)] += weighted_gram(block, own)
            if g is not None:
                mixed = _mixed_rows(blocks, g[:, at], self.n_rows)
                total -= weighted_gram(mixed, np.ones(b - a))
        return total

    def totals(self, y: FloatArray) -> FloatArray:
        """Rows times labels, over all patterns: (n_labels, p) -> (r,)."""
        parts = [self.push(y[:, a:b], a, b) for a, b in self.ranges()]
        return np.sum(parts, axis=0)

    def ranges(self) -> list[tuple[int, int]]:
        """The patterns in blocks."""
        n, step = self.n_patterns, self.block
        return [(a, min(a + step, n)) for a in range(0, n, step)]

    def by_pattern(self, y: FloatArray) -> FloatArray:
        """Weighted mean over the examples of a pattern: (n, n_labels) -> (n_labels, p)."""
        if self.inverse is None:
            return y.T
        means = np.empty((y.shape[1], self.n_patterns))
        for mean, column in zip(means, y.T, strict=True):
            weighted = column * self.sample_weight
            mean[:] = np.bincount(self.inverse, weighted, minlength=self.n_patterns)
        means /= np.where(self.weights > 0, self.weights, 1)
        return means

    def by_example(self, y: NDArray[Any]) -> NDArray[Any]:
        """The values of every example, which are those of its pattern: (p, k) -> (n, k)."""
        return y if self.inverse is None else y.take(self.inverse, axis=0)


def weighted_gram(block: FloatArray | csr_array, weights: FloatArray) -> FloatArray:
    """``block @ diag(weights) @ block.T`` of dense or sparse rows: (rows, rows)."""
    if isinstance(block, csr_array):
        scaled = csr_array(
            (block.data * weights[block.indices], block.indices, block.indptr),
            block.shape,
        )
        return (scaled @ block.T).toarray()
    return (block * weights) @ block.T


def _mixed_rows(
    blocks: list[Block], g: FloatArray, n_rows: int
) -> FloatArray | csr_array:
    """Rows times `g`, summed over label columns: (r, patterns)."""
    if not isinstance(blocks[0][1], csr_array):
        mixed = np.zeros((n_rows, g.shape[1]))
        for (rows, block), own in zip(blocks, g, strict=True):
            mixed[rows] += block * own
        return mixed
    total = csr_array((n_rows, g.shape[1]))
    for (rows, block), own in zip(blocks, g, strict=True):
        placed = csr_array(block).multiply(own).tocoo()
        cells = placed.data, (rows[placed.row], placed.col)
        total = total + csr_array(cells, total.shape)
    return total
