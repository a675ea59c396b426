"""Labels of soft signals on their way: one pass over the values per step.

The compiled form of `Walk` for large soft signals. It is as precise as the values: single
precision stays single, but for sums over many examples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.constraints import Operator
from corral.constraints.designs import ValueDesign
from corral.solvers.starts import SingleStart, Start, UniformStart
from corral.solvers.walk import Map, Range


class SoftWalk:
    """Every start, walking over all units of soft signals.

    The state is kept a (start, label column, unit). For all starts at once it is the
    three numbers and the squares of `Shift`. For explicit starts, where every unit is an
    example, the label and the squares do.

    Parameters
    ----------
    design : ValueDesign
    starts : list of Start
        Explicit ones only if units are examples.
    """

    def __init__(self, design: ValueDesign, starts: list[Start]) -> None:
        self.design = design
        self.starts = starts
        dtype = design.dtype
        # Nothing to multiply by in the common case.
        weights = design.weights[:0] if (design.weights == 1).all() else design.weights
        self._weights = weights.astype(dtype)
        given = [start.start.T for start in starts if isinstance(start, SingleStart)]
        self._expected = not given
        shape = (len(starts), design.n_labels, design.n_units)
        self._state: tuple[Any, ...]
        if given:
            self._state = np.array(given, dtype), np.zeros(shape, dtype)
        else:
            self._state = tuple(np.full(shape, x, dtype) for x in (0, 0, 1, 0))

    def totals(self, each: Map) -> FloatArray:
        """``sign @ y`` of every start where it is now: (starts, r)."""
        # A step of zero moves nothing.
        return self.step(np.zeros((len(self.starts), self.design.n_rows)), each)

    def step(self, multipliers: FloatArray, each: Map) -> FloatArray:
        """Take a step along ``sign.T @ multipliers``; then `totals`."""
        from corral.solvers import soft_kernels

        kernel: Any = soft_kernels.label_pass
        if self._expected:
            kernel = soft_kernels.expected_pass

        def work(where: Range) -> FloatArray:
            out = np.empty(multipliers.shape)
            for k, (rows, values, line) in enumerate(self.design.label_columns):
                v = np.ascontiguousarray(multipliers[:, rows], self.design.dtype)
                part = np.zeros(v.shape)
                kernel(values, line, k, v, self._weights, *self._state, *where, part)
                out[:, rows] = part
            return out

        # In the order of the ranges, whatever thread was first: the same bits.
        return np.asarray(np.sum(list(each(work, self.design.ranges())), axis=0))

    def _labels_of(self, start: int, a: int, b: int) -> Any:
        """(n_labels, b - a) labels of one start."""
        if not self._expected:
            return self._state[0][start, :, a:b]
        from corral.solvers import shift_kernels

        s, lo, hi = (x[start, :, a:b] for x in self._state[:3])
        y = np.empty_like(s)
        for k in range(len(s)):
            shift_kernels.expected(s[k], lo[k], hi[k], y[k])
        return y

    def descent(self, multipliers: FloatArray, each: Map) -> FloatArray:
        """(starts,) most that a linear function with these slopes can fall in the box."""

        def work(where: Range) -> FloatArray:
            a, b = where
            most = np.empty(len(self.starts))
            for at, v in enumerate(multipliers):
                g = self.design.pull(v, a, b)
                falls = g * self._labels_of(at, a, b) - np.minimum(g, 0)
                most[at] = (falls * self.design.weights[a:b]).sum()
            return most

        return np.asarray(np.sum(list(each(work, self.design.ranges())), axis=0))

    def stop(self) -> None:
        """Take no more steps: the squares make room for the labels."""
        self._state = self._state[:-1]

    def labels(self) -> FloatArray:
        """(n_labels, u) labels of the units, averaged over starts."""
        mean = np.zeros((self.design.n_labels, self.design.n_units))
        for start in range(len(self.starts)):
            mean += self._labels_of(start, 0, self.design.n_units)
        mean /= len(self.starts)
        return mean

    def example_labels(self) -> FloatArray | None:
        """(n, n_labels) labels of the examples, where they are not those of units."""
        return None if self._expected else self.labels().T


def fused_walk(design: Operator, starts: list[Start]) -> SoftWalk | None:
    """A `SoftWalk` if it can be taken."""
    single = isinstance(starts[0], UniformStart | SingleStart)
    if isinstance(design, ValueDesign) and design.compiled and single:
        return SoftWalk(design, starts)
    return None


def replayed(design: ValueDesign, steps: FloatArray, a: int, b: int) -> FloatArray:
    """Sum over starts of the expected labels (n_labels, b - a) after given steps.

    Parameters
    ----------
    design : ValueDesign
    steps : (starts, iterations, r) array of float
        Multipliers of the signs.
    a, b : int
        The range of units.
    """
    from corral.solvers import soft_kernels

    total = np.zeros((design.n_labels, b - a))
    for one in steps.astype(design.dtype):
        for k, (rows, values, line) in enumerate(design.label_columns):
            v = np.ascontiguousarray(one[:, rows])
            soft_kernels.replay(values, line, v, a, b, total[k])
    return total
