"""Labels on their way: one Adagrad step of all units and all starts at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from corral._types import FloatArray
from corral.constraints import Design
from corral.constraints.designs import ValueDesign, VoteDesign
from corral.solvers.starts import GivenStart, SingleStart, Start, UniformStart

EPSILON = 1e-8
"""The paper's constant under Adagrad's root; `shift_kernels` has the same."""
PARALLEL_FROM = 100_000
"""Units from which a pass is shared out to threads; below, starting them costs more."""

Range: TypeAlias = tuple[int, int]
Map: TypeAlias = Callable[[Callable[[Range], Any], Iterable[Range]], Iterable[Any]]


class Shift:
    """Three numbers a (label column, unit), and Adagrad's sum of squares.

    A label that started at ``u`` is ``clip(u + s, lo, hi)``.

    Parameters
    ----------
    s, lo, hi, square : (n_labels, u) arrays of float
        Changed in place.
    """

    def __init__(self, s: Any, lo: Any, hi: Any, square: Any) -> None:
        self.s, self.lo, self.hi, self.square = s, lo, hi, square

    @classmethod
    def unmoved(cls, shape: tuple[int, ...], dtype: Any = np.float64) -> Shift:
        """The state before the first step."""
        s, lo, hi, square = (np.full(shape, x, dtype) for x in (0, 0, 1, 0))
        return cls(s, lo, hi, square)

    def of(self, start: int) -> Shift:
        """That of one start, of a state with a first axis of starts."""
        s, lo, hi, square = (x[start] for x in vars(self).values())
        return Shift(s, lo, hi, square)

    def advance(self, g: FloatArray, a: int, b: int, compiled: bool) -> None:
        """One step of the units from a to b."""
        parts = [x[:, a:b] for x in (self.s, self.lo, self.hi, self.square)]
        if compiled:
            from corral.solvers import shift_kernels

            for k in range(len(g)):
                shift_kernels.advance(g[k], *(x[k] for x in parts))
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
    design : Design
    starts : list of Start
    """

    def __init__(self, design: Design, starts: list[Start]) -> None:
        self.design = design
        self.starts = starts
        self._compiled = design.compiled
        self._fused: Callable[[FloatArray, int, int], FloatArray] | None = None
        dtype: Any = np.float64
        single = not isinstance(starts[0], GivenStart)
        if design.compiled and isinstance(design, ValueDesign) and single:
            self._fused, dtype = self._soft_pass, design.dtype
            self._prepare_soft(dtype)
        elif design.compiled and isinstance(design, VoteDesign) and single:
            self._fused = self._vote_pass
        shape = (len(starts), design.n_labels, design.n_units)
        self._state = Shift.unmoved(shape, dtype)
        self.shifts = [self._state.of(i) for i in range(len(starts))]

    def totals(self, each: Map) -> FloatArray:
        """``sign @ y`` of every start where it is now: (starts, r)."""
        if self._fused is not None:  # a step of zero moves nothing
            return self.step(np.zeros((len(self.starts), self.design.n_rows)), each)
        return self._summed(each, self._totals_of)

    def step(self, multipliers: FloatArray, each: Map) -> FloatArray:
        """Take a step along ``sign.T @ multipliers``; then `totals`."""

        def work(where: Range) -> FloatArray:
            a, b = where
            if self._fused is not None:
                return self._fused(multipliers, a, b)
            for shift, v in zip(self.shifts, multipliers, strict=True):
                shift.advance(self.design.pull(v, a, b), a, b, self._compiled)
            return self._totals_of(where)

        return self._summed(each, work)

    def _totals_of(self, where: Range) -> FloatArray:
        a, b = where
        each = zip(self.shifts, self.starts, strict=True)
        labels = [shift.totals(start, a, b, self._compiled) for shift, start in each]
        return np.array([self.design.push(y, a, b) for y in labels])

    def _summed(self, each: Map, work: Callable[[Range], FloatArray]) -> FloatArray:
        # In the order of the blocks, whatever thread was first: the same data give
        # the same bits.
        parts = list(each(work, self.design.ranges()))
        return np.asarray(parts[0] if len(parts) == 1 else np.sum(parts, axis=0))

    def _vote_pass(self, multipliers: FloatArray, a: int, b: int) -> FloatArray:
        """One compiled call a range: expected labels of vote patterns."""
        from corral.solvers import shift_kernels

        design: Any = self.design
        shift = self.shifts[0]
        out = np.empty(multipliers.shape)
        shift_kernels.vote_pass(
            *(design.columns, design.column, design.hit, design.label, multipliers[0]),
            *(design.weights, shift.s, shift.lo, shift.hi, shift.square, a, b, out[0]),
        )
        return out

    def _prepare_soft(self, dtype: Any) -> None:
        """Starts and weights as the kernel reads them; empty where there is no need."""
        weights = self.design.weights
        self._weights = weights[:0] if (weights == 1).all() else weights
        self._weights = self._weights.astype(dtype)
        self._began = np.empty((0, 0, 0), dtype)
        if isinstance(self.starts[0], SingleStart):
            began = [start.start.T for start in self.starts]  # type: ignore[attr-defined]
            self._began = np.array(began, dtype)

    def _soft_pass(self, multipliers: FloatArray, a: int, b: int) -> FloatArray:
        """One compiled call a range and label column: all starts of soft signals."""
        from corral.solvers import soft_kernels

        design: Any = self.design
        state = self._state
        out = np.empty(multipliers.shape)
        for k, (rows, values, line) in enumerate(design.columns):
            v = np.ascontiguousarray(multipliers[:, rows], design.dtype)
            part = np.empty(v.shape)
            soft_kernels.soft_pass(
                *(values, line, k, v, self._began, self._weights),
                *(state.s, state.lo, state.hi, state.square, a, b, part),
            )
            out[:, rows] = part
        return out

    def descent(self, multipliers: FloatArray, each: Map) -> FloatArray:
        """(starts,) most that a linear function with these slopes can fall in the box.

        With the gradient of a convex F it bounds ``F(y) - F*``.
        """

        def work(where: Range) -> FloatArray:
            a, b = where
            weights = self.design.weights[a:b]
            most = np.empty(len(self.starts))
            for at, (start, shift) in enumerate(
                zip(self.starts, self.shifts, strict=True)
            ):
                g = self.design.pull(multipliers[at], a, b)
                y = shift.totals(start, a, b, self._compiled)
                most[at] = (g * y).sum() - (np.minimum(g, 0) * weights).sum()
            return most

        return self._summed(each, work)

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
        return np.mean(means, axis=0)

    def example_labels(self) -> FloatArray | None:
        """(n, n_labels) labels of the examples, where they differ within a unit."""
        each = [
            start.labels(shift.s, shift.lo, shift.hi)
            for start, shift in zip(self.starts, self.shifts, strict=True)
        ]
        known = [labels for labels in each if labels is not None]
        return np.mean(known, axis=0) if known else None


def replay(design: Design, steps: FloatArray, a: int, b: int) -> FloatArray:
    """Expected labels (n_labels, b - a) of some units after given steps.

    Parameters
    ----------
    design : Design
    steps : (starts, iterations, r) array of float
        Multipliers of the signs; the labels are averaged over the starts.
    a, b : int
        The range of units.
    """
    mean = np.zeros((design.n_labels, b - a))
    if design.compiled and isinstance(design, ValueDesign):
        from corral.solvers import soft_kernels

        for one in steps.astype(design.dtype):
            for k, (rows, values, line) in enumerate(design.columns):
                moves = np.ascontiguousarray(one[:, rows])
                soft_kernels.soft_replay(values, line, moves, a, b, mean[k])
        return mean / len(steps)
    every = UniformStart(np.ones(b - a))
    for one in steps:
        shift = Shift.unmoved(mean.shape)
        for v in one:
            shift.advance(design.pull(v, a, b), 0, b - a, design.compiled)
        mean += shift.totals(every, 0, b - a, design.compiled)
    return mean / len(steps)


@contextmanager
def mapped(design: Design) -> Iterator[Map]:
    """`map`, over threads if a pass is large: the kernels release the lock."""
    threads = os.cpu_count() or 1
    if design.compiled and design.n_units >= PARALLEL_FROM and threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            yield pool.map
    else:
        yield map
