"""Every solver with every constraint: its certificate is true beside fifty digits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from tests.fuzz.properties import CASES

import corral
from corral import ConstrainedLabeler, Entropy, ErrorRate, Projection, Status
from corral import WeakSignals as Signals
from corral.constraints import System
from corral.errors import CorralError, CorralWarning
from corral.solvers import Solution

pytest.importorskip("mpmath", reason="fifty digits need mpmath")

from mpmath import findroot, log, mpf
from tests.fuzz.fifty_digits import Problem

EDGES = (0.0, 1e-12, 0.01, 0.3, 0.5, 1 - 1e-12, 1.0)
KINDS = (
    *("rates", "ErrorRate", "Precision", "Recall", "Confusion", "ClassBalance"),
    *("GroupShare", "Known"),
)
SOLVERS = ("entropy", "projection", "adagrad")
NEAR = 1e-4
"""How far labels of a solve, whose gap is 1e-9, may be from the best."""
NEAR_RMS = 0.01
"""The same of Adagrad's root mean square residual."""


def fit(*arguments: Any, signals: Signals, **options: Any) -> ConstrainedLabeler:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorralWarning)
        return ConstrainedLabeler(*arguments, **options).fit(signals)


def edge(rng: np.random.Generator) -> float:
    return float(rng.choice(EDGES) if rng.random() < 0.6 else rng.random())


def make_constraint(
    kind: str, rng: np.random.Generator, shape: tuple[int, int, int], exact: bool
) -> Any:
    """A bound of any form, with a weight over twelve orders of magnitude."""
    n, m, k = shape
    i, c, other = int(rng.integers(m)), int(rng.integers(k)), int(rng.integers(k))
    form = "equal" if exact else rng.choice(["equal", "at_most", "at_least", "both"])
    low, high = sorted([edge(rng), edge(rng)])
    asked = {"at_least": low, "at_most": high} if form == "both" else {str(form): low}
    asked["weight"] = float(10 ** rng.uniform(-6, 6))
    if kind == "ErrorRate":
        return ErrorRate(i, **asked)
    if kind == "Confusion":
        return corral.Confusion(i, c, other, **asked)
    if kind == "ClassBalance":
        return corral.ClassBalance(c, **asked)
    if kind == "GroupShare":
        return corral.GroupShare(np.arange(n) % 2, 0, c, **asked)
    if kind == "Known":
        return corral.Known(rng.permutation(n)[:1], [c])
    return getattr(corral, kind)(i, c, **asked)


def solve(kind: str, solver: str, seed: int) -> tuple[Solution, System, float]:
    """A small random problem at the edge of what numbers can hold: solution, slack."""
    rng, exact = np.random.default_rng(seed), solver == "adagrad"
    n, m, k = shape = tuple(
        int(rng.integers(a, b)) for a, b in ((3, 12), (1, 5), (2, 4))
    )
    votes = rng.integers(-1, k, (n, m))
    votes[: min(n, k)] = np.arange(min(n, k))[:, None]
    if rng.random() < 0.6:
        signals = Signals.from_votes(votes, classes=range(k), abstain=-1)
    else:
        said = rng.dirichlet(np.ones(k), (n, m))
        said[votes < 0] = np.nan
        signals = Signals.from_probabilities(said)
    has_rates = kind == "rates" or rng.random() < 0.5
    rates = [edge(rng) for _ in range(m)] if has_rates else None
    constraints = [] if has_rates else [ErrorRate(equal=0.3)]
    if kind != "rates":
        number = int(rng.integers(1, 3))
        constraints += [make_constraint(kind, rng, shape, exact) for _ in range(number)]
    slack = float(rng.choice([1e-6, 1e-4, 1e-2, 1.0]))
    chosen = {"entropy": Entropy(slack=slack), "projection": Projection(slack=slack)}
    used = chosen.get(solver, solver)
    labeler = fit(rates, used, signals=signals, constraints=constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorralWarning)
        return labeler.solution_, labeler.make_system(signals)[0], slack


def potential_of(solver: str, system: System) -> str:
    if solver == "entropy":
        return "bernoulli" if system.n_labels == 1 else "simplex"
    return "half"


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_certificates_are_true(solver: str, kind: str) -> None:
    seeds = range(100, 101) if not CASES else range(1000, 1000 + max(1, CASES // 100))
    for seed in seeds:
        try:
            solution, system, slack = solve(kind, solver, seed)
        except CorralError:
            continue
        assert np.isfinite(solution.labels).all()
        if solver == "adagrad":
            assert_least_squares(solution, system)
            continue
        problem = Problem(system, potential_of(solver, system), slack)
        start = [mpf(float(x)) for x in solution.multipliers]
        best = problem.solve(start)
        if best is None:  # fifty digits do not settle either
            continue
        worse = float(problem.dual(best[0]) - problem.primal(start))
        assert worse <= solution.gap * (1 + 1e-6) + 1e-11, (seed, worse, solution.gap)
        if solution.status is not Status.NOT_CONVERGED:
            labels = np.array(best[1]["labels"], float)
            assert np.abs(solution.labels[problem.used] - labels).max() < NEAR, seed


def assert_least_squares(solution: Solution, system: System) -> None:
    """Adagrad certifies the mean square residual only: nothing is lower than it says."""
    root = np.sqrt(system.weight)
    a = root[:, None] * system.matrix() * np.tile(system.weights, system.n_labels)
    total = system.weight.sum()
    found = lsq_linear(a, root * system.c, bounds=(0, 1), method="bvls")
    least = 2 * found.cost / total
    own = float((system.weight * solution.residual**2).sum() / total)
    assert own - solution.excess**2 <= least + 1e-9
    if solution.status is not Status.NOT_CONVERGED:
        assert np.sqrt(own) - np.sqrt(max(least, 0)) < NEAR_RMS


def test_a_false_certificate_is_found() -> None:
    solution, system, slack = solve("rates", "entropy", 3)
    problem = Problem(system, potential_of("entropy", system), slack)
    away = [mpf(float(x)) + 1 for x in solution.multipliers]
    best, _ = problem.solve(away)
    assert problem.dual(best) - problem.primal(away) > 1e-3
    np.testing.assert_allclose(np.array(best, float), solution.multipliers, atol=1e-3)


@pytest.mark.parametrize("k", [2, 5, 40])
def test_one_signal_that_says_every_class_once(k: int) -> None:
    """By symmetry its class gets ``1 - e`` and all others the same; `e` has an equation."""
    rate, slack = 0.3, mpf(Entropy().slack)
    wrong = findroot(
        lambda e: e - mpf(rate) - slack * log((1 - e) * (k - 1) / e), mpf(rate)
    )
    signals = Signals.from_votes(np.arange(k)[:, None], classes=range(k))
    expected = np.full((k, k), float(wrong / (k - 1)))
    np.fill_diagonal(expected, float(1 - wrong))
    labels = fit([rate], "entropy", signals=signals).labels_
    np.testing.assert_allclose(labels, expected, atol=NEAR)
