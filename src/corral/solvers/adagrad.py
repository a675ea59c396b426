"""The paper's Algorithm 1: projected Adagrad, on distinct rows of votes.

Minimise ``||A y - c||^2`` over the box from uniform random starts:
``g = 2 A^T (A y - c)``, ``G += g^2``, ``y = clip(y - g / sqrt(G + 1e-8), 0, 1)``.

All examples with the same votes see the same ``g`` and ``G``, and a shift followed by a
clip composes with another into one of the same form, so after any number of steps

    y[j] = clip(start[j] + s, lo, hi)

with three numbers per distinct row. Their mean over uniform starts is known in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.sparse import csr_array

from corral._types import BoolArray, FloatArray
from corral.checks import check_choice, check_flag, check_positive
from corral.constraints import System
from corral.model import Contributions, Link, hear, share_out
from corral.progress import progress
from corral.solvers.dual import DualProblem, Half
from corral.solvers.solution import TOLERANCE, Solution, Status, status_of
from corral.votes import WeakSignals

EPSILON = 1e-8
"""The paper's constant under Adagrad's root."""
MIN_COMPILED_LABELS = 20_000
"""Labels from which the compiled step pays for loading it."""


def expected_label(s: FloatArray, lo: FloatArray, hi: FloatArray) -> FloatArray:
    """Mean of ``clip(u + s, lo, hi)`` over ``u`` uniform on [0, 1].

    From the nearer end, so that no large numbers cancel: labels at a bound are there
    exactly.
    """
    up = hi - 0.5 * (np.maximum(hi - s, 0) ** 2 - np.maximum(lo - s, 0) ** 2)
    below, above = np.maximum(1 + s - hi, 0), np.maximum(1 + s - lo, 0)
    return np.clip(np.where(s > 0, up, lo + 0.5 * (above**2 - below**2)), lo, hi)


class _ExpectedLabels:
    """Labels (u, n_labels) in the mean over all uniform starts: no seed is needed."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.s, self.square = np.zeros(shape), np.zeros(shape)
        self.lo, self.hi = np.zeros(shape), np.ones(shape)
        self.y = np.full(shape, 0.5)
        self._compiled = shape[0] * shape[1] >= MIN_COMPILED_LABELS

    def step(self, g: FloatArray) -> None:
        """Move along the gradient (u, n_labels)."""
        if self._compiled:
            from corral.solvers import kernels

            arrays = (g, self.s, self.lo, self.hi, self.square, self.y)
            kernels.step(*(x.reshape(-1) for x in arrays))
            return
        self.square += g * g
        d = g / np.sqrt(self.square + EPSILON)
        self.s -= d
        np.clip(self.lo - d, 0, 1, out=self.lo)
        np.clip(self.hi - d, 0, 1, out=self.hi)
        self.y = expected_label(self.s, self.lo, self.hi)


class _DrawnLabels:
    """Labels (n, n_labels) from one drawn start, every row an example."""

    def __init__(self, start: FloatArray) -> None:
        self.y, self.square = start.copy(), np.zeros(start.shape)

    def step(self, g: FloatArray) -> None:
        """Move along the gradient (n, n_labels)."""
        self.square += g * g
        np.clip(self.y - g / np.sqrt(self.square + EPSILON), 0, 1, out=self.y)


@dataclass(frozen=True, eq=False)
class AdagradSteps:
    """The record of the steps: it labels any votes by walking their path again."""

    steps: FloatArray  # (starts, iterations, r) multipliers of the rows in every step
    rows: csr_array  # (r, g * n_labels) as `R` of `corral.constraints.System`
    n_labels: int
    prior: FloatArray  # (k,) labels where no signal votes
    multilabel: bool = False
    keeps_all: bool = False  # whether entries without votes keep their mean start
    voice: FloatArray | None = None  # (f,) one for the votes that were heard in the fit

    def labels(self, signals: WeakSignals) -> FloatArray:
        """(n, k) probabilities, one row per example."""
        return self.row_labels(signals).take(signals.row_of, axis=0)

    def row_labels(self, signals: WeakSignals) -> FloatArray:
        """(u, k) probabilities, one row per distinct row."""
        signals = hear(signals, self.voice)
        shape = (signals.n_rows, self.n_labels)
        total, extra = np.zeros(shape), self._extra(signals)
        f = signals.schema.n_features
        with progress("labeling", self.steps[..., 0].size) as bar:
            for steps in self.steps:
                moving = _ExpectedLabels(shape)
                for v in steps:
                    W = (self.rows.T @ v).reshape(-1, self.n_labels)
                    moving.step(signals.matrix.times(W[:f]) + extra @ W[f:])
                    bar.advance()
                total += moving.y
        return self.finish(total / len(self.steps), signals.entries_voted())

    def finish(self, y: FloatArray, voted: BoolArray) -> FloatArray:
        """(u, k) class probabilities of label columns (u, n_labels)."""
        labels = np.column_stack([1 - y, y]) if self.n_labels == 1 else y
        kept = voted | self.keeps_all
        if self.multilabel:
            return np.where(kept, labels, self.prior)
        return share_out(labels, kept, self.prior)

    def _extra(self, signals: WeakSignals) -> FloatArray:
        """(u, e) features after those of the signals; no row is in a group."""
        more = self.rows.shape[1] // self.n_labels - signals.schema.n_features
        extra = np.zeros((signals.n_rows, more))
        extra[:, :1], extra[:, 1:2] = 1, signals.covered_rows[:, None]
        return extra

    def contributions(self, one: WeakSignals) -> Contributions:
        """How far every signal moved the labels over all steps, before clipping."""
        one = hear(one, self.voice)
        at, data, f = one.F.indices, one.F.data, one.schema.n_features
        extra = self._extra(one)[0]
        moves = np.zeros((one.n_signals + 1, self.n_labels))
        for steps in self.steps:
            square = np.zeros(self.n_labels)
            for v in steps:
                W = (self.rows.T @ v).reshape(-1, self.n_labels)
                each, rest = data[:, None] * W[at], extra @ W[f:]
                square += (each.sum(axis=0) + rest) ** 2
                pace = np.sqrt(square + EPSILON)
                np.add.at(moves, one.schema.signal[at], -each / pace)
                moves[-1] -= rest / pace
        moves /= len(self.steps)
        if self.n_labels == 1:
            moves = np.column_stack([-moves, moves])
        if not moves[-1].any():
            return Contributions(moves[:-1])
        return Contributions(moves, ("constraints",))

    def covered(self, signals: WeakSignals) -> BoolArray:
        """(n,) which examples any signal votes on."""
        return hear(signals, self.voice).covered


@dataclass(frozen=True, eq=False)
class Adagrad:
    """The paper's solver.

    Parameters
    ----------
    iterations : int
        Steps; the paper takes 200, its code 300 (see `paper`).
    starts : "expected" or int
        "expected": the mean over all uniform starts in closed form, no seed needed.
        A number: that many random starts, averaged.
    scale_free : bool
        Take gradients in units of one example, so that Adagrad's constant 1e-8 does
        not damp the steps of large data. Better for sparse votes on many rows.
    rows : "normalised" or "raw"
        Whether every signal weighs the same, or as the square of its coverage (the
        paper's formula; its code and its results have normalised rows).
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
    starts: Literal["expected"] | int = "expected"
    scale_free: bool = False
    rows: Literal["normalised", "raw"] = "normalised"
    uncovered_entries: Literal["share", "start"] = "share"

    joint: ClassVar[bool] = False
    takes_bounds: ClassVar[bool] = False
    link: ClassVar[Link] = "box"
    advice: ClassVar[str] = (
        "Allow more iterations, e.g. `iterations=1000`, or `scale_free=True` for large "
        "data"
    )

    @classmethod
    def paper(cls) -> Adagrad:
        """What the published code does: 300 steps from one random start.

        Entries that no signal speaks of keep their random start in ``labels_``. For
        `predict_proba`, which labels any votes by the mean over all starts, they are one
        half.
        """
        return cls(iterations=300, starts=1, uncovered_entries="start")

    @property
    def by_example(self) -> bool:
        """Whether starts are drawn, so that examples with the same votes may differ."""
        return not isinstance(self.starts, str)

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        check_positive("iterations", self.iterations)
        if self.by_example:
            check_positive("starts", self.starts)
        else:
            check_choice("starts", self.starts, ("expected",))
        check_choice("rows", self.rows, ("normalised", "raw"))
        check_choice("uncovered_entries", self.uncovered_entries, ("share", "start"))
        check_flag("scale_free", self.scale_free)

    def solve(self, system: System, rng: np.random.Generator) -> Solution:
        """Find labels in a space."""
        # How much a row counts; residuals are in units of an error rate throughout.
        base = 1.0 if self.rows == "normalised" else system.size
        weight = np.sqrt(system.weight) * base
        scale = 2 * weight**2 / system.size
        if self.scale_free:
            scale = scale * system.weights.sum()
        shape = (system.n_rows, system.n_labels)
        parts: list[Any] = [_ExpectedLabels(shape)]
        if not isinstance(self.starts, str):
            parts = [_DrawnLabels(start) for start in rng.random((self.starts, *shape))]
        with progress("solving", self.iterations * len(parts)) as bar:
            # Residuals (starts, t + 1, r).
            every = np.stack([self._walk(system, part, scale, bar) for part in parts])
        steps = every[:, :-1] * scale
        residual = every[:, -1].mean(axis=0)
        problem = DualProblem(replace(system, weight=weight**2), Half())
        history = problem.mean_square(system.rates + every.mean(axis=0))
        # Of the labels averaged over starts: their F less the best bound on F*.
        lower = max(
            float(problem.mean_square(errors)) - problem.excess(part.y, errors)
            for part, errors in zip(parts, system.rates + every[:, -1], strict=True)
        )
        gap = float(max(0.0, history[-1] - max(0.0, lower)))
        status = status_of(residual, float(history[-1]), gap)
        return Solution(
            labels=np.mean([part.y for part in parts], axis=0),
            status=status if gap <= TOLERANCE**2 else Status.NOT_CONVERGED,
            iterations=self.iterations,
            residual=residual,
            implied_error_rates=system.rates + residual,
            excess=float(np.sqrt(gap)),
            history=np.sqrt(history),
            gap=gap,
            multipliers=steps,
            names=system.names,
        )

    def _walk(
        self, system: System, part: Any, scale: FloatArray, bar: Any
    ) -> FloatArray:
        """Residuals (t + 1, r) before every step and after the last."""
        weights = system.weights[:, None]
        taken = np.empty((self.iterations + 1, len(system)))
        for t in range(self.iterations + 1):
            moments = system.push(weights * part.y)
            taken[t] = system.totals(moments) / system.size - system.c
            if t < self.iterations:
                part.step(system.pull(system.spread(taken[t] * scale)))
                bar.advance()
        return taken
