"""What the dual solvers do to one pattern: from log-odds, or shifts, to labels.

A potential is a convex function of the pulls ``z`` on the label columns of a pattern. Its
gradient is the label, so that the choice of a potential is the choice of a centre.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, TypeAlias

import numpy as np

from corral._types import FloatArray

Evaluated: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""Values (patterns,), labels and curvatures (n_labels, patterns)."""


class Potential(ABC):
    """A convex function of the pulls on a pattern.

    Attributes
    ----------
    name : str
    joint : bool
        Whether the labels of a pattern add up to one. The second derivative is then
        ``diag(q) - q q^T``; otherwise it is diagonal.
    """

    name: ClassVar[str]
    joint: ClassVar[bool] = False

    @abstractmethod
    def evaluate(self, z: FloatArray) -> Evaluated:
        """Value, gradient and (diagonal) second derivative at (n_labels, patterns)."""

    def labels(self, z: FloatArray) -> FloatArray:
        """Labels of pulls (n_labels, patterns)."""
        return self.evaluate(z)[1]

    def least(self, g: FloatArray) -> FloatArray:
        """(patterns,) least value of ``g @ y`` over all labels ``y`` of a pattern."""
        return np.minimum(g, 0).sum(axis=0)


class Bernoulli(Potential):
    """Maximum entropy of independent label columns: ``log(1 + e^z)``."""

    name = "bernoulli"

    def evaluate(self, z: FloatArray) -> Evaluated:
        small = np.exp(-np.abs(z))
        tail = small / (1 + small)
        value = np.maximum(z, 0) + np.log1p(small)
        return value.sum(axis=0), np.where(z < 0, tail, 1 - tail), tail * (1 - tail)

    def labels(self, z: FloatArray) -> FloatArray:
        return 1 / (1 + np.exp(np.minimum(-z, 700)))  # e^709 is the largest number


class Simplex(Potential):
    """Maximum entropy of label columns that add up to one: ``log sum e^z``."""

    name = "simplex"
    joint = True

    def evaluate(self, z: FloatArray) -> Evaluated:
        most = z.max(axis=0)
        q = np.exp(z - most)
        total = q.sum(axis=0)
        q /= total
        return most + np.log(total), q, q

    def least(self, g: FloatArray) -> FloatArray:
        return g.min(axis=0)


class Half(Potential):
    """Nearest to one half in the box: the label is ``clip(1/2 + z, 0, 1)``."""

    name = "half"

    def evaluate(self, z: FloatArray) -> Evaluated:
        y = np.clip(0.5 + z, 0, 1)
        value = z * y - 0.5 * (y - 0.5) ** 2
        return value.sum(axis=0), y, (np.abs(z) < 0.5).astype(float)


class UniformStart(Potential):
    """Nearest to a start in the box, in the mean over uniform starts.

    A start ``u`` becomes ``clip(u + z, 0, 1)``; all integrals are known in closed form.
    """

    name = "uniform"

    def evaluate(self, z: FloatArray) -> Evaluated:
        inside = np.maximum(1 - np.abs(z), 0)
        tail = inside**2 / 2
        value = np.maximum(z, 0) + (inside**3 - 1) / 6
        return value.sum(axis=0), np.where(z < 0, tail, 1 - tail), inside


POTENTIALS: dict[str, Potential] = {
    p.name: p for p in (Bernoulli(), Simplex(), Half(), UniformStart())
}
"""By name, as the state of a fit remembers them."""
