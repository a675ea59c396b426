"""The dual of "the best labels near the space": one unknown per row.

The labels sought maximise

    (1/n) sum over examples of -f(y)  -  sum_r weight_r / (2 slack) dist(e_r, [l_r, u_r])^2

where ``e_r`` is the error of row ``r`` and ``f`` the conjugate of a `Potential` (minus the
entropy, or half the squared distance to the start). With one multiplier per row, and
``theta = rho * multiplier``, ``rho_r = n_r / n``, the dual is to minimise

    D = (1/n) sum_p n_p Phi(z_p) + sum_r (max(u_r theta_r, l_r theta_r) - b_r theta_r)
        + (slack / 2) sum_r theta_r^2 / weight_r,        z = -(rows times multipliers)

and the labels are the gradient of ``Phi`` at ``z``. The data are touched through patterns
only. ``D`` less the primal objective is a certificate, and a sum over rows.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.constraints import LabelSpace, Operator
from corral.progress import progress
from corral.solvers.potentials import POTENTIALS, Potential
from corral.solvers.solution import pattern_rows
from corral.solvers.threads import Map, open_threads

NEWTON_ROWS, NEWTON_ROWS_AT_MOST = 500, 2000
"""Rows up to which a second derivative (r, r) is formed and factored; the second where
forming it takes no more than so many multiplications:"""
NEWTON_COST = 1e10
SAMPLE_EVERY = 16
"""A first guess is found on one pattern out of this many."""


@dataclass(frozen=True)
class Multipliers:
    """What a dual solver keeps of a fit; enough to label any votes.

    Attributes
    ----------
    multipliers : (r,) array of float
        One per row, above zero where labels are pushed to less error.
    potential : str
        How pulls become labels.
    """

    multipliers: FloatArray
    potential: str

    def labels(self, design: Operator) -> FloatArray:
        """Labels (n_labels, p) of any patterns with these rows."""
        out = np.empty((design.n_labels, design.n_patterns))
        potential = POTENTIALS[self.potential]

        def work(where: tuple[int, int]) -> None:
            a, b = where
            out[:, a:b] = potential.labels(-design.pull(self.multipliers, a, b))

        ranges = design.ranges()
        with progress("labeling", len(ranges)) as bar, open_threads(design) as each:
            for _ in each(work, ranges):
                bar.advance()
        return out

    def contributions(self, design: Operator, pattern: int) -> FloatArray:
        """How far every row moved the labels of a pattern (entropy: in log-odds)."""
        return -self.multipliers[:, None] * pattern_rows(design, pattern)


@dataclass(frozen=True)
class DualPoint:
    """What the data say at some multipliers; nothing here depends on the slack.

    Attributes
    ----------
    multipliers : (r,) array of float
    potential : float
        Mean of ``Phi`` over the examples.
    errors : (r,) array of float
        Errors of the rows under the labels that belong to the multipliers.
    curvature : (r, r) array of float
        Second derivative of `potential`; empty if it was not asked for.
    """

    multipliers: FloatArray
    potential: float
    errors: FloatArray
    curvature: FloatArray


class DualProblem:
    """``D`` of a space, with derivatives.

    Parameters
    ----------
    space : LabelSpace
    potential : Potential
    each : callable
        Maps over ranges of patterns; see `corral.solvers.threads.open_threads`.
    """

    def __init__(self, space: LabelSpace, potential: Potential, each: Map) -> None:
        self.space = space
        self.potential = potential
        self.n = space.n
        self.rho = space.rows.size / self.n
        self.weight = space.row_weight
        self.lower, self.upper = space.interval
        self.offset = space.offset
        self._each = each
        self._ranges = space.design.ranges()
        self._scale = 1.0

    @property
    def n_rows(self) -> int:
        """Number of unknowns."""
        return len(self.rho)

    @property
    def curved(self) -> bool:
        """Whether second derivatives pay: few rows, or not too many and few votes."""
        cheap = self.space.design.gram_cost <= NEWTON_COST
        return self.n_rows <= (NEWTON_ROWS_AT_MOST if cheap else NEWTON_ROWS)

    def on_sample(self, start: DualPoint) -> DualProblem:
        """Nearly the same problem on a few patterns of every range, to find a first guess.

        It says the same as the whole where the whole was looked at, at `start`.
        """
        other = copy(self)
        weights = self.space.design.weights
        other._ranges = [(a, a + -(-(b - a) // SAMPLE_EVERY)) for a, b in self._ranges]
        kept = sum(float(weights[a:b].sum()) for a, b in other._ranges)
        other._scale = float(weights.sum()) / kept if kept else 1.0
        here = other.at(start.multipliers, curved=False)
        other.offset = self.offset + start.errors - here.errors
        return other

    def at(self, multipliers: FloatArray, *, curved: bool) -> DualPoint:
        """Everything at some multipliers, in one pass over the data."""
        design = self.space.design

        def work(where: tuple[int, int]) -> tuple[float, FloatArray, Any]:
            a, b = where
            weights = design.weights[a:b]
            z = -design.pull(multipliers, a, b)
            value, labels, bend = self.potential.evaluate(z)
            pushed = design.push(labels * weights, a, b)
            bent: Any = 0.0
            if curved:
                outer = labels * np.sqrt(weights) if self.potential.joint else None
                bent = design.gram(bend * weights, outer, a, b)
            return float(weights @ value), pushed, bent

        # Summed in the order of the ranges, whatever thread was first.
        value, pushed, bent = 0.0, np.zeros(self.n_rows), np.zeros(())
        for one, two, three in self._each(work, self._ranges):
            value, pushed, bent = value + one, pushed + two, bent + three
        errors = self._scale * pushed / self.space.rows.size + self.offset
        share = self._scale / self.n
        return DualPoint(multipliers, value * share, errors, bent * share)

    def value(self, point: DualPoint, slack: float) -> float:
        """``D``."""
        multipliers = point.multipliers
        theta, b = self.rho * multipliers, self.offset
        ridge = slack / 2 * (theta**2 / self.weight).sum()
        return float(point.potential - theta @ b + ridge + self.kinks(multipliers))

    def gradient(self, point: DualPoint, slack: float) -> FloatArray:
        """(r,) gradient of ``D`` without its kinks."""
        ridge = slack * self.rho / self.weight * point.multipliers
        return self.rho * (ridge - point.errors)

    def hessian(self, point: DualPoint, slack: float) -> FloatArray:
        """(r, r) second derivative of ``D`` without its kinks."""
        return point.curvature + np.diag(slack * self.rho**2 / self.weight)

    def kinks(self, multipliers: FloatArray) -> float:
        """The terms of ``D`` with bounds: ``max(u theta, l theta)``."""
        bound = np.where(multipliers > 0, self.upper, self.lower)
        active = multipliers != 0  # an infinite bound times zero is zero
        return float(self.rho[active] * multipliers[active] @ bound[active])

    def violation(self, errors: FloatArray) -> FloatArray:
        """(r,) how far errors are from their intervals."""
        return errors - self.space.nearest(errors)

    def gap(self, point: DualPoint, slack: float) -> float:
        """``D`` less the primal objective of the labels: at least their suboptimality.

        Summed in a form where every term is at least zero, so that nothing cancels.
        """
        theta, nearest = self.rho * point.multipliers, self.space.nearest(point.errors)
        bound = np.where(
            theta > 0, self.upper, np.where(theta < 0, self.lower, nearest)
        )
        off = theta * (bound - nearest)
        asked = slack * theta / self.weight
        missed = self.weight / (2 * slack) * (point.errors - nearest - asked) ** 2
        return float(off.sum() + missed.sum())

    def excess(self, labels: FloatArray, errors: FloatArray) -> float:
        """Bound on how far the weighted mean square violation is above the least.

        The squared violation is convex in the labels, so it falls by no more than its
        linear part could over all labels.
        """
        design = self.space.design
        slopes = 2 * self.weight * self.violation(errors) / self.space.rows.size

        def work(where: tuple[int, int]) -> float:
            a, b = where
            g = design.pull(slopes, a, b)
            falls = (g * labels[:, a:b]).sum(axis=0) - self.potential.least(g)
            return float(design.weights[a:b] @ falls)

        falls = sum(self._each(work, design.ranges()))
        return max(0.0, falls / float(self.weight.sum()))  # below zero by rounding

    def mean_square(self, errors: FloatArray) -> FloatArray:
        """Weighted mean square violation over the rows, the last axis."""
        squares = self.weight * self.violation(errors) ** 2
        return squares.sum(axis=-1) / self.weight.sum()
