"""The theorem, on random instances with and without abstains."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.solvers.reference import bounded

from corral import WeakSignals, distance_bound
from corral.constraints import make_system
from corral.constraints.theory import own_parts


def dense(system, signals):
    """A over the examples (not distinct rows), all label columns side by side."""
    a = system.matrix().reshape(len(system), system.n_labels, -1)
    return a[:, :, signals.row_of].reshape(len(system), -1)


@st.composite
def instances(draw):
    """Signals of any kind and true labels of their examples, (n, n_labels)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, m, k = draw(st.integers(3, 12)), draw(st.integers(1, 5)), draw(st.integers(2, 4))
    y = rng.integers(0, k, n)
    kind = draw(st.sampled_from(["votes", "full votes", "soft", "one-vs-rest"]))
    if kind == "soft":
        w = rng.random((n, m))
        w[rng.random(w.shape) < 0.2] = np.nan
        w[0] = 0.9
        return WeakSignals.from_probabilities(w), (y > 0)[:, None].astype(float)
    if kind == "one-vs-rest":
        w = rng.random((m, n, k))
        w[rng.random(w.shape) < 0.4] = np.nan
        w[:, 0] = 0.2
        return WeakSignals.from_one_vs_rest(w), np.eye(k)[y]
    votes = rng.integers(-1 if kind == "votes" else 0, k, (n, m))
    votes[0] = 0
    signals = WeakSignals.from_votes(votes, classes=range(k))
    return signals, (np.eye(k)[y] if k > 2 else y[:, None].astype(float))


def true_system(signals, truth):
    """The system at the errors that every row has under the truth (n, n_labels)."""
    empty = make_system(signals)
    each = np.bincount(signals.row_of)[:, None]
    sums = [np.bincount(signals.row_of, column) for column in truth.T]
    rates = empty.errors(np.column_stack(sums) / each)
    return bounded(empty, rates, rates)


@given(instances(), st.integers(0, 2**32))
def test_every_feasible_label_keeps_the_distance(instance, seed):
    """Vertices of the system in random directions, and the truth itself."""
    signals, truth = instance
    system = true_system(signals, truth)
    a, t = dense(system, signals), truth.T.ravel()
    bound = distance_bound(system)
    np.testing.assert_allclose(a @ t, system.c, atol=1e-9)
    assert np.linalg.norm(t - (1 - t)) >= bound - 1e-7
    direction = np.random.default_rng(seed).normal(size=len(t))
    found = linprog(direction, A_eq=a, b_eq=system.c, bounds=(0, 1))
    assume(found.status == 0)
    assert np.linalg.norm(found.x - (1 - t)) >= bound - 1e-6


@given(instances())
def test_the_bound_equals_the_pseudoinverse_form(instance):
    signals, truth = instance
    system = true_system(signals, truth)
    a = dense(system, signals)
    expected = np.linalg.norm(np.linalg.pinv(a, rcond=1e-7) @ (1 - 2 * system.rates))
    np.testing.assert_allclose(distance_bound(system), expected, rtol=1e-6, atol=1e-9)


@given(instances())
def test_own_parts_are_what_least_squares_leaves(instance):
    signals, truth = instance
    system = true_system(signals, truth)
    for r, part in enumerate(own_parts(system)):
        a = dense(system, signals)
        row, others = a[r], np.delete(a, r, axis=0)
        length = row @ row
        if not len(others) or length < 1e-12:
            assert part == pytest.approx(float(length >= 1e-12))
            continue
        left = row - others.T @ np.linalg.lstsq(others.T, row, rcond=1e-10)[0]
        assert part == pytest.approx(left @ left / length, abs=1e-6)


def test_copies_add_no_distance():
    rng = np.random.default_rng(0)
    votes = rng.integers(-1, 2, (50, 3))
    truth = rng.integers(0, 2, (50, 1)).astype(float)
    once = true_system(WeakSignals.from_votes(votes), truth)
    twice = true_system(WeakSignals.from_votes(np.hstack([votes, votes])), truth)
    np.testing.assert_allclose(distance_bound(once), distance_bound(twice))
