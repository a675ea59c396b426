"""The maximum-entropy centre against its primal problem, and its own formulas."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from tests.solvers import reference

from corral import ConstrainedLabeler, Entropy, Projection, Status, WeakSignals
from corral.constraints import make_system
from corral.constraints import system as system_module
from corral.datasets import random_votes
from corral.errors import ConvergenceWarning, ParameterError
from corral.solvers import dual
from corral.solvers.newton import minimise_kinked
from corral.votes import matrix

SEEDS = st.integers(0, 10_000)


def small_signals(kind, rng, n=12):
    if kind == "binary":
        return WeakSignals.from_votes(rng.integers(-1, 2, (n, 3)), classes=[0, 1])
    if kind == "classes":
        return WeakSignals.from_votes(rng.integers(-1, 3, (n, 3)), classes=[0, 1, 2])
    if kind == "one-vs-rest":
        w = rng.integers(-1, 2, (2, 5, 3))
        w[:, 0] = 1
        return WeakSignals.from_one_vs_rest(w)
    p = rng.dirichlet(np.ones(3), (5, 3))
    p[rng.random((5, 3)) < 0.3] = np.nan
    p[0] = 1 / 3
    return WeakSignals.from_probabilities(p)


KINDS = ("binary", "classes", "one-vs-rest", "probabilities")


EDGES = (0.0, 1e-12, 0.5, 1 - 1e-12, 1.0)


def random_system(kind, rng, edges=()):
    """A small system with equalities, one-sided and two-sided bounds, and weights.

    With `edges`, about half of the bounds are among them.
    """
    signals = small_signals(kind, rng)
    system = make_system(signals, joint=bool(rng.integers(2)))
    low, high = np.sort(rng.uniform(0, 0.6, (2, len(system))), axis=0)
    if edges:
        at = rng.random((2, len(system))) < 0.5
        drawn = np.where(at, rng.choice(edges, at.shape), [low, high])
        low, high = np.sort(drawn, axis=0)
    form = rng.integers(0, 4, len(system))
    lower = np.where(form == 1, -np.inf, np.where(form == 0, high, low))
    upper = np.where(form == 2, np.inf, high)
    weight = rng.uniform(0.5, 2, len(system))
    multilabel = kind == "one-vs-rest" and bool(rng.integers(2))
    return replace(
        reference.bounded(system, lower, upper), weight=weight, multilabel=multilabel
    )


# -- the optimum --------------------------------------------------------------


@settings(max_examples=15)
@given(st.sampled_from(KINDS), SEEDS)
def test_labels_solve_the_primal_problem(kind, seed):
    """A general method on the primal finds the same labels, and nothing better."""
    slack = 0.01
    system = random_system(kind, np.random.default_rng(seed))
    solution = Entropy(slack).solve(system)
    prefer = partial(reference.entropy, multilabel=system.multilabel)
    simplex = system.n_labels > 1 and not system.multilabel
    best = reference.best(system, slack, prefer, simplex=simplex)
    ours, theirs = (
        reference.objective(system, y, slack, prefer) for y in (solution.labels, best)
    )
    assert theirs - ours <= solution.gap + 1e-7
    assert ours >= theirs - 1e-7
    np.testing.assert_allclose(solution.labels, best, atol=3e-3)


@settings(max_examples=120)
@given(
    st.sampled_from([Entropy, Projection]),
    st.sampled_from(KINDS),
    SEEDS,
    st.sampled_from([1, 500]),
    st.sampled_from([1e-6, 1e-4, 0.02, 1.0]),
    st.sampled_from([1, 1e3, 1e6]),
)
def test_the_gap_is_dual_less_primal(make, kind, seed, iterations, slack, spread):
    """The formulas of DESIGN 4 on dense arrays, at the solution and on the way to it."""
    rng = np.random.default_rng(seed)
    system = random_system(kind, rng, EDGES if seed % 2 else ())
    weight = spread ** rng.uniform(-1, 1, len(system))
    system = replace(system, weight=system.weight * weight)
    solution = make(slack=slack, iterations=iterations).solve(system)
    a, b = reference.dense(system)
    n, k = system.weights.sum(), system.n_labels
    rho, multipliers = system.size / n, solution.multipliers
    z = -(multipliers * system.size) @ a / np.repeat(system.weights, k)
    z = z.reshape(-1, k)
    prefer = partial(reference.entropy, multilabel=system.multilabel)
    if make is Projection:
        y, prefer = np.clip(z + 0.5, 0, 1), reference.nearness
        phi = (z * y).sum(axis=1) + prefer(y)
    elif system.multilabel or k == 1:
        phi = np.logaddexp(0, z).sum(axis=1)
    else:
        phi = logsumexp(z, axis=1)
    lower, upper, theta = system.lower, system.upper, rho * multipliers
    assert (theta[np.isinf(lower)] >= 0).all()
    assert (theta[np.isinf(upper)] <= 0).all()
    bound = np.where(theta > 0, upper, np.where(theta < 0, lower, 0))
    dual = system.weights @ phi / n + theta @ (bound - b)
    dual += slack / 2 * (theta**2 / system.weight).sum()
    primal = reference.objective(system, solution.labels, slack, prefer)
    near = 1e-9 + 1e-13 * (abs(dual) + abs(primal))
    assert dual - primal == pytest.approx(solution.gap, rel=1e-9, abs=near)
    assert solution.gap >= 0
    finished = solution.gap <= 1e-9
    assert finished == (solution.status is not Status.NOT_CONVERGED)
    assert finished or iterations == 1


# -- the certificate ----------------------------------------------------------


def test_an_unfinished_solve_says_so():
    votes, _ = random_votes(500)
    with pytest.warns(ConvergenceWarning, match="iterations"):
        labeler = ConstrainedLabeler(0.01, Entropy(iterations=2)).fit(votes)
    assert labeler.solution_.status is Status.NOT_CONVERGED
    assert labeler.solution_.gap > 1e-9
    assert labeler.solution_.iterations == 2


# -- one answer, however it is found ------------------------------------------


def centre_of(signals, rate=0.25, **options):
    system = make_system(signals, joint=True)
    solution = Entropy(**options).solve(reference.bounded(system, -np.inf, rate))
    return solution.labels[signals.row_of]


@pytest.mark.parametrize("kind", KINDS)
def test_the_quasi_newton_method_finds_the_same(kind, monkeypatch):
    system = random_system(kind, np.random.default_rng(1))
    lower, upper = system.lower.copy(), system.upper.copy()
    lower[0], upper[0] = -np.inf, np.inf  # asks for nothing
    system = replace(system, lower=lower, upper=upper)
    exact = Entropy(0.01).solve(system)
    monkeypatch.setattr(dual, "NEWTON_ROWS", 0)
    monkeypatch.setattr(dual, "MAX_NEWTON_PRODUCTS", 0)
    found = Entropy(0.01).solve(system)
    assert found.gap <= 1e-9
    np.testing.assert_allclose(found.labels, exact.labels, atol=1e-4)


def test_blocks_and_packed_rows_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    votes = rng.integers(-1, 3, (5_000, 9)).astype(np.int8)
    plain = centre_of(WeakSignals.from_votes(votes))
    monkeypatch.setattr(system_module, "BLOCK_ROWS", 100)
    blocks = centre_of(WeakSignals.from_votes(votes))
    monkeypatch.setattr(matrix, "MIN_PACKED_VOTES", 0)
    packed = centre_of(WeakSignals.from_votes(votes))
    np.testing.assert_allclose(blocks, plain, atol=1e-9)
    np.testing.assert_allclose(packed, plain, atol=1e-9)


# -- the labeler around it ----------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slack": 0}, "slack must be a number above zero"),
        ({"slack": "small"}, "slack must be a number above zero"),
        ({"slack": np.inf}, "slack must be a number above zero"),
        ({"iterations": 0}, "iterations must be a positive integer"),
    ],
)
def test_parameters_are_checked_in_fit(options, message):
    with pytest.raises(ParameterError, match=message):
        ConstrainedLabeler(solver=Entropy(**options)).fit([[0, 1], [1, 1]])


# -- the step -----------------------------------------------------------------


@given(SEEDS, st.integers(1, 30))
def test_the_minimum_with_kinks_meets_its_conditions(seed, r):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(r, r + 2))
    h = root @ root.T + 1e-3 * np.eye(r)
    c = 3 * rng.normal(size=r)
    low, high = np.sort(rng.normal(size=(2, r)), axis=0)
    form = rng.integers(0, 4, r)
    lower = np.where(form == 1, -np.inf, np.where(form == 0, high, low))
    upper = np.where(form == 2, np.inf, high)
    x = minimise_kinked(h, c, lower, upper, guess=rng.normal(size=r))
    assert (x[lower == -np.inf] >= 0).all()
    assert (x[upper == np.inf] <= 0).all()
    slope = c - h @ x
    tight = 1e-7 * (1 + np.abs(h @ x).max())
    free = lower == upper
    assert (np.abs(slope - upper)[(x > 0) | free] <= tight).all()
    assert (np.abs(slope - lower)[(x < 0) | free] <= tight).all()
    assert ((slope <= upper + tight) & (slope >= lower - tight)).all()
