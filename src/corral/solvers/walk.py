"""Labels on their way: one Adagrad step of all units and all starts at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

import numpy as np

from corral._types import FloatArray
from corral.constraints import Operator
from corral.solvers.passes import PASSES
from corral.solvers.starts import GivenStart, Start, UniformStart, runs

EPSILON = 1e-8
"""The paper's constant under Adagrad's root; `shift_kernels` has the same."""
PARALLEL_FROM = 100_000
"""Labels from which a pass is shared out to threads; below, starting them costs more."""

Range: TypeAlias = tuple[int, int]
Map: TypeAlias = Callable[[Callable[[Range], Any], Iterable[Range]], Iterable[Any]]


class Shift:
    """Three numbers a (label column, unit), and Adagrad's sum of squares.

    A label that started at ``u`` is ``clip(u + s, lo, hi)``.
    """

    def __init__(
        self, n_labels: int, n_units: int, order: Literal["C", "F"] = "C"
    ) -> None:
        shape = (n_labels, n_units)
        self.s = np.zeros(shape, order=order)
        self.lo = np.zeros(shape, order=order)
        self.hi = np.ones(shape, order=order)
        self.square = np.zeros(shape, order=order)

    @property
    def arrays(self) -> tuple[FloatArray, ...]:
        """s, lo, hi and the squares, each (n_labels, u)."""
        return self.s, self.lo, self.hi, self.square

    def advance(self, g: FloatArray, a: int, b: int, compiled: bool) -> None:
        """One step of the units from a to b."""
        parts = [x[:, a:b] for x in self.arrays]
        if compiled:
            from corral.solvers import shift_kernels

            for run in runs(g, *parts):
                shift_kernels.advance(*run)
            return
        s, lo, hi, square = parts
        square += g * g
        d = g / np.sqrt(square + EPSILON)
        s -= d
        np.clip(lo - d, 0, 1, out=lo)
        np.clip(hi - d, 0, 1, out=hi)

    def totals(self, start: Start, a: int, b: int, compiled: bool) -> FloatArray:
        """Weighted sum of the labels of the units from a to b."""
        s, lo, hi = (x[:, a:b] for x in (self.s, self.lo, self.hi))
        return start.totals(s, lo, hi, (a, b), compiled)


class Walk:
    """Every start, walking over all units.

    Parameters
    ----------
    design : Operator
    starts : list of Start
    """

    def __init__(self, design: Operator, starts: list[Start]) -> None:
        self.design = design
        self.starts = starts
        size = design.n_labels, design.n_units
        self.shifts = [Shift(*size, design.order) for _ in starts]
        self._compiled = design.compiled
        fusible = self._compiled and isinstance(starts[0], UniformStart)
        self._pass = PASSES.get(type(design)) if fusible else None

    def totals(self, each: Map) -> FloatArray:
        """``sign @ y`` of every start where it is now: (starts, r)."""
        return self._summed(each, self._totals_of)

    def step(self, multipliers: FloatArray, each: Map) -> FloatArray:
        """Take a step along ``sign.T @ multipliers``; then `totals`."""

        def work(where: Range) -> FloatArray:
            a, b = where
            if self._pass is not None:
                state = self.shifts[0].arrays
                return self._pass(self.design, state, multipliers[0], a, b)[None]
            for shift, v in zip(self.shifts, multipliers, strict=True):
                shift.advance(self.design.pull(v, a, b), a, b, self._compiled)
            return self._totals_of(where)

        return self._summed(each, work)

    def _totals_of(self, where: Range) -> FloatArray:
        a, b = where
        return np.stack(
            [
                self.design.push(shift.totals(start, a, b, self._compiled), a, b)
                for shift, start in zip(self.shifts, self.starts, strict=True)
            ]
        )

    def _summed(self, each: Map, work: Callable[[Range], FloatArray]) -> FloatArray:
        # In the order of the blocks, whatever thread was first: the same data give
        # the same bits.
        first, *others = each(work, self.design.ranges())
        for part in others:
            first += part
        return first

    def descent(self, multipliers: FloatArray, each: Map) -> FloatArray:
        """(starts,) most that a linear function with these slopes can fall in the box.

        With the gradient of a convex F it bounds ``F(y) - F*``.
        """

        def work(where: Range) -> FloatArray:
            a, b = where
            weights = self.design.weights[a:b]
            most = np.empty(len(self.starts))
            walkers = zip(self.starts, self.shifts, multipliers, strict=True)
            for at, (start, shift, v) in enumerate(walkers):
                g = self.design.pull(v, a, b)
                y = shift.totals(start, a, b, self._compiled)
                most[at] = (g * y).sum() - (np.minimum(g, 0) * weights).sum()
            return most

        return self._summed(each, work)

    def stop(self) -> None:
        """Take no more steps: the squares make room for the labels."""
        for shift in self.shifts:
            shift.square = np.empty((0, 0))

    def labels(self) -> FloatArray:
        """(n_labels, u) labels of the units, averaged over starts and examples."""
        whole = (0, self.design.n_units)
        if isinstance(self.starts[0], UniformStart):
            every = UniformStart(np.ones(self.design.n_units))
            return self.shifts[0].totals(every, *whole, self._compiled)
        weights = np.where(self.design.weights > 0, self.design.weights, 1)
        means = [
            shift.totals(start, *whole, self._compiled) / weights
            for start, shift in zip(self.starts, self.shifts, strict=True)
        ]
        # Sums of many labels are rounded, and so are those of weights.
        return np.clip(np.mean(means, axis=0), 0, 1)

    def example_labels(self) -> FloatArray | None:
        """(n, n_labels) labels of the examples, where they differ within a unit."""
        if isinstance(self.starts[0], UniformStart):
            return None
        each = [
            start.labels(shift.s, shift.lo, shift.hi)
            for start, shift in zip(self.starts, self.shifts, strict=True)
            if isinstance(start, GivenStart)
        ]
        return np.mean(each, axis=0)


@contextmanager
def mapped(design: Operator) -> Iterator[Map]:
    """`map`, over threads if a pass is large: the kernels release the lock."""
    threads = os.cpu_count() or 1
    large = design.n_units * design.n_labels >= PARALLEL_FROM
    if design.compiled and large and threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            yield pool.map
    else:
        yield map
