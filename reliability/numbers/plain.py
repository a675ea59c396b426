"""Error rates of votes as a problem in extended precision, written from the formulas.

Nothing of `corral.constraints` or `corral.solvers` is used: votes and rates come in, and
with them errors, objectives and bounds of the labels that multipliers give. Arrays are
``longdouble`` (64 bits of mantissa), sums are rounded once (`math.fsum`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

Numbers = Any


@dataclass
class PlainProblem:
    """Labels under which every signal errs at its rate.

    Parameters
    ----------
    votes : list of (rows, said)
        Per signal: the examples it votes on, and the class it says.
    n, k : int
        Examples and classes.
    rates : (m,) array
    weight : (m,) array
        Of missing a rate.
    slack : float
    joint : bool
        One constraint per signal, its share of wrong votes, of labels that add up to one;
        else one per signal and class (of two classes, one per signal).
    """

    votes: list[tuple[Any, Any]]
    n: int
    k: int
    rates: Any
    weight: Any
    slack: float
    joint: bool

    def __post_init__(self) -> None:
        self.columns = 1 if self.k == 2 else self.k
        m = len(self.votes)
        self.size = np.array([len(rows) for rows, _ in self.votes], np.longdouble)
        shape = (m, self.columns)
        self.share = np.zeros(shape, np.longdouble)  # of a signal's votes for a class
        for i, (_, said) in enumerate(self.votes):
            counts = np.bincount(said, minlength=self.k)[-self.columns :]
            self.share[i] = counts / self.size[i]
        rate = np.asarray(self.rates, np.longdouble)[:, None]
        if self.joint or self.columns == 1:
            self.wanted = np.broadcast_to(rate, shape if not self.joint else (m, 1))
        else:
            self.wanted = rate * (self.share + (1 - self.share) / (self.k - 1))
        self.heavy = np.broadcast_to(
            np.asarray(self.weight, np.longdouble)[:, None], self.wanted.shape
        )

    def pull(self, x: Numbers) -> Numbers:
        """(n, columns) what multipliers (m, 1 or columns) add to every label."""
        out = np.zeros((self.n, self.columns), np.longdouble)
        each = np.broadcast_to(x / 2, self.share.shape) if self.joint else x
        for i, (rows, said) in enumerate(self.votes):
            out[rows] += each[i]
            yes, column = self._says(said)
            out[rows[yes], column] -= 2 * each[i][column]
        return out

    def errors(self, y: Numbers) -> Numbers:
        """Errors of all constraints under labels (n, columns)."""
        found = np.empty_like(self.share)
        for i, (rows, said) in enumerate(self.votes):
            sums = y[rows].sum(axis=0)
            yes, column = self._says(said)
            np.subtract.at(sums, column, 2 * y[rows[yes], column])
            found[i] = sums / self.size[i]
        if self.joint:
            return found.sum(axis=1, keepdims=True) / 2 + np.longdouble(0.5)
        return found + self.share

    def _says(self, said: Any) -> tuple[Any, Any]:
        """Which votes say "yes" to a column, and to which."""
        if self.columns > 1:
            return np.arange(len(said)), said
        yes = np.flatnonzero(said == 1)
        return yes, np.zeros(len(yes), int)

    def gap(self, name: str, x: Numbers) -> tuple[float, Numbers]:
        """How far labels that multipliers give are at most from the best, and the labels.

        That is the dual less the primal objective. Both can be large: one sum of all
        terms, in which the potential is left out, as it is in both.
        """
        z = -self.pull(x)
        y = find_labels(name, z)
        errors = self.errors(y)
        theta = self.size[:, None] / self.n * x
        off = self.heavy * (errors - self.wanted) ** 2 / (2 * self.slack)
        offset = np.longdouble(0.5) if self.joint else self.share
        linear = theta * (self.wanted - offset)
        ridge = self.slack / 2 * theta**2 / self.heavy
        return _sum(z * y / self.n, linear, ridge, off), y

    def least_squares(self, y: Numbers) -> tuple[float, float]:
        """Mean square miss of labels, and how far any labels in the box can be below it.

        It is convex, so it falls by no more than its slope says, nor below zero.
        """
        missed = self.errors(y) - self.wanted
        total = _sum(self.heavy)
        slope = self.pull(2 * self.heavy * missed / self.size[:, None])
        falls = _sum(slope * y) - _sum(np.minimum(slope, 0))
        own = _sum(self.heavy * missed**2) / total
        return own, min(own, max(0.0, falls / total))


def find_labels(name: str, z: Numbers) -> Numbers:
    """(n, columns) labels of pulls: the gradient of a potential."""
    if name == "simplex":
        raised = np.exp(z - z.max(axis=1, keepdims=True))
        return raised / raised.sum(axis=1, keepdims=True)
    if name == "bernoulli":
        small = np.exp(-np.abs(z))
        return np.where(z < 0, small, 1) / (1 + small)
    if name == "half":
        return np.clip(np.longdouble(0.5) + z, 0, 1)
    inside = np.maximum(1 - np.abs(z), 0)
    return np.where(z < 0, inside**2 / 2, 1 - inside**2 / 2)


def _sum(*parts: Numbers) -> float:
    """The sum of all numbers, rounded once: each is given as two doubles."""
    terms: list[float] = []
    for values in parts:
        flat = np.asarray(values, np.longdouble).ravel()
        high = flat.astype(float)
        terms += [*high.tolist(), *(flat - high).astype(float).tolist()]
    return fsum(terms)
