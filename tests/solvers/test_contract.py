"""Every solver through the same cases, against general methods and each other."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from tests.solvers import reference

from corral import (
    Adagrad,
    ConstrainedLabeler,
    Entropy,
    Projection,
    Status,
    WeakSignals,
    feasibility,
)
from corral.constraints import make_system, signal_errors
from corral.datasets import random_votes
from corral.errors import ConvergenceWarning
from corral.solvers import SOLVERS as NAMED
from corral.solvers import centres
from corral.solvers.solution import TOLERANCE

SEEDS = st.integers(0, 10_000)
SOLVERS = {
    "adagrad": Adagrad(iterations=1000, scale_free=True),
    "entropy": Entropy(),
    "projection": Projection(),
}
RNG = np.random.default_rng(0)


def soft(shape):
    w = RNG.random(shape)
    w[RNG.random(shape) < 0.3] = np.nan
    return w


SIGNALS = {
    "binary": WeakSignals.from_votes(RNG.integers(-1, 2, (80, 5))),
    "classes": WeakSignals.from_votes(RNG.integers(-1, 4, (80, 4))),
    "one-vs-rest": WeakSignals.from_one_vs_rest(RNG.integers(-1, 2, (3, 80, 3))),
    "soft one-vs-rest": WeakSignals.from_one_vs_rest(soft((3, 60, 3))),
    "probabilities": WeakSignals.from_probabilities(soft((60, 5))),
}


@pytest.fixture(params=SOLVERS)
def solver(request):
    return SOLVERS[request.param]


@pytest.fixture(params=SIGNALS)
def signals(request):
    return SIGNALS[request.param]


def system_of(signals, rates, solver=None):
    rates = np.broadcast_to(rates, signals.n_signals).astype(float)
    return make_system(signals, rates, joint=solver is not None and solver.joint)


def solve(solver, system):
    return solver.solve(system, np.random.default_rng(0))


def test_every_solver_has_a_name_and_is_tested():
    assert {type(solver) for solver in SOLVERS.values()} == set(NAMED.values())


def test_a_solution_describes_its_labels(solver, signals):
    system = system_of(signals, 0.3, solver)
    solution = solve(solver, system)
    assert solution.labels.shape == (system.n_rows, system.n_labels)
    assert ((solution.labels >= 0) & (solution.labels <= 1)).all()
    errors = system.errors(solution.labels)
    np.testing.assert_allclose(solution.implied_error_rates, errors, atol=1e-9)
    np.testing.assert_allclose(solution.residual, errors - system.rates, atol=1e-9)
    rms = np.sqrt(np.mean(solution.residual**2))
    assert solution.rms_residual == pytest.approx(rms, abs=1e-9)
    assert len(solution.history) == solution.iterations + 1
    assert solution.gap >= 0
    assert solution.excess >= 0


def test_a_model_labels_the_votes_of_the_fit_again(solver, signals):
    labeler = ConstrainedLabeler(0.3, solver).fit(signals)
    again = labeler.predict_proba(signals)
    np.testing.assert_allclose(again, labeler.labels_, atol=1e-9)
    assert np.isfinite(labeler.explain(1, signals).moves).all()


@pytest.mark.parametrize("rate", [0.05, 0.35])
def test_a_first_guess_from_a_sample_changes_nothing(signals, rate, monkeypatch):
    for solver in (Entropy(), Projection()):
        system = system_of(signals, rate, solver)
        whole = solve(solver, system)
        monkeypatch.setattr(centres, "MIN_SAMPLED_ROWS", 0)
        guessed = solve(solver, system)
        monkeypatch.undo()
        assert guessed.gap <= 1e-9
        np.testing.assert_allclose(guessed.labels, whole.labels, atol=2e-4)


# -- least squares ------------------------------------------------------------


@settings(max_examples=15)
@given(st.sampled_from(sorted(SOLVERS)), SEEDS, st.sampled_from([2, 3]))
def test_no_labels_miss_the_rates_by_less_than_certified(name, seed, k):
    """The least squares optimum over the box, or over rows that add up to one."""
    solver = SOLVERS[name]
    rng = np.random.default_rng(seed)
    votes = rng.integers(-1, k, (14, 4))
    votes[:k] = np.arange(k)[:, None]
    signals = WeakSignals.from_votes(votes, classes=range(k))
    system = system_of(signals, rng.uniform(0, 0.5, 4), solver)
    solution = solve(solver, system)
    a, b = reference.dense(system)
    c = system.rates - b
    if solver.joint and k > 2:  # rows that add up to one, as a heavy further equation
        sums = 1e4 * np.kron(np.eye(system.n_rows), np.ones(k))
        a, c = np.vstack([a, sums]), np.append(c, np.full(len(sums), 1e4))
    least = 2 * lsq_linear(a, c, bounds=(0, 1), tol=1e-14).cost / len(system)
    found = solution.rms_residual**2
    assert least - 1e-6 <= found <= least + solution.excess**2 + 1e-6
    if solution.status is Status.FEASIBLE:
        assert found <= TOLERANCE**2
        assert np.abs(solution.residual).max() <= 2 * TOLERANCE
    if solution.status is Status.INFEASIBLE:
        assert least > 0


# -- the verdict --------------------------------------------------------------

VERDICTS = {
    "adagrad": Adagrad(),
    "few steps": Adagrad(iterations=20),
    "entropy": Entropy(),
    "much slack": Entropy(slack=1.0),
    "projection": Projection(),
    "projection, much slack": Projection(slack=0.3),
}


@settings(max_examples=60)
@given(st.sampled_from(sorted(VERDICTS)), SEEDS)
def test_a_verdict_holds_for_every_row(name, seed):
    """Whatever the slack and the weights; a linear program has the last word."""
    solver, rng = VERDICTS[name], np.random.default_rng(seed)
    m = int(rng.choice([3, 8, 40]))
    votes = rng.integers(-1, 2, (rng.integers(4, 40), m))
    votes[:2] = [[0], [1]]
    signals = WeakSignals.from_votes(votes)
    system = system_of(signals, rng.choice([0.3, 0.4, 0.5]), solver)
    weight = 10.0 ** rng.integers(-4, 1, m)
    solution = solve(solver, replace(system, weight=weight))
    off = np.abs(solution.residual).max()
    if solution.status is Status.FEASIBLE:
        assert off <= 0.02
    if solution.status in (Status.INFEASIBLE, Status.MISSED):
        assert off > 0.01
        assert f"{off:.3g}" in solution.message or "no labels" in solution.message
    if solution.status is Status.INFEASIBLE:
        assert not feasibility(system).feasible


def test_much_slack_misses_rates_and_says_so():
    votes, _ = random_votes(300, [0.9, 0.8, 0.7], coverage=0.8)
    solution = solve(Entropy(slack=1.0), system_of(WeakSignals.from_votes(votes), 0.1))
    assert solution.status is not Status.FEASIBLE
    rates = {"s0": 0.25, "s1": 0.25, "s2": 0.25}
    with pytest.warns(
        ConvergenceWarning, match=r"Furthest off: s. \(expected 0.25, f.*sl"
    ):
        labeler = ConstrainedLabeler(rates, Entropy(slack=1.0)).fit(votes)
    assert labeler.solution_.status is Status.MISSED
    assert "others could come nearer" in labeler.note_
    assert "Furthest off: s" in labeler.note_
    assert ConstrainedLabeler(rates, "entropy").fit(votes).solution_.status is (
        Status.FEASIBLE
    )


def test_one_of_many_signals_is_not_lost_in_the_mean():
    """120 signals that agree, of which one should be wrong a tenth of the time."""
    votes = np.tile(np.arange(40)[:, None] % 2, (1, 120))
    votes[::4, 119] = 1 - votes[::4, 119]
    rates = np.zeros(120)
    rates[119] = 0.16  # and is wrong on a quarter
    for name, solver in SOLVERS.items():
        solution = solve(
            solver, system_of(WeakSignals.from_votes(votes), rates, solver)
        )
        assert solution.rms_residual < 0.01, name
        assert np.abs(solution.residual).max() > 0.08, name
        assert solution.status is Status.INFEASIBLE, name


# -- the projection -----------------------------------------------------------


@settings(max_examples=30)
@given(SEEDS, st.sampled_from(["binary", "classes", "one-vs-rest"]))
def test_the_projection_solves_its_least_squares_problem(seed, kind):
    """Stay near one half, and near the rates: one bounded least squares problem."""
    rng = np.random.default_rng(seed)
    n = 15
    if kind == "one-vs-rest":
        w = rng.integers(-1, 2, (2, n, 3))
        w[:, 0] = 1
        signals = WeakSignals.from_one_vs_rest(w)
    else:
        k = 2 if kind == "binary" else 3
        signals = WeakSignals.from_votes(rng.integers(-1, k, (n, 3)), classes=range(k))
    slack = 1e-3
    system = system_of(signals, rng.uniform(0, 0.5, signals.n_signals))
    solution = Projection(slack=slack).solve(system)
    a, b = reference.dense(system)
    near = np.sqrt(np.repeat(system.weights, system.n_labels) / system.weights.sum())
    table = np.vstack([np.diag(near), a / np.sqrt(slack)])
    goal = np.append(near / 2, (system.rates - b) / np.sqrt(slack))
    best = lsq_linear(table, goal, bounds=(0, 1), tol=1e-14).x
    np.testing.assert_allclose(solution.labels.ravel(), best, atol=1e-4)
    assert solution.gap <= 1e-9


# -- what must not matter -----------------------------------------------------

DUAL = {name: s for name, s in SOLVERS.items() if name != "adagrad"}


@pytest.mark.parametrize("solver", DUAL.values(), ids=DUAL)
def test_a_copy_of_a_signal_changes_nothing_where_rates_can_be_met(solver):
    """Adagrad may end at another point of the same system."""
    votes, truth = random_votes(3_000, accuracies=[0.9, 0.8, 0.7], coverage=0.5)
    copied = np.column_stack([votes] + 9 * [votes[:, 2]])
    labels = []
    for given_votes in (votes, copied):
        signals = WeakSignals.from_votes(given_votes)
        system = system_of(signals, signal_errors(signals, truth), solver)
        solution = solve(solver, system)
        assert solution.status is Status.FEASIBLE
        labels.append(solution.labels[signals.row_of])
    np.testing.assert_allclose(*labels, atol=1e-3)
