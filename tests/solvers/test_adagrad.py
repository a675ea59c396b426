"""The paper's solver against a textbook loop, its worked examples and its numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repro.random_tasks import independent_task
from tests.solvers.textbook import one_vs_rest, textbook

from corral import Adagrad, ConstrainedLabeler, Status, WeakSignals
from corral.constraints import make_system, row_means
from corral.errors import ParameterError
from corral.solvers import adagrad
from corral.solvers.adagrad import expected_label

A1 = WeakSignals.from_votes([[1, -1], [1, 1], [0, 0], [-1, 0]])
A1_START = np.array([0.2, 0.4, 0.6, 0.8])


def system_of(signals, rates):
    rates = np.broadcast_to(rates, signals.n_signals).astype(float)
    return make_system(signals, rates)


class Drawn:
    """A generator that draws what it is told to."""

    def __init__(self, starts):
        self.starts = starts

    def random(self, shape):
        assert self.starts.shape == shape
        return self.starts


def solve(signals, rates, solver):
    return solver.solve(system_of(signals, rates), np.random.default_rng(0))


def labels_from(starts, signals, rates, **options):
    """Labels (n, n_labels) of examples, from starts (s, n, n_labels)."""
    system = system_of(signals.by_example(), rates)
    solver = Adagrad(starts=len(starts), **options)
    return solver.solve(system, Drawn(starts)).labels


# -- worked examples (METHODS a.6) --------------------------------------------


@pytest.mark.parametrize(
    ("iterations", "rates", "raw", "expected", "tolerance"),
    [
        (1, 0.25, False, [1, 1, 0, 0], 1e-5),
        (2, 0.25, False, [0.485504, 0.485504, 0.514496, 0.514496], 1e-5),
        (200, 0.25, False, [0.75, 0.75, 0.25, 0.25], 1e-6),
        (200, 0.25, True, [0.75, 0.75, 0.25, 0.25], 1e-6),
        (200, 0.01, False, [0.99, 0.99, 0.01, 0.01], 1e-6),
        (200, [0.4, 0.1], False, [0.10, 0.85, 0.15, 0.00], 5e-3),
    ],
)
def test_example_a1(iterations, rates, raw, expected, tolerance):
    options = {"iterations": iterations, "rows": "raw" if raw else "normalised"}
    found = labels_from(A1_START[None, :, None], A1, rates, **options)
    np.testing.assert_allclose(found[:, 0], expected, atol=tolerance)


# -- equal to the textbook loop -----------------------------------------------


def cases(rng, n=60):
    votes = rng.integers(-1, 2, (n, 5))
    classes = rng.integers(-1, 4, (n, 4))
    hard = rng.integers(0, 2, (4, n, 3)).astype(float)
    hard[rng.random(hard.shape) < 0.5] = np.nan
    soft = rng.random((3, n, 3))
    soft[rng.random(soft.shape) < 0.3] = np.nan
    table = rng.random((n, 6))
    table[rng.random(table.shape) < 0.3] = np.nan
    return {
        "binary": (WeakSignals.from_votes(votes), one_vs_rest(votes, 2)),
        "classes": (WeakSignals.from_votes(classes), one_vs_rest(classes, 4)),
        "hard one-vs-rest": (WeakSignals.from_one_vs_rest(hard), hard),
        "soft one-vs-rest": (WeakSignals.from_one_vs_rest(soft), soft),
        "probabilities": (WeakSignals.from_probabilities(table), table.T[:, :, None]),
    }


@pytest.mark.parametrize("kind", cases(np.random.default_rng(0)))
@pytest.mark.parametrize(
    "options",
    [{}, {"rows": "raw"}, {"scale_free": True}],
    ids=["paper", "raw", "scale_free"],
)
def test_exact_mode_equals_the_textbook_loop(kind, options):
    rng = np.random.default_rng(3)
    signals, w = cases(rng)[kind]
    system = system_of(signals, 0.2)
    rates = np.zeros((signals.n_signals, system.n_labels))
    rates[system.signal, system.label] = system.rates
    starts = rng.random((2, len(signals), system.n_labels))
    found = labels_from(starts, signals, 0.2, **options)
    flags = {
        "raw": options.get("rows") == "raw",
        "scale_free": options.get("scale_free", False),
    }
    expected = np.mean([textbook(w, rates, start, **flags) for start in starts], axis=0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", cases(np.random.default_rng(0)))
def test_the_compiled_step_is_that_of_numpy(kind, monkeypatch):
    signals, _ = cases(np.random.default_rng(5))[kind]
    solutions = []
    for threshold in (0, 10**12):
        monkeypatch.setattr(adagrad, "MIN_COMPILED_LABELS", threshold)
        solutions.append(solve(signals, 0.3, Adagrad(iterations=30)))
    for name in ("labels", "residual", "multipliers"):
        np.testing.assert_allclose(*(getattr(s, name) for s in solutions), atol=1e-9)


# -- expected mode ------------------------------------------------------------


@given(st.floats(-2, 2), st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted))
def test_expected_label_is_the_mean_over_uniform_starts(s, bounds):
    lo, hi = bounds
    u = (np.arange(200_000) + 0.5) / 200_000
    mean = np.clip(u + s, lo, hi).mean()
    found = expected_label(np.array([s]), np.array([lo]), np.array([hi]))
    np.testing.assert_allclose(found, mean, atol=1e-5)


def test_labels_are_between_their_bounds_and_at_them_exactly(compiled):
    """After many steps `s` is large; what is left of it must not look like a label."""
    rng = np.random.default_rng(0)
    g = rng.normal(size=(1000, 1)) * rng.choice([1, 30, 1000], (1000, 1))
    part = adagrad._ExpectedLabels((1000, 1))
    for _ in range(50):
        part.step(g + rng.normal(size=g.shape))
    s, lo, hi, found = part.s, part.lo, part.hi, part.y
    assert ((found >= lo) & (found <= hi)).all()
    below, above = s <= lo - 1, s >= hi
    assert below.any()
    assert above.any()
    np.testing.assert_array_equal(found[below], lo[below])
    np.testing.assert_array_equal(found[above], hi[above])


def gap_to_restarts(signals, rates, restarts):
    """Mean difference to exact restarts, which are averaged within distinct rows."""
    expected = solve(signals, rates, Adagrad()).labels
    exact = solve(signals.by_example(), rates, Adagrad(starts=restarts)).labels
    means = row_means(signals, exact)
    return np.average(np.abs(expected - means)[:, 0], weights=signals.counts)


def test_expected_mode_is_the_limit_of_many_examples():
    """It differs from restarts at small n, and less as n grows."""
    task = independent_task(n=8_000, n_features=1)
    votes = np.vstack([task.votes, task.test_votes])
    gaps = [
        gap_to_restarts(WeakSignals.from_votes(votes[:n]), 0.4, 60)
        for n in (300, 1_500, 8_000)
    ]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] <= 0.02


@pytest.mark.data
def test_expected_mode_equals_200_restarts_on_sst2(data):
    signals = WeakSignals.from_votes(np.load(data / "sst-2" / "weak_signals.npy"))
    assert gap_to_restarts(signals, 0.01, 200) <= 0.001


# -- the certificate ----------------------------------------------------------


@given(st.integers(0, 10_000), st.sampled_from(["normalised", "raw"]), st.booleans())
def test_the_certificate_holds(seed, rows, scale_free):
    """The excess bounds the distance to the true optimum, found by least squares."""
    from scipy.optimize import lsq_linear

    rng = np.random.default_rng(seed)
    signals = WeakSignals.from_votes(rng.integers(-1, 2, (25, 4)), classes=[0, 1])
    solver = Adagrad(
        iterations=int(rng.integers(1, 60)), rows=rows, scale_free=scale_free
    )
    rates = rng.uniform(0, 0.5, 4)
    system = system_of(signals, rates)
    solution = solver.solve(system, rng)
    scale = system.size if rows == "raw" else np.ones(len(system))
    a = system.matrix() * system.weights * scale[:, None]
    best = lsq_linear(a, system.c * scale, bounds=(0, 1), tol=1e-14)
    least = 2 * best.cost / (scale**2).sum()
    assert solution.rms_residual**2 - least <= solution.excess**2 + 1e-9
    assert solution.rms_residual**2 >= least - 1e-9


def test_statuses_are_told_apart():
    feasible = solve(A1, 0.25, Adagrad(iterations=1000))
    assert feasible.status is Status.FEASIBLE
    assert len(feasible.history) == 1001
    clash = WeakSignals.from_votes([[0, 1], [0, 1], [1, 0], [0, 1]])
    infeasible = solve(clash, 0.01, Adagrad())
    assert infeasible.status is Status.INFEASIBLE
    assert "no labels" in infeasible.message
    np.testing.assert_allclose(np.abs(infeasible.residual), 0.49, atol=0.01)
    unfinished = solve(A1, 0.25, Adagrad(iterations=1))
    assert unfinished.status is Status.NOT_CONVERGED
    assert "stopped after 1 iterations" in unfinished.message


# -- parameters ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iterations": 0}, "iterations must be a positive integer"),
        ({"starts": 0}, "starts must be a positive integer"),
        ({"starts": np.zeros(3)}, "starts must be a positive integer"),
        ({"starts": "half"}, "starts must be"),
        ({"rows": "normal"}, "rows must be"),
        ({"scale_free": "no"}, "scale_free must be"),
        ({"uncovered_entries": "zero"}, "uncovered_entries must be"),
    ],
)
def test_parameters_are_checked_in_fit(options, message):
    labeler = ConstrainedLabeler(solver=Adagrad(**options))
    with pytest.raises(ParameterError, match=message):
        labeler.fit([[1, -1], [1, 1], [0, 0], [-1, 0]])
