"""Conflicts are conflicts, none of their members is idle, and the change mends them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

import corral
from corral import (
    ClassBalance,
    ConstrainedLabeler,
    Entropy,
    ErrorRate,
    Known,
    Status,
    WeakSignals,
    feasibility,
    label_space,
    signal_errors,
)
from corral.datasets import random_votes
from corral.errors import InfeasibleWarning, ParameterError
from corral.solvers import feasibility as feasibility_module

SEEDS = st.integers(0, 10_000)


def random_space(seed, k):
    rng = np.random.default_rng(seed)
    votes = rng.integers(-1, k, (20, 5))
    votes[:k] = np.arange(k)[:, None]
    space = label_space(WeakSignals.from_votes(votes, classes=range(k)), joint=True)
    low, high = np.sort(rng.uniform(0, 0.35, (2, 5)), axis=0)
    form = rng.integers(0, 3, 5)
    lower = np.where(form == 0, high, np.where(form == 1, -np.inf, low))
    return replace(space.bounded(lower, high), weight=rng.uniform(0.5, 2, 5))


def only(space, rows):
    """The same space that asks for some rows alone."""
    lower, upper = (np.array(bound) for bound in space.interval)
    others = np.setdiff1d(np.arange(len(lower)), rows)
    lower[others], upper[others] = -np.inf, np.inf
    return replace(space, lower=lower, upper=upper)


@settings(max_examples=25)
@given(SEEDS, st.sampled_from([2, 3]))
def test_the_change_mends_and_the_conflict_is_minimal(seed, k):
    space = random_space(seed, k)
    report = feasibility(space)
    if report.feasible:
        assert not report.conflict.any()
        assert Entropy(1e-7).solve(space).status is Status.FEASIBLE
        return
    mended = replace(space, lower=report.mended[0], upper=report.mended[1])
    assert feasibility(mended).feasible
    assert Entropy(1e-7).solve(mended).rms_residual < 1e-3
    clash = np.flatnonzero(report.conflict)
    assert not feasibility(only(space, clash)).feasible
    for row in clash:
        assert feasibility(only(space, clash[clash != row])).feasible


@settings(max_examples=25)
@given(SEEDS)
def test_no_other_change_is_smaller(seed):
    """Least squares changes sum up to more; least squares are those of scipy."""
    space = random_space(seed, 2)
    weight = space.row_weight
    by_sum = feasibility(space)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feasibility_module, "PROGRAM_ENTRIES", 0)
        by_squares = feasibility(space)
    assert by_squares.feasible or not by_sum.feasible
    total = weight @ np.abs(by_sum.change)
    assert total <= weight @ np.abs(by_squares.change) + 1e-3
    lower, upper = space.interval
    if (lower == upper).all():
        a = space.matrix() * space.design.weights * np.sqrt(weight)[:, None]
        best = lsq_linear(a, np.sqrt(weight) * space.c, bounds=(0, 1), tol=1e-14)
        squares = (weight * by_squares.change**2).sum()
        assert squares == pytest.approx(2 * best.cost, abs=1e-4)


def test_true_rates_are_feasible_and_labels_may_have_to_add_up_to_one():
    votes, truth = random_votes(500, accuracies=[0.8, 0.7, 0.6])
    signals = WeakSignals.from_votes(votes)
    rates = signal_errors(signals, truth)
    labeler = ConstrainedLabeler(rates, "entropy").fit(signals)
    report = feasibility(labeler)
    assert report.feasible
    assert str(report) == "feasible: some labels meet all 3 constraints"
    # "Yes" to two classes of the same examples, each wrong three times in ten.
    w = np.full((2, 4, 3), np.nan)
    w[0, :, 0] = w[1, :, 1] = 1
    space = label_space(WeakSignals.from_one_vs_rest(w), np.full(2, 0.3))
    assert not feasibility(space).feasible
    assert feasibility(space, joint=False).feasible


def test_a_labeler_names_its_constraints():
    votes, _ = random_votes(300, accuracies=[0.9, 0.8, 0.7])
    asked = [ErrorRate(at_most=0.3), ClassBalance(1, at_least=0.99)]
    labeler = ConstrainedLabeler(None, "entropy", constraints=asked)
    with pytest.warns(InfeasibleWarning):
        labeler.fit(votes)
    report = feasibility(labeler)
    assert report.names == ("s0", "s1", "s2", "ClassBalance(1)")
    assert report.conflict[3]
    told = str(report)
    assert "ClassBalance(1)  >= 0.99" in told
    assert "<= 0.3" in told
    assert repr(report) == told
    lower, upper = report.mended
    changed = np.abs(report.change) > 1e-6
    assert ((lower < report.lower) | (upper > report.upper))[changed].all()


def test_weights_say_what_should_move():
    clash = WeakSignals.from_votes([[0, 1], [1, 0]])
    space = label_space(clash).bounded(0.1, 0.1)
    for heavy in (0, 1):
        weight = np.where(np.arange(2) == heavy, 10.0, 1.0)
        change = feasibility(replace(space, weight=weight)).change
        np.testing.assert_allclose(change[heavy], 0, atol=1e-9)
        np.testing.assert_allclose(change[1 - heavy], 0.8, atol=1e-9)


def test_a_constraint_that_is_impossible_by_itself():
    votes = [[0, 1], [1, 1], [0, 0]]
    asked = [ErrorRate("s0", at_most=0.2), Known([0, 1, 2], [1, 0, 1])]
    labeler = ConstrainedLabeler(None, "entropy", constraints=asked)
    with pytest.warns(InfeasibleWarning):
        labeler.fit(votes)
    report = feasibility(labeler)
    assert report.conflict.tolist() == [True, False]
    np.testing.assert_allclose(report.change, [0.8, 0], atol=1e-9)


def test_what_it_takes(tmp_path):
    labeler = ConstrainedLabeler(0.3).fit([[0, 1], [1, 1], [0, 0]])
    labeler.save(tmp_path / "l")
    loaded = ConstrainedLabeler.load(tmp_path / "l")
    for wrong in (loaded, ConstrainedLabeler(), 3):
        with pytest.raises(ParameterError, match=r"fitted .* or a LabelSpace"):
            corral.feasibility(wrong)
    named = feasibility(
        label_space(WeakSignals.from_votes([[0, 1], [1, 1]])), names="ab"
    )
    assert named.names == ("a", "b")


@pytest.mark.data
def test_sst2_at_the_papers_rate(data):
    votes = np.load(data / "sst-2" / "weak_signals.npy")
    labeler = ConstrainedLabeler(0.01, "projection").fit(votes)
    report = feasibility(labeler)
    assert not report.feasible
    assert report.conflict.sum() >= 2
    squares = np.sqrt(np.mean(report.change**2))
    assert squares >= labeler.solution_.rms_residual - 1e-6
