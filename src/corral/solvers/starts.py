"""Where the labels start: all uniform starts at once, or explicit ones.

A start knows what the labels of a pattern add up to once its three numbers
``s``, ``lo``, ``hi`` are known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import numpy as np

from corral._types import FloatArray, IntArray


def expected_label(s: FloatArray, lo: FloatArray, hi: FloatArray) -> FloatArray:
    """Mean of ``clip(u + s, lo, hi)`` over ``u`` uniform on [0, 1].

    ``hi - (F(hi - s) - F(lo - s))``, where ``F`` is the integral of the uniform
    distribution function: 0, a^2/2, a - 1/2 below, inside and above [0, 1]. Where ``s``
    is positive the last piece is never reached. Where it is negative the same is said
    from the other end, ``lo + F(1 + s - lo) - F(1 + s - hi)``. So no large numbers
    cancel, and labels at a bound are there exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.solvers.starts import expected_label
    >>> expected_label(np.array([0.0, 0.5, -2.0]), np.zeros(3), np.ones(3)).tolist()
    [0.5, 0.875, 0.0]
    """

    def integral(a: FloatArray) -> FloatArray:
        return 0.5 * np.maximum(a, 0) ** 2

    up = hi - (integral(hi - s) - integral(lo - s))
    down = lo + (integral(1 + s - lo) - integral(1 + s - hi))
    return np.clip(np.where(s > 0, up, down), lo, hi)


def runs(*arrays: FloatArray) -> Iterable[tuple[FloatArray, ...]]:
    """The entries of arrays (n_labels, units) as contiguous lines, for the kernels.

    One line in all where the label columns of a unit lie together, else one a label
    column.
    """
    if all(x.flags.f_contiguous for x in arrays):
        return [tuple(x.T.reshape(-1) for x in arrays)]
    return zip(*arrays, strict=True)


class Start(ABC):
    """Labels before the first step."""

    @abstractmethod
    def totals(
        self,
        s: FloatArray,
        lo: FloatArray,
        hi: FloatArray,
        where: tuple[int, int],
        compiled: bool,
    ) -> FloatArray:
        """Weighted sum of the labels of each unit of a range: (n_labels, units)."""


class UniformStart(Start):
    """Every start at once: the limit of many random ones. Needs no seed."""

    def __init__(self, weights: FloatArray) -> None:
        self.weights = weights

    def totals(
        self,
        s: FloatArray,
        lo: FloatArray,
        hi: FloatArray,
        where: tuple[int, int],
        compiled: bool,
    ) -> FloatArray:
        weights = self.weights[slice(*where)]
        if not compiled:
            return expected_label(s, lo, hi) * weights
        from corral.solvers import shift_kernels

        out = np.empty_like(s)
        for run in runs(s, lo, hi, out):
            shift_kernels.expected(*run)
        out *= weights
        return out


class GivenStart(Start):
    """One explicit start an example and label column.

    Parameters
    ----------
    start : (n, n_labels) array of float
    inverse : (n,) array of int
        The unit of every example.
    weights : (n,) array of float
        Sample weights.
    n_units : int
    """

    def __init__(
        self,
        start: FloatArray,
        inverse: IntArray,
        weights: FloatArray,
        n_units: int,
    ) -> None:
        self.start = start
        self.unit = unit = inverse
        self.edges = np.concatenate(
            ([0], np.cumsum(np.bincount(unit, minlength=n_units)))
        )
        # Sorted by unit and then by start, with running sums: what lies between two
        # bounds is then two look-ups instead of a pass over the examples.
        orders = [np.lexsort((column, unit)) for column in start.T]
        columns = list(zip(start.T, orders, strict=True))
        self.sorted = np.stack([column[order] for column, order in columns])
        self.weight = np.stack([weights[order] for order in orders])
        zero = np.zeros((len(columns), 1))
        self.weight_before = np.hstack([zero, np.cumsum(self.weight, axis=1)])
        moments = np.cumsum(self.weight * self.sorted, axis=1)
        self.moment_before = np.hstack([zero, moments])

    def totals(
        self,
        s: FloatArray,
        lo: FloatArray,
        hi: FloatArray,
        where: tuple[int, int],
        compiled: bool,
    ) -> FloatArray:
        first, last = where
        out = np.empty(s.shape)
        if compiled:
            from corral.solvers import shift_kernels

            for k in range(len(s)):
                shift, low, high = (np.ascontiguousarray(x[k]) for x in (s, lo, hi))
                shift_kernels.started(
                    *(shift, low, high, self.sorted[k], self.edges),
                    *(self.weight_before[k], self.moment_before[k], first, out[k]),
                )
            return out
        begin, end = self.edges[first], self.edges[last]
        sizes = np.diff(self.edges[first : last + 1])
        unit = np.repeat(np.arange(last - first), sizes)
        for k in range(len(s)):
            y = np.clip(
                self.sorted[k, begin:end] + s[k, unit], lo[k, unit], hi[k, unit]
            )
            weighted = self.weight[k, begin:end] * y
            out[k] = np.bincount(unit, weighted, minlength=last - first)
        return out

    def labels(self, s: FloatArray, lo: FloatArray, hi: FloatArray) -> FloatArray:
        """Labels of the examples: (n, n_labels)."""
        at = self.unit
        return np.clip(self.start + s[:, at].T, lo[:, at].T, hi[:, at].T)


class SingleStart(GivenStart):
    """One explicit start where every unit is an example: nothing to sort.

    Parameters
    ----------
    start : (n, n_labels) array of float
    weights : (n,) array of float
        Sample weights.
    """

    def __init__(self, start: FloatArray, weights: FloatArray) -> None:
        self.start = start
        self.weights = weights

    def totals(
        self,
        s: FloatArray,
        lo: FloatArray,
        hi: FloatArray,
        where: tuple[int, int],
        compiled: bool,  # noqa: ARG002 - large soft signals take a `SoftWalk`
    ) -> FloatArray:
        at = slice(*where)
        return np.clip(self.start[at].T + s, lo, hi) * self.weights[at]

    def labels(self, s: FloatArray, lo: FloatArray, hi: FloatArray) -> FloatArray:
        return np.clip(self.start + s.T, lo.T, hi.T)
