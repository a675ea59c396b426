"""The dual problem of a system in arithmetic of fifty digits.

From the multipliers that corral found, Newton's method goes on until fifty digits do not
change; the conditions of optimality are then checked, so the result needs no trust. All
of it is written from the formulas of the dual solver, without its code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from corral.constraints import System

mpmath = pytest.importorskip("mpmath", reason="make test EXTRAS=all has mpmath")
mp, mpf = mpmath.mp, mpmath.mpf
mp.dps = 50
SETTLED = mpf(10) ** -30
Numbers = list[Any]


def potential(name: str, z: Numbers) -> tuple[Any, Numbers, Any]:
    """Value, labels and second derivative (matrix) of the pulls on one row (k,)."""
    k = len(z)
    if name == "simplex":
        most = max(z)
        raised = [mp.exp(x - most) for x in z]
        total = sum(raised)
        q = [x / total for x in raised]
        bend = [[q[i] * ((i == j) - q[j]) for j in range(k)] for i in range(k)]
        return most + mp.log(total), q, bend
    parts = [_column(name, x) for x in z]
    bend = [[parts[i][2] * (i == j) for j in range(k)] for i in range(k)]
    return sum(p[0] for p in parts), [p[1] for p in parts], bend


def _column(name: str, z: Any) -> tuple[Any, Any, Any]:
    """The same for one column of labels that stands for itself."""
    if name == "bernoulli":
        y = 1 / (1 + mp.exp(-z))
        return mp.log(1 + mp.exp(z)), y, y * (1 - y)
    half = mpf(1) / 2
    y = min(max(half + z, mpf(0)), mpf(1))
    return z * y - (y - half) ** 2 / 2, y, mpf(int(abs(z) < half))


class Problem:
    """The dual problem of a system as plain numbers, named as in the dual solver.

    Per distinct row with any weight: the coefficients of the constraints, and its count.
    """

    def __init__(self, system: System, name: str, slack: float) -> None:
        k, u = system.n_labels, system.n_rows
        table = system.coefficients.toarray().T.reshape(-1, k, u)
        self.name = name
        self.used = np.flatnonzero(system.weights)
        self.a = [
            [[mpf(float(x)) for x in row] for row in table[:, :, j]] for j in self.used
        ]
        self.counts = [mpf(float(c)) for c in system.weights[self.used]]
        self.n = mpf(float(system.n))
        self.rho = [mpf(float(size)) / self.n for size in system.size]
        self.offset = [mpf(float(x)) for x in system.constant]
        self.lower, self.upper = system.lower.tolist(), system.upper.tolist()
        self.weight = [mpf(float(w)) for w in system.weight]
        self.slack = mpf(float(slack))

    def at(self, multipliers: Numbers, rows: list[int] | None = None) -> dict[str, Any]:
        """Potential, errors, labels, and the curvature of some rows."""
        r = len(multipliers)
        value, pushed = mpf(0), [mpf(0)] * r
        bent = [[mpf(0)] * r for _ in range(r)] if rows else None
        labels, own = [], mpf(0)
        for a, count in zip(self.a, self.counts, strict=True):
            k = len(a[0])
            z = [-sum(multipliers[i] * a[i][c] for i in range(r)) for c in range(k)]
            phi, y, bend = potential(self.name, z)
            labels.append(y)
            value += count * phi
            own += count * (phi - sum(zc * yc for zc, yc in zip(z, y, strict=True)))
            for i in range(r):
                pushed[i] += count * sum(a[i][c] * y[c] for c in range(k))
            if bent is not None:
                turned = [
                    [sum(bend[c][d] * a[i][d] for d in range(k)) for c in range(k)]
                    for i in range(r)
                ]
                for i in rows or ():
                    for j in rows or ():
                        inner = sum(a[i][c] * turned[j][c] for c in range(k))
                        bent[i][j] += count * inner / self.n
        errors = [pushed[i] / (self.rho[i] * self.n) + self.offset[i] for i in range(r)]
        return {
            "value": value / self.n,
            "own": own / self.n,
            "errors": errors,
            "labels": labels,
            "bent": bent,
        }

    def nearest(self, errors: Numbers) -> Numbers:
        """Allowed errors that are nearest."""
        sides = zip(errors, self.lower, self.upper, strict=True)
        return [min(max(e, mpf(low)), mpf(high)) for e, low, high in sides]

    def primal(self, multipliers: Numbers) -> Any:
        """The objective of the labels that multipliers give."""
        here = self.at(multipliers)
        off = zip(
            here["errors"], self.nearest(here["errors"]), self.weight, strict=True
        )
        return here["own"] - sum(w * (e - near) ** 2 for e, near, w in off) / (
            2 * self.slack
        )

    def solve(self, start: Numbers) -> tuple[Numbers, dict[str, Any]] | None:
        """The optimal multipliers, and everything there; None if Newton does not settle."""
        x, r = list(start), len(start)
        for _ in range(200):
            side = [self._side(i, x[i]) for i in range(r)]
            here = self.at(x, [i for i in range(r) if side[i] is not None])
            ridge = [self.slack * self.rho[i] * x[i] / self.weight[i] for i in range(r)]
            side = [self._side(i, x[i], here["errors"][i] - ridge[i]) for i in range(r)]
            free = [i for i in range(r) if side[i] is not None]
            slope = [
                self.rho[i] * (side[i] + ridge[i] - here["errors"][i]) for i in free
            ]
            if not free or max(map(abs, slope)) < SETTLED:
                return (x, here) if self._is_optimal(x, here["errors"]) else None
            here = self.at(x, free)
            h = mp.matrix(len(free), len(free))
            for u, i in enumerate(free):
                for v, j in enumerate(free):
                    h[u, v] = here["bent"][i][j]
                h[u, u] += self.slack * self.rho[i] ** 2 / self.weight[i]
            step = mp.lu_solve(h, mp.matrix([-s for s in slope]))
            x = self._move(x, free, [step[u] for u in range(len(free))])
        return None

    def _side(self, i: int, x: Any, wanted: Any = None) -> Any:
        """The bound that a row is held at; None where it is held at none."""
        low, high = self.lower[i], self.upper[i]
        if low == high or x > 0:
            return mpf(high)
        if x < 0:
            return mpf(low)
        if wanted is None:
            return mpf(0)
        return mpf(high) if wanted > high else mpf(low) if wanted < low else None

    def _move(self, x: Numbers, free: list[int], step: Numbers) -> Numbers:
        """The whole step; a multiplier of a bound stops at zero; shorter if it rises."""
        before, length = self.dual(x), mpf(1)
        for _ in range(60):
            new = list(x)
            for i, s in zip(free, step, strict=True):
                new[i] = x[i] + length * s
                if self.lower[i] != self.upper[i] and x[i] * new[i] < 0:
                    new[i] = mpf(0)
            if self.dual(new) <= before:
                return new
            length /= 2
        return new

    def dual(self, x: Numbers) -> Any:
        """``D``."""
        total = self.at(x)["value"]
        for i, v in enumerate(x):
            theta = self.rho[i] * v
            total += self.slack / 2 * theta**2 / self.weight[i] - theta * self.offset[i]
            if v:
                total += theta * mpf(self.upper[i] if v > 0 else self.lower[i])
        return total

    def _is_optimal(self, x: Numbers, errors: Numbers) -> bool:
        """Whether the conditions of optimality hold, to thirty digits or so."""
        near = mpf(10) ** -20
        for i, v in enumerate(x):
            wanted = errors[i] - self.slack * self.rho[i] * v / self.weight[i]
            low, high = self.lower[i], self.upper[i]
            if low == high or v > 0:
                held = abs(wanted - mpf(high)) < near
            elif v < 0:
                held = abs(wanted - mpf(low)) < near
            else:
                held = low - near <= wanted <= high + near
            if not held:
                return False
        return True
