"""Small problems at the edge of what numbers can hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corral import (
    ClassBalance,
    Confusion,
    Entropy,
    ErrorRate,
    GroupShare,
    Known,
    Precision,
    Projection,
    Recall,
    WeakSignals,
)

EDGES = (0.0, 1e-12, 0.01, 0.3, 0.5, 1 - 1e-12, 1.0)
KINDS = (
    *("rates", "ErrorRate", "Precision", "Recall", "Confusion", "ClassBalance"),
    *("GroupShare", "Known"),
)
SOLVERS = ("entropy", "projection", "uniform projection", "adagrad")


@dataclass(frozen=True)
class Case:
    """A small task, and what its labels should meet.

    Attributes
    ----------
    signals : WeakSignals
    rates : list of float, or None
    constraints : list
    slack : float
    """

    signals: WeakSignals
    rates: Any
    constraints: list[Any]
    slack: float

    def solver(self, name: str) -> Any:
        """A solver of a name, with the slack of the case."""
        if name == "entropy":
            return Entropy(slack=self.slack)
        if name == "adagrad":
            return "adagrad"
        start = "uniform" if name.startswith("uniform") else "half"
        return Projection(start, slack=self.slack)


def make_case(kind: str, seed: int, *, exact: bool) -> Case:
    """A random case with constraints of a kind; `exact`: equalities only."""
    rng = np.random.default_rng(seed)
    n, m, k = (int(rng.integers(a, b)) for a, b in ((3, 12), (1, 5), (2, 4)))
    votes = rng.integers(-1, k, (n, m))
    votes[: min(n, k)] = np.arange(min(n, k))[:, None]
    if rng.random() < 0.6:
        signals = WeakSignals.from_votes(votes, classes=range(k), abstain=-1)
    else:
        said = rng.dirichlet(np.ones(k), (n, m))
        said[votes < 0] = np.nan
        signals = WeakSignals.from_probabilities(said)
    every = kind == "rates" or rng.random() < 0.5
    rates = [_edge(rng) for _ in range(m)] if every else None
    if kind == "rates":
        constraints = []
    else:
        number = int(rng.integers(1, 3))
        constraints = [_constraint(kind, rng, n, m, k, exact) for _ in range(number)]
        if rates is None:
            constraints.append(ErrorRate(equal=0.3))
    slack = float(rng.choice([1e-6, 1e-4, 1e-2, 1.0]))
    return Case(signals, rates, constraints, slack)


def _edge(rng: np.random.Generator) -> float:
    return float(rng.choice(EDGES) if rng.random() < 0.6 else rng.random())


def _bounds(rng: np.random.Generator, exact: bool) -> dict[str, float]:
    """A bound of any form, with a weight over twelve orders of magnitude."""
    given = {"weight": float(10 ** rng.uniform(-6, 6))}
    form = "equal" if exact else rng.choice(["equal", "at_most", "at_least", "both"])
    if form == "both":
        low, high = sorted([_edge(rng), _edge(rng)])
        return given | {"at_least": low, "at_most": high}
    return given | {str(form): _edge(rng)}


def _constraint(
    kind: str, rng: np.random.Generator, n: int, m: int, k: int, exact: bool
) -> Any:
    i, c, other = int(rng.integers(m)), int(rng.integers(k)), int(rng.integers(k))
    asked = _bounds(rng, exact)
    if kind == "ErrorRate":
        return ErrorRate(i, **asked)
    if kind == "Precision":
        return Precision(i, c, **asked)
    if kind == "Recall":
        return Recall(i, c, **asked)
    if kind == "Confusion":
        return Confusion(i, c, other, **asked)
    if kind == "ClassBalance":
        return ClassBalance(c, **asked)
    if kind == "GroupShare":
        return GroupShare(np.arange(n) % 2, 0, c, **asked)
    return Known(rng.permutation(n)[:1], [c])
