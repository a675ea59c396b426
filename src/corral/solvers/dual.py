"""The dual of "the best labels near the space": one unknown per row.

The labels sought maximise

    (1/n) sum over examples of -f(y)  -  sum_r weight_r / (2 slack) dist(e_r, [l_r, u_r])^2

where ``e_r`` is the value of row ``r`` and ``f`` the conjugate of a `Potential` (minus the
entropy, or the divergence from a reference, or half the squared distance to the start).
With one multiplier per row, and ``theta = rho * multiplier``, ``rho_r = size_r / n``, the
dual is to minimise

    D = (1/n) sum_p n_p Phi(z_p) + sum_r (max(u_r theta_r, l_r theta_r) - b_r theta_r)
        + (slack / 2) sum_r theta_r^2 / weight_r,     z = reference - F @ (R.T multipliers)

and the labels are the gradient of ``Phi`` at ``z``. The data are touched through distinct
rows only. ``D`` less the primal objective is a certificate, and a sum over rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from corral._types import FloatArray
from corral.constraints import System
from corral.model import posterior

NEWTON_ROWS, MAX_NEWTON_ROWS = 500, 2000
"""Rows up to which a second derivative (r, r) is formed and factored; the second where
forming it takes no more than so many multiplications:"""
MAX_NEWTON_PRODUCTS = 1e10
SAMPLE_EVERY = 16
"""A first guess is found on one distinct row out of this many."""

Evaluated: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""Values (p,), labels and curvatures (p, n_labels)."""


class Potential(ABC):
    """A convex function of the pulls ``z`` (p, n_labels) on the labels of distinct rows.

    Its gradient is the label, so the choice of a potential is the choice of a centre.
    """

    joint: ClassVar[bool] = False
    """Whether the labels of a row add up to one. The second derivative is then
    ``diag(q) - q q^T``; otherwise it is diagonal."""

    @abstractmethod
    def evaluate(self, z: FloatArray) -> Evaluated:
        """Value, gradient and (diagonal) second derivative."""

    def least(self, g: FloatArray) -> FloatArray:
        """(p,) least value of ``g @ y`` over all labels ``y`` of a row."""
        return np.minimum(g, 0).sum(axis=1)


class Bernoulli(Potential):
    """Maximum entropy of independent label columns: ``log(1 + e^z)``."""

    def evaluate(self, z: FloatArray) -> Evaluated:
        small = np.exp(-np.abs(z))
        tail = small / (1 + small)
        value = np.maximum(z, 0) + np.log1p(small)
        return value.sum(axis=1), np.where(z < 0, tail, 1 - tail), tail * (1 - tail)


class Simplex(Potential):
    """Maximum entropy of label columns that add up to one: ``log sum e^z``."""

    joint = True

    def evaluate(self, z: FloatArray) -> Evaluated:
        q, value = posterior(z)
        return value, q, q

    def least(self, g: FloatArray) -> FloatArray:
        return g.min(axis=1)


class Half(Potential):
    """Nearest to one half in the box: the label is ``clip(1/2 + z, 0, 1)``."""

    def evaluate(self, z: FloatArray) -> Evaluated:
        y = np.clip(0.5 + z, 0, 1)
        value = z * y - 0.5 * (y - 0.5) ** 2
        return value.sum(axis=1), y, (np.abs(z) < 0.5).astype(float)


@dataclass(frozen=True)
class DualPoint:
    """What the data say at some multipliers; nothing here depends on the slack."""

    multipliers: FloatArray  # (r,)
    potential: float  # mean of ``Phi`` over the examples
    errors: FloatArray  # (r,) values of the rows under the labels of the multipliers
    curvature: FloatArray  # (r, r) second derivative of `potential`, if asked for


class DualProblem:
    """``D`` of a system, with derivatives."""

    def __init__(self, system: System, potential: Potential) -> None:
        self.system, self.potential = system, potential
        self.n = system.n
        self.rho = system.size / self.n
        self.weight = system.weight
        self.lower, self.upper = system.lower, system.upper
        self.offset = system.constant
        self._blocks, self._scale = system.blocks, 1.0

    @property
    def curved(self) -> bool:
        """Whether second derivatives pay: few rows, or not too many and few votes."""
        system, rows = self.system, len(self.rho)
        votes = np.diff(system.votes.F.indptr).astype(float)
        sparse, dense = float((votes**2).sum()), float(rows**2 * system.n_rows)
        cheap = system.n_labels * min(sparse, dense) <= MAX_NEWTON_PRODUCTS
        return rows <= (MAX_NEWTON_ROWS if cheap else NEWTON_ROWS)

    def on_sample(self, start: DualPoint) -> DualProblem:
        """Nearly the same problem on the first distinct rows of every block.

        It says the same as the whole where the whole was looked at, at `start`.
        """
        other = copy(self)
        other._blocks = [
            slice(at.start, at.start - (at.start - at.stop) // SAMPLE_EVERY)
            for at in self._blocks
        ]
        weights = self.system.weights
        kept = sum(float(weights[at].sum()) for at in other._blocks)
        other._scale = float(weights.sum()) / kept if kept else 1.0
        here = other.at(start.multipliers, curved=False)
        other.offset = self.offset + start.errors - here.errors
        return other

    def labels(self, multipliers: FloatArray) -> FloatArray:
        """(u, n_labels) labels that belong to multipliers."""
        W = -self.system.spread(multipliers)
        parts = [self.potential.evaluate(self._pulls(at, W))[1] for at in self._blocks]
        return np.concatenate(parts)

    def _pulls(self, at: slice, W: FloatArray) -> FloatArray:
        z, reference = self.system.pull(W, at), self.system.reference
        return z if reference is None else z + reference[at]

    def at(self, multipliers: FloatArray, *, curved: bool) -> DualPoint:
        """Everything at some multipliers, in one pass over the data."""
        system, joint = self.system, self.potential.joint
        W = -system.spread(multipliers)
        value, moments, bent = 0.0, np.zeros(W.shape), np.zeros(())
        for at in self._blocks:
            weights = system.weights[at]
            values, labels, bend = self.potential.evaluate(self._pulls(at, W))
            value += float(weights @ values)
            moments += system.push(weights[:, None] * labels, at)
            if curved:
                outer = labels * np.sqrt(weights)[:, None] if joint else None
                bent = bent + system.gram(bend * weights[:, None], outer, at.start)
        errors = self._scale * system.totals(moments) / system.size + self.offset
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
        """(r,) how far values are from their intervals."""
        return errors - np.clip(errors, self.lower, self.upper)

    def gap(self, point: DualPoint, slack: float) -> float:
        """``D`` less the primal objective of the labels: at least their suboptimality.

        Summed in a form where every term is at least zero, so that nothing cancels.
        """
        theta = self.rho * point.multipliers
        nearest = np.clip(point.errors, self.lower, self.upper)
        asked = np.where(theta < 0, self.lower, nearest)
        bound = np.where(theta > 0, self.upper, asked)
        off = theta * (bound - nearest)
        asked = slack * theta / self.weight
        missed = self.weight / (2 * slack) * (point.errors - nearest - asked) ** 2
        return float(off.sum() + missed.sum())

    def excess(self, labels: FloatArray, errors: FloatArray) -> float:
        """Bound on how far the weighted mean square violation is above the least.

        The squared violation is convex in the labels, so it falls by no more than its
        linear part could over all labels.
        """
        system = self.system
        slopes = system.spread(2 * self.weight * self.violation(errors) / system.size)
        falls = 0.0
        for at in self._blocks:
            g = system.pull(slopes, at)
            each = (g * labels[at]).sum(axis=1) - self.potential.least(g)
            falls += float(system.weights[at] @ each)
        return max(0.0, falls / float(self.weight.sum()))  # below zero by rounding

    def mean_square(self, errors: FloatArray) -> FloatArray:
        """Weighted mean square violation over the rows, the last axis."""
        squares = self.weight * self.violation(errors) ** 2
        return squares.sum(axis=-1) / self.weight.sum()
