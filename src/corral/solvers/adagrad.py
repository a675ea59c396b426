"""The paper's Algorithm 1: projected Adagrad, on patterns.

Minimise ``||A y - c||^2`` over the box from uniform random starts:
``g = 2 A^T (A y - c)``, ``G += g^2``, ``y = clip(y - g / sqrt(G + 1e-8), 0, 1)``.

All examples of a pattern see the same ``g`` and ``G``, and a shift followed by a clip
composes with another into one of the same form, so after any number of steps

    y[j] = clip(start[j] + s, lo, hi)

with three numbers a pattern. Their mean over uniform starts is known in closed form.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from corral.constraints import Design, LabelSpace
from corral.constraints.designs import VoteDesign
from corral.errors import ParameterError
from corral.patterns import BoolArray, FloatArray
from corral.progress import progress
from corral.solvers.base import TOLERANCE, Solution, status_of
from corral.solvers.starts import GivenStart, Start, UniformStart

PARALLEL_FROM = 100_000
"""Units from which a pass is shared out to threads; below, starting them costs more."""


class _Shift:
    """The three numbers a (label column, unit), and Adagrad's sum of squares."""

    def __init__(self, n_labels: int, n_units: int) -> None:
        self.s = np.zeros((n_labels, n_units))
        self.lo = np.zeros((n_labels, n_units))
        self.hi = np.ones((n_labels, n_units))
        self.square = np.zeros((n_labels, n_units))

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
        d = g / np.sqrt(square + 1e-8)
        s -= d
        np.clip(lo - d, 0, 1, out=lo)
        np.clip(hi - d, 0, 1, out=hi)

    def totals(self, start: Start, a: int, b: int, compiled: bool) -> FloatArray:
        """Weighted sum of the labels of the units from a to b."""
        s, lo, hi = (x[:, a:b] for x in (self.s, self.lo, self.hi))
        return start.totals(s, lo, hi, (a, b), compiled)


@dataclass(frozen=True)
class Trajectory:
    """What a fit keeps: the row multipliers of every step of every start.

    They are all that a pattern's path depends on, so any votes, seen or not, are
    labelled by walking it again.

    Attributes
    ----------
    steps : (starts, iterations, r) array of float
        ``2 (A y - c) / n_r`` (times what `Adagrad` scales rows by).
    """

    steps: FloatArray

    def labels(self, design: Design) -> FloatArray:
        """Expected labels (n_labels, u) of any units with these rows."""
        mean = np.zeros((design.n_labels, design.n_units))
        compiled = design.compiled

        def walk(where: tuple[int, int]) -> None:
            a, b = where
            every = UniformStart(np.ones(b - a))
            for steps in self.steps:
                shift = _Shift(design.n_labels, b - a)
                for v in steps:
                    shift.advance(design.pull(v, a, b), 0, b - a, compiled)
                mean[:, a:b] += shift.totals(every, 0, b - a, compiled)

        ranges = design.ranges()
        with progress("labeling", len(ranges)) as bar, _mapper(design) as each:
            for _ in each(walk, ranges):
                bar.advance()
        return mean / len(self.steps)

    def contributions(self, design: Design, unit: int) -> FloatArray:
        """How far every row moved the label of a unit, before clipping: (r,)."""
        signs = design.signs(unit, unit + 1)[:, 0]
        moved = np.zeros(len(signs))
        for steps in self.steps:
            square = np.zeros(design.n_labels)
            for v in steps:
                g = np.bincount(design.label, signs * v, minlength=design.n_labels)
                square += g * g
                moved -= signs * v / np.sqrt(square + 1e-8)[design.label]
        return moved / len(self.steps)


@dataclass(frozen=True, eq=False)
class Adagrad:
    """The paper's solver.

    Parameters
    ----------
    iterations : int
        Steps; the paper takes 200.
    starts : "expected", int or array
        "expected": the mean over all uniform starts in closed form, no seed needed.
        A number: that many random starts, averaged. An array (n,), (n, n_labels) or
        (starts, n, n_labels): these starts.
    scale_free : bool
        Take gradients in units of one example, so that Adagrad's constant 1e-8 does
        not damp the steps of large data. Better for sparse votes on many rows.
    rows : "normalised" or "raw"
        Whether every signal weighs the same, or as the square of its coverage (the
        paper's formula; its code and its results have normalised rows).
    tolerance : float, optional
        Stop early once the root mean square residual is certified to be within this
        of the least possible, in units of an error rate. Default: take all steps, and
        call it converged within 0.01.
    uncovered_entries : "share" or "start"
        What an entry (example, class) that no signal speaks of gets: its share of
        what the others leave, or its start as in the published code.

    Examples
    --------
    >>> import numpy as np
    >>> from corral import Adagrad, ConstrainedLabeler
    >>> votes = [[1, -1], [1, 1], [0, 0], [-1, 0]]
    >>> labeler = ConstrainedLabeler(error_rates=0.25, solver=Adagrad())
    >>> labeler.fit(votes).predict_proba(votes)[:, 1].round(2).tolist()
    [0.75, 0.75, 0.25, 0.25]
    """

    iterations: int = 200
    starts: Any = "expected"
    scale_free: bool = False
    rows: Literal["normalised", "raw"] = "normalised"
    tolerance: float | None = None
    uncovered_entries: Literal["share", "start"] = "share"

    @classmethod
    def paper(cls) -> Adagrad:
        """What the published code does: one random start, kept where uncovered.

        The paper speaks of the mean of three starts; its code draws one and uses it
        three times.
        """
        return cls(starts=1, uncovered_entries="start")

    @property
    def is_expected(self) -> bool:
        """Whether starts are averaged in closed form."""
        return isinstance(self.starts, str)

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        _check_integer("iterations", self.iterations)
        if isinstance(self.starts, str):
            if self.starts != "expected":
                raise ParameterError(
                    'starts must be "expected", a number of starts or an array; '
                    f"{self.starts!r} was given."
                )
        elif np.ndim(self.starts) == 0:
            _check_integer("starts", self.starts)
        if self.rows not in ("normalised", "raw"):
            raise ParameterError(
                f'rows must be "normalised" or "raw"; {self.rows!r} was given.'
            )
        if self.uncovered_entries not in ("share", "start"):
            raise ParameterError(
                'uncovered_entries must be "share" or "start"; '
                f"{self.uncovered_entries!r} was given."
            )
        if self.tolerance is not None and not 0 < self.tolerance < 1:
            raise ParameterError(
                f"tolerance must be between 0 and 1; {self.tolerance!r} was given."
            )

    def solve(
        self, space: LabelSpace, rng: np.random.Generator, rows_used: int
    ) -> Solution:
        """Find labels in a space; `rows_used` is only reported."""
        design, size, c = space.design, space.rows.size, space.c
        compiled = design.compiled
        starts = self._starts(design, rng)
        shifts = [_Shift(design.n_labels, design.n_units) for _ in starts]
        # Row weights: residuals are in units of an error rate throughout.
        row_weight = np.ones(len(size)) if self.rows == "normalised" else size
        total_weight = float(row_weight @ row_weight)
        scale = 2 * row_weight**2 / size
        if self.scale_free:
            scale = scale * design.weights.sum()
        steps = np.empty((len(starts), self.iterations, len(size)))
        history = []
        check_each = self.tolerance is not None
        tolerance = TOLERANCE if self.tolerance is None else self.tolerance

        def sums(where: tuple[int, int]) -> list[FloatArray]:
            a, b = where
            return [
                design.push(shift.totals(start, a, b, compiled), a, b)
                for shift, start in zip(shifts, starts, strict=True)
            ]

        def step(where: tuple[int, int]) -> list[FloatArray]:
            a, b = where
            if compiled and self.is_expected and isinstance(design, VoteDesign):
                return [_vote_pass(design, multipliers[0], shifts[0], a, b)]
            for shift, v in zip(shifts, multipliers, strict=True):
                shift.advance(design.pull(v, a, b), a, b, compiled)
            return sums(where)

        with progress("solving", self.iterations) as bar, _mapper(design) as each:
            work: Any = sums
            for t in range(self.iterations + 1):
                # The sum runs in the order of the blocks whatever thread was first,
                # so that the same data give the same bits.
                totals = np.sum(list(each(work, design.ranges())), axis=0)
                residuals = totals / size - c
                history.append(_mean_square(residuals.mean(axis=0), row_weight))
                multipliers = residuals * scale
                work = step
                if check_each or t == self.iterations:
                    gaps = [
                        self._gap(design, start, shift, v) / total_weight
                        for start, shift, v in zip(
                            starts, shifts, multipliers, strict=True
                        )
                    ]
                    gap = _gap_of_mean(history[-1], residuals, row_weight, gaps)
                    if gap <= tolerance**2:
                        break
                if t < self.iterations:
                    steps[:, t] = multipliers
                    bar.advance()
        residual = residuals.mean(axis=0)
        labels, example_labels = self._labels(design, starts, shifts)
        return Solution(
            labels=labels,
            example_labels=example_labels,
            status=status_of(history[-1], gap, tolerance),
            iterations=t,
            residual=residual,
            implied_error_rates=space.rates + residual,
            excess=float(np.sqrt(gap)),
            tolerance=tolerance,
            history=np.sqrt(history),
            rows_used=rows_used,
            state=Trajectory(steps[:, :t].copy() if t < self.iterations else steps),
        )

    def keeps(self, covered: BoolArray) -> BoolArray:
        """Which entries keep the solver's label; the others share what is left."""
        return covered if self.uncovered_entries == "share" else np.ones_like(covered)

    def _starts(self, design: Design, rng: np.random.Generator) -> list[Start]:
        if self.is_expected:
            return [UniformStart(design.weights)]
        n = design.n_units if design.inverse is None else len(design.inverse)
        if np.ndim(self.starts) == 0:
            given = rng.random((int(self.starts), n, design.n_labels))
        else:
            given = np.asarray(self.starts, float)
            given = given[:, None] if given.ndim == 1 else given
            given = given[None] if given.ndim == 2 else given
            if given.shape[1:] != (n, design.n_labels):
                raise ParameterError(
                    f"starts must have the shape (starts, {n}, {design.n_labels}) or "
                    f"({n}, {design.n_labels}); {np.shape(self.starts)} was given."
                )
            if not ((given >= 0) & (given <= 1)).all():
                raise ParameterError("starts must be between 0 and 1.")
        return [
            GivenStart(start, design.inverse, design.sample_weight, design.n_units)
            for start in given
        ]

    def _gap(self, design: Design, start: Start, shift: _Shift, v: FloatArray) -> float:
        """Certified ``F(y) - F*``: the most that a linear model of F can fall."""
        gap = 0.0
        for a, b in design.ranges():
            g = design.pull(v, a, b)
            total = shift.totals(start, a, b, design.compiled)
            gap += float((g * total).sum())
            gap -= float((np.minimum(g, 0) * design.weights[a:b]).sum())
        return gap / (design.weights.sum() if self.scale_free else 1.0)

    def _labels(
        self, design: Design, starts: list[Start], shifts: list[_Shift]
    ) -> tuple[FloatArray, FloatArray | None]:
        whole = (0, design.n_units)
        if self.is_expected:
            every = UniformStart(np.ones(design.n_units))
            return shifts[0].totals(every, *whole, design.compiled), None
        weights = np.where(design.weights > 0, design.weights, 1)
        means = [
            shift.totals(start, *whole, design.compiled) / weights
            for start, shift in zip(starts, shifts, strict=True)
        ]
        each = [
            start.labels(shift.s, shift.lo, shift.hi)
            for start, shift in zip(starts, shifts, strict=True)
            if isinstance(start, GivenStart)
        ]
        return np.mean(means, axis=0), np.mean(each, axis=0)


def _vote_pass(
    design: VoteDesign, v: FloatArray, shift: _Shift, a: int, b: int
) -> FloatArray:
    """The common case in one compiled call: expected labels of vote patterns."""
    from corral.solvers import shift_kernels

    out = np.empty(design.n_rows)
    shift_kernels.vote_pass(
        *(design.columns, design.column, design.hit, design.label, v, design.weights),
        *(shift.s, shift.lo, shift.hi, shift.square, a, b, out),
    )
    return out


def _check_integer(name: str, value: Any) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise ParameterError(f"{name} must be a positive integer; {value!r} was given.")


def _mean_square(residual: FloatArray, weight: FloatArray) -> float:
    return float(((weight * residual) ** 2).sum() / (weight**2).sum())


def _gap_of_mean(
    mean_square: float, residuals: FloatArray, weight: FloatArray, gaps: list[float]
) -> float:
    """Gap of the averaged labels: their own F less the best lower bound on F*."""
    pairs = zip(residuals, gaps, strict=True)
    lower = max(_mean_square(r, weight) - gap for r, gap in pairs)
    return max(0.0, mean_square - max(0.0, lower))


@contextmanager
def _mapper(design: Design) -> Iterator[Any]:
    """`map`, over threads if the pass is large: the kernels release the lock."""
    threads = os.cpu_count() or 1
    parallel = design.compiled and design.n_units >= PARALLEL_FROM and threads > 1
    pool: Any = ThreadPoolExecutor(threads) if parallel else nullcontext()
    with pool as executor:
        yield map if executor is None else executor.map
