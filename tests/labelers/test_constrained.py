import re

import numpy as np
import pytest

from corral import (
    Adagrad,
    ClassBalance,
    ConstrainedLabeler,
    Status,
    WeakSignals,
    signal_errors,
)
from corral.datasets import random_votes
from corral.errors import InfeasibleWarning, ParameterError, SignalsWarning

VOTES = [[1, -1], [1, 1], [0, 0], [-1, 0]]


# -- prediction ---------------------------------------------------------------


def test_random_starts_label_new_votes_by_their_mean():
    votes, _ = random_votes(4_000)
    labeler = ConstrainedLabeler(0.3, Adagrad(starts=5), random_state=0).fit(votes)
    signals = WeakSignals.from_votes(votes)
    frequent = signals.counts >= 40
    mean = np.bincount(signals.row_of, labeler.labels_[:, 1]) / signals.counts
    found = labeler.predict_proba(signals.distinct())[:, 1]
    np.testing.assert_allclose(found[frequent], mean[frequent], atol=0.1)


def test_what_only_an_unfitted_signal_speaks_of_is_uncovered():
    votes = [[0, 1, -1], [1, 1, -1], [0, 0, -1], [1, 0, -1]]
    with pytest.warns(SignalsWarning, match="never vote are left out: s2"):
        labeler = ConstrainedLabeler(0.4).fit(votes)
    assert labeler.predict([[-1, -1, 1]]).tolist() == [-1]


# -- uncovered entries and rows -----------------------------------------------


def test_uncovered_entries_share_what_is_left():
    w = np.full((1, 3, 3), np.nan)
    w[0, :2, 0] = [1, 1]
    labeler = ConstrainedLabeler(0.2).fit(WeakSignals.from_one_vs_rest(w))
    np.testing.assert_allclose(labeler.labels_[0], [0.8, 0.1, 0.1], atol=1e-3)
    np.testing.assert_allclose(labeler.labels_[2], 1 / 3)
    balanced = ConstrainedLabeler(0.2, class_balance=[0.8, 0.15, 0.05])
    balanced.fit(WeakSignals.from_one_vs_rest(w))
    np.testing.assert_allclose(balanced.labels_[2], [0.8, 0.15, 0.05])


def test_paper_mode_keeps_the_start_where_nothing_speaks():
    w = np.full((1, 3, 3), np.nan)
    w[0, :2, 0] = 1
    signals = WeakSignals.from_one_vs_rest(w)
    start = np.random.default_rng(0).random((3, 3))
    paper = ConstrainedLabeler(0.2, Adagrad.paper(), random_state=0).fit(signals)
    labels = paper.labels_
    np.testing.assert_allclose(labels[2], start[2] / start[2].sum(), atol=1e-9)
    np.testing.assert_allclose(labels[0, 1] / labels[0, 2], start[0, 1] / start[0, 2])
    # Other votes have no start: they are labelled by the mean over all.
    solver = Adagrad(starts=100, uncovered_entries="start")
    labeler = ConstrainedLabeler(0.2, solver, random_state=0).fit(signals)
    np.testing.assert_allclose(
        labeler.predict_proba(signals), labeler.labels_, atol=0.1
    )
    assert Adagrad.paper().iterations == 300  # the text of the paper says 200
    assert Adagrad.paper().starts == 1
    assert Adagrad.paper().uncovered_entries == "start"


@pytest.mark.parametrize(
    ("balance", "message"),
    [([0.5], "2 shares"), ([0.9, 0.9], "add up to one"), ([-1, 2], "2 shares")],
)
def test_class_balance_is_checked(balance, message):
    with pytest.raises(ParameterError, match=message):
        ConstrainedLabeler(class_balance=balance).fit(VOTES)


# -- a class balance that is known ---------------------------------------------


def make_skewed(n=1500, seed=0):
    """Votes of five raters on three classes, some examples without any; and gold."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    other = rng.integers(0, 3, (n, 5))
    votes = np.where(rng.random((n, 5)) < 0.7, y[:, None], other)
    votes[rng.random((n, 5)) < 0.4] = -1
    votes[:9] = -1
    return votes, y


SHARES = [0.4, 0.4, 0.2]


@pytest.mark.parametrize("soft", [False, True])
def test_labels_with_estimated_rates_have_the_class_balance(soft):
    votes, y = make_skewed()
    signals = WeakSignals.from_votes(votes, classes=range(3))
    if soft:
        chances = np.where(votes[:, :, None] == np.arange(3), 0.7, 0.15)
        chances[votes < 0] = np.nan
        signals = WeakSignals.from_probabilities(chances)
    weights = np.random.default_rng(1).random(len(y))
    labeler = ConstrainedLabeler(class_balance=SHARES)
    labeler.fit(signals, sample_weight=weights)
    at = labeler.covered_
    mean = np.average(labeler.labels_[at], axis=0, weights=weights[at])
    np.testing.assert_allclose(mean, SHARES, atol=1e-6)
    np.testing.assert_array_equal(
        labeler.labels_[~at], np.tile(SHARES, ((~at).sum(), 1))
    )
    np.testing.assert_allclose(labeler.predict_proba(signals), labeler.labels_)


@pytest.mark.parametrize("rates", ["auto", 0.3])
@pytest.mark.parametrize(
    ("solver", "off"), [("entropy", 1e-3), ("projection", 0.02), ("adagrad", 0.02)]
)
def test_the_class_balance_is_a_constraint_for_a_solver(rates, solver, off):
    votes, _ = make_skewed()
    labeler = ConstrainedLabeler(rates, solver, class_balance=SHARES).fit(votes)
    at = labeler.covered_
    np.testing.assert_allclose(labeler.labels_[at].mean(axis=0), SHARES, atol=off)
    np.testing.assert_allclose(labeler.labels_[~at], np.tile(SHARES, ((~at).sum(), 1)))
    without = ConstrainedLabeler(rates, solver).fit(votes).labels_[at].mean(axis=0)
    assert np.abs(without - SHARES).max() > 0.05
    np.testing.assert_allclose(labeler.predict_proba(votes), labeler.labels_)


def test_a_constraint_on_the_class_balance_goes_first():
    votes, _ = make_skewed()
    asked = [ClassBalance(0, equal=0.6)]
    labeler = ConstrainedLabeler(
        0.3, "entropy", constraints=asked, class_balance=SHARES
    ).fit(votes)
    assert labeler.labels_.mean(axis=0)[0] == pytest.approx(0.6, abs=1e-3)


# -- what it says about itself ------------------------------------------------


def test_true_rates_of_one_vs_rest_signals_are_met():
    rng = np.random.default_rng(0)
    signals = WeakSignals.from_one_vs_rest(rng.integers(0, 2, (3, 40, 3)))
    rates = signal_errors(signals, rng.integers(0, 3, 40))
    with pytest.warns(SignalsWarning, match="above chance"):
        labeler = ConstrainedLabeler(rates).fit(signals)
    assert labeler.error_rates_.shape == labeler.implied_error_rates_.shape == (3, 3)
    assert labeler.solution_.status is Status.FEASIBLE


def test_infeasible_given_rates_are_named_and_uniform_ones_are_not():
    clash = [[0, 1], [0, 1], [1, 0], [0, 1]]
    assert ConstrainedLabeler(0.01).fit(clash).solution_.status is Status.INFEASIBLE
    with pytest.warns(InfeasibleWarning, match=r"s0 \(expected 0.01, nearest 0.5"):
        ConstrainedLabeler([0.01, 0.01]).fit(clash)


def test_unknown_solvers_are_refused():
    with pytest.raises(ParameterError, match="'projection'; 'newton'"):
        ConstrainedLabeler(solver="newton").fit(VOTES)
    for wrong in (3, Adagrad):
        with pytest.raises(ParameterError, match="an object such as"):
            ConstrainedLabeler(solver=wrong).fit(VOTES)


# -- explanations -------------------------------------------------------------


def test_explain_names_signals_votes_and_directions():
    votes = [["spam", "spam", None], ["ham", "spam", "ham"], [None, None, "ham"]]
    labeler = ConstrainedLabeler(0.1).fit(votes)
    told = labeler.explain(1, votes)
    assert told.label == "ham"
    assert told.votes == ("ham", "spam", "ham")
    assert told.moves.shape == (3, 2)
    np.testing.assert_allclose(told.moves[:, 0], -told.moves[:, 1])
    assert np.sign(told.shares).tolist() == [1, -1, 1]
    assert np.abs(told.shares).sum() == pytest.approx(1)
    assert re.search(r"s1 +spam +-50%", str(told))
    assert str(labeler.explain(0, [["ham", "ham", "ham"]])).startswith("example 0: ham")
    np.testing.assert_array_equal(
        labeler.explain(-1, votes).moves, labeler.explain(2, votes).moves
    )
    with pytest.raises(ParameterError, match="from 0 to 2"):
        labeler.explain(3, votes)


def test_moves_add_up_to_the_shift_of_the_label():
    """From a start that never meets the box, label = start + the sum of all moves."""
    votes = np.tile([[1, 0], [0, 1], [1, 1], [0, -1]], (20_000, 1))  # small steps
    start = np.random.default_rng(0).random(len(votes))
    solver = Adagrad(starts=1, iterations=30)
    labeler = ConstrainedLabeler(0.45, solver, random_state=0).fit(votes)
    inside = np.flatnonzero((start > 0.4) & (start < 0.6))[:12]
    assert set(inside % 4) == {0, 1, 2, 3}
    for j in inside.tolist():
        moved = labeler.explain(j, votes).moves[:, 1].sum()
        assert labeler.labels_[j, 1] != start[j]
        assert labeler.labels_[j, 1] == pytest.approx(start[j] + moved, abs=1e-9)


def test_explain_an_uncovered_example_and_soft_signals():
    votes = [[0, 1], [-1, -1], [1, 1]]
    labeler = ConstrainedLabeler(0.1).fit(votes)
    assert "no signal votes on it" in str(labeler.explain(1, votes))
    soft = WeakSignals.from_probabilities([[0.9, np.nan], [0.2, 0.4]])
    told = ConstrainedLabeler(0.3).fit(soft).explain(0, soft)
    assert told.votes == ("1 0.90", "")
    w = np.full((2, 2, 3), np.nan)
    w[0, 0], w[1, 0, 1], w[0, 1] = [1, 0, np.nan], 1, [np.nan, np.nan, 1]
    rests = WeakSignals.from_one_vs_rest(w)
    told = ConstrainedLabeler(0.1).fit(rests).explain(0, rests)
    assert told.votes == ("0, not 1", "1")
