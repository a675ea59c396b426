"""The paper's Algorithm 1: projected Adagrad, on patterns.

Minimise ``||A y - c||^2`` over the box from uniform random starts:
``g = 2 A^T (A y - c)``, ``G += g^2``, ``y = clip(y - g / sqrt(G + 1e-8), 0, 1)``.

All examples of a pattern see the same ``g`` and ``G``, and a shift followed by a clip
composes with another into one of the same form, so after any number of steps

    y[j] = clip(start[j] + s, lo, hi)

with three numbers per pattern. Their mean over uniform starts is known in closed form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import methodcaller
from typing import Any, ClassVar, Literal

import numpy as np

from corral._types import FloatArray
from corral.checks import check_choice, check_flag, check_positive, check_share
from corral.constraints import LabelSpace, Operator
from corral.errors import ConvergenceWarning, ParameterError, warn_user
from corral.progress import progress
from corral.solvers.moving_labels import (
    EPSILON,
    MovingLabels,
    collect_labels,
    start_labels,
)
from corral.solvers.solution import (
    TOLERANCE,
    Keeps,
    Solution,
    Status,
    pattern_rows,
    status_of,
)
from corral.solvers.threads import open_threads

ROOM = 256
"""Steps for which there is room at first; few fits take more."""
MOST_KEPT = 1 << 29
"""Numbers that a fit may keep, one per step, start and constraint: 4 GB."""


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

    def labels(self, design: Operator) -> FloatArray:
        """Expected labels (n_labels, p) of any patterns with these rows."""
        mean = np.empty((design.n_labels, design.n_patterns), order=design.order)

        def walk(where: tuple[int, int]) -> None:
            part = MovingLabels(design, *where, len(self.steps))
            part.advance(self.steps)
            mean[:, slice(*where)] = part.labels()

        ranges = design.ranges()
        with progress("labeling", len(ranges)) as bar, open_threads(design) as each:
            for _ in each(walk, ranges):
                bar.advance()
        return mean

    def contributions(self, design: Operator, pattern: int) -> FloatArray:
        """How far every row moved the labels of a pattern, before clipping."""
        a = pattern_rows(design, pattern)
        moved = np.zeros(a.shape)
        for steps in self.steps:
            square = np.zeros(design.n_labels)
            for v in steps:
                g = v @ a
                square += g * g
                moved -= a * v[:, None] / np.sqrt(square + EPSILON)
        return moved / len(self.steps)


@dataclass(frozen=True, eq=False)
class Adagrad:
    """The paper's solver.

    Parameters
    ----------
    iterations : int
        Steps; the paper takes 200, its code 300 (see `paper`).
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
        What an entry (example, class) that no signal votes on gets: its share of
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

    joint: ClassVar[bool] = False
    takes_bounds: ClassVar[bool] = False

    @property
    def advice(self) -> str:
        """What to do if a solve did not converge."""
        return (
            "Allow the solver more, e.g. `iterations=1000`, or "
            "`scale_free=True` for large data"
        )

    @classmethod
    def paper(cls) -> Adagrad:
        """What the published code does: 300 steps from one random start.

        Entries that no signal speaks of keep their start. The paper speaks of 200 steps,
        and of the mean of three starts; its code takes 300, and draws one start that it
        uses three times. Of the labels of TREC-6 1.5% differ between 200 and 300 steps.

        So ``labels_`` hold random starts. `predict_proba` labels any votes, which have no
        start, by the mean over all: there an entry that no signal speaks of is one half.
        """
        return cls(iterations=300, starts=1, uncovered_entries="start")

    @property
    def is_expected(self) -> bool:
        """Whether starts are averaged in closed form."""
        return isinstance(self.starts, str)

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        check_positive("iterations", self.iterations)
        if isinstance(self.starts, str):
            if self.starts != "expected":
                raise ParameterError(
                    'starts must be "expected", a number of starts or an array; '
                    f"{self.starts!r} was given."
                )
        elif np.ndim(self.starts) == 0:
            check_positive("starts", self.starts)
        check_choice("rows", self.rows, ("normalised", "raw"))
        check_choice("uncovered_entries", self.uncovered_entries, ("share", "start"))
        check_flag("scale_free", self.scale_free)
        if self.tolerance is not None:
            check_share("tolerance", self.tolerance, "between 0 and 1")

    def solve(self, space: LabelSpace, rng: np.random.Generator) -> Solution:
        """Find labels in a space."""
        size, weight = space.rows.size, self._row_weight(space)
        # From residuals to multipliers of the signs: the gradient of F, by row.
        scale = 2 * weight**2 / size
        stretch = space.design.weights.sum() if self.scale_free else 1.0
        tolerance = TOLERANCE if self.tolerance is None else self.tolerance
        parts = start_labels(space.design, self._starts(space.design, rng))
        n_starts = len(parts[0].arrays[0])
        # Not a list: putting it together would hold the largest part of a fit twice.
        taken = self._make_room(min(self.iterations + 1, ROOM), n_starts, len(size))
        # Not refused once there are labels: those of fewer steps are better than none.
        most = min(self.iterations, MOST_KEPT // max(1, n_starts * len(size)) - 1)
        with (
            progress("solving", most) as bar,
            open_threads(space.design) as each,
        ):

            def over(work: Callable[[MovingLabels], FloatArray]) -> FloatArray:
                # In the order of the parts, whatever thread was first: the same data
                # give the same bits.
                return np.asarray(sum(each(work, parts)))

            # A step of zero moves nothing.
            totals = over(methodcaller("step", np.zeros(taken.shape[1:])))
            for t in range(most + 1):
                if t == len(taken):
                    more = np.empty((min(t, most + 1 - t), *taken.shape[1:]))
                    taken = np.concatenate([taken, more])
                taken[t] = totals / size - space.c
                slopes = taken[t] * scale
                last = t == most
                if last or self.tolerance is not None:
                    falls = over(methodcaller("descent", slopes))
                    gap = _gap_of_mean(taken[t], weight, falls / (weight @ weight))
                    if last or gap <= tolerance**2:
                        break
                totals = over(methodcaller("step", slopes * stretch))
                bar.advance()
        reached = self.tolerance is not None and gap <= tolerance**2
        if t == most < self.iterations and not reached:
            warn_user(
                f"Adagrad stopped after {t:,} of {self.iterations:,} steps: it keeps a "
                f"number per step, start and constraint, and at most {MOST_KEPT:.2g} "
                f"({8 * MOST_KEPT / 1e9:.3g} GB). More iterations change nothing; take "
                "fewer starts or constraints, or another solver.",
                ConvergenceWarning,
            )
        labels, example_labels = collect_labels(space.design, parts)
        every = taken[: t + 1]
        means = every[:, 0] if n_starts == 1 else every.mean(axis=1)
        history = _mean_square(means, weight)
        residual = every[-1].mean(axis=0)
        steps = every[:-1]
        steps *= scale
        steps *= stretch
        status = status_of(residual, float(history[-1]), gap, tolerance)
        return Solution(
            labels=labels,
            example_labels=example_labels,
            status=status if gap <= tolerance**2 else Status.NOT_CONVERGED,
            iterations=t,
            residual=residual,
            implied_error_rates=space.rates + residual,
            excess=float(np.sqrt(gap)),
            tolerance=tolerance,
            history=np.sqrt(history),
            rows_used=space.design.n_examples,
            model=Trajectory(steps.swapaxes(0, 1)),
            gap=gap,
        )

    @staticmethod
    def _make_room(steps: int, starts: int, constraints: int) -> FloatArray:
        """(steps, starts, constraints) for residuals; refused if that is too much."""
        numbers = steps * starts * constraints
        if numbers > MOST_KEPT:
            raise ParameterError(
                f"Adagrad keeps a number per step, start and constraint: {numbers:.2g} "
                f"({8 * numbers / 1e9:.3g} GB) for {steps} steps; at most "
                f"{MOST_KEPT:.2g} are kept. "
                "Rates have a constraint per signal and class: give "
                "constraints=[ErrorRate(equal=...)], one per signal, with another solver, "
                "or take a labeler that counts votes, such as OneCoinDawidSkene."
            )
        return np.empty((steps, starts, constraints))

    def _row_weight(self, space: LabelSpace) -> FloatArray:
        """How much a row counts; residuals are in units of an error rate throughout."""
        base = 1.0 if self.rows == "normalised" else space.rows.size
        return np.sqrt(space.row_weight) * base

    @property
    def keeps(self) -> Keeps:
        """Which entries keep the solver's label; the others share what is left."""
        return "entries" if self.uncovered_entries == "share" else "all"

    def _starts(self, design: Operator, rng: np.random.Generator) -> FloatArray | None:
        """(starts, n, n_labels) explicit starts; None for all uniform ones at once."""
        if self.is_expected:
            return None
        n = design.n_examples
        if np.ndim(self.starts) == 0:
            return rng.random((int(self.starts), n, design.n_labels))
        try:
            given = np.asarray(self.starts, float)
        except (TypeError, ValueError) as error:
            raise ParameterError("starts must be numbers between 0 and 1.") from error
        given = given[:, None] if given.ndim == 1 else given
        given = given[None] if given.ndim == 2 else given
        if given.shape[1:] != (n, design.n_labels) or not len(given):
            raise ParameterError(
                f"starts must have the shape (starts, {n}, {design.n_labels}) or "
                f"({n}, {design.n_labels}); {np.shape(self.starts)} was given."
            )
        if not ((given >= 0) & (given <= 1)).all():
            raise ParameterError("starts must be between 0 and 1.")
        return given


def _mean_square(residual: FloatArray, weight: FloatArray) -> FloatArray:
    """Weighted mean over the rows, the last axis."""
    squares = np.einsum("...r,...r,r->...", residual, residual, weight * weight)
    return squares / (weight @ weight)


def _gap_of_mean(residuals: FloatArray, weight: FloatArray, gaps: FloatArray) -> float:
    """Gap of the labels averaged over starts: their F less the best bound on F*."""
    own = _mean_square(residuals.mean(axis=0), weight)
    lower = (_mean_square(residuals, weight) - gaps).max()
    return float(max(0.0, own - max(0.0, lower)))
