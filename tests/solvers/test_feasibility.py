"""Conflicts are conflicts, none of their members is idle, and the change mends them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from tests.solvers.reference import bounded

from corral import (
    ClassBalance,
    ConstrainedLabeler,
    Entropy,
    ErrorRate,
    Status,
    WeakSignals,
    feasibility,
    signal_errors,
)
from corral.constraints import make_system
from corral.datasets import random_votes
from corral.solvers import feasibility as feasibility_module

SEEDS = st.integers(0, 10_000)


def random_system(seed, k):
    rng = np.random.default_rng(seed)
    votes = rng.integers(-1, k, (20, 5))
    votes[:k] = np.arange(k)[:, None]
    system = make_system(WeakSignals.from_votes(votes, classes=range(k)), joint=True)
    low, high = np.sort(rng.uniform(0, 0.35, (2, 5)), axis=0)
    form = rng.integers(0, 3, 5)
    lower = np.where(form == 0, high, np.where(form == 1, -np.inf, low))
    return replace(bounded(system, lower, high), weight=rng.uniform(0.5, 2, 5))


def only(system, rows):
    """The same system that asks for some rows alone."""
    lower, upper = system.lower.copy(), system.upper.copy()
    others = np.setdiff1d(np.arange(len(lower)), rows)
    lower[others], upper[others] = -np.inf, np.inf
    return replace(system, lower=lower, upper=upper)


@settings(max_examples=25)
@given(SEEDS, st.sampled_from([2, 3]))
def test_the_change_mends_and_the_conflict_is_minimal(seed, k):
    system = random_system(seed, k)
    report = feasibility(system)
    if report.feasible:
        assert not report.conflict.any()
        assert Entropy(1e-7).solve(system).status is Status.FEASIBLE
        return
    mended = replace(system, lower=report.mended[0], upper=report.mended[1])
    assert feasibility(mended).feasible
    assert Entropy(1e-7).solve(mended).rms_residual < 1e-3
    clash = np.flatnonzero(report.conflict)
    assert not feasibility(only(system, clash)).feasible
    for row in clash:
        assert feasibility(only(system, clash[clash != row])).feasible


@settings(max_examples=25)
@given(SEEDS)
def test_no_other_change_is_smaller(seed):
    """Least squares changes sum up to more; least squares are those of scipy."""
    system = random_system(seed, 2)
    weight = system.weight
    by_sum = feasibility(system)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feasibility_module, "MAX_PROGRAM_LABELS", 0)
        by_squares = feasibility(system)
    assert by_squares.feasible or not by_sum.feasible
    total = weight @ np.abs(by_sum.change)
    assert total <= weight @ np.abs(by_squares.change) + 1e-3
    if (system.lower == system.upper).all():
        a = system.matrix() * system.weights * np.sqrt(weight)[:, None]
        best = lsq_linear(a, np.sqrt(weight) * system.c, bounds=(0, 1), tol=1e-14)
        squares = (weight * by_squares.change**2).sum()
        assert squares == pytest.approx(2 * best.cost, abs=1e-4)


def test_true_rates_are_feasible_and_labels_may_have_to_add_up_to_one():
    votes, truth = random_votes(500, accuracies=[0.8, 0.7, 0.6])
    signals = WeakSignals.from_votes(votes)
    rates = signal_errors(signals, truth)
    report = feasibility(ConstrainedLabeler(rates, "entropy"), signals)
    assert report.feasible
    assert str(report) == "feasible: some labels meet all 3 constraints"
    # "Yes" to two classes of the same examples, each wrong three times in ten.
    w = np.full((2, 4, 3), np.nan)
    w[0, :, 0] = w[1, :, 1] = 1
    system = make_system(WeakSignals.from_one_vs_rest(w), np.full(2, 0.3))
    assert not feasibility(system).feasible


def test_a_labeler_names_its_constraints():
    votes, _ = random_votes(300, accuracies=[0.9, 0.8, 0.7])
    asked = [ErrorRate(at_most=0.3), ClassBalance(1, at_least=0.99)]
    labeler = ConstrainedLabeler(None, "entropy", constraints=asked)
    report = feasibility(labeler, votes)
    assert report.names == ("s0", "s1", "s2", "ClassBalance(1)")
    assert report.conflict[3]
    told = str(report)
    assert "ClassBalance(1)  >= 0.99" in told
    assert "<= 0.3" in told
    assert repr(report) == told
    lower, upper = report.mended
    changed = np.abs(report.change) > 1e-6
    assert ((lower < report.lower) | (upper > report.upper))[changed].all()
