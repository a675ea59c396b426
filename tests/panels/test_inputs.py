"""Votes, labelled rows and known means are read, or refused."""

import numpy as np
import pytest
from tests.panels.made_panels import hide, make_votes

import corral
from corral import WeakSignals
from corral.errors import ParameterError, SignalsError
from corral.panels.inputs import (
    check_random,
    code_slices,
    read_panel,
    take_sample,
)

VOTES, TRUTH = make_votes(2000)
PANEL = read_panel(WeakSignals.from_votes(VOTES))
KNOWN = hide(TRUTH, 100)
CONTESTED = np.ptp(VOTES, axis=1) > 0


def test_rows_have_their_votes_back():
    votes, _ = make_votes()
    votes[::7, 1] = -1
    votes[0] = -1
    panel = read_panel(WeakSignals.from_votes(votes, classes=[0, 1]))
    assert (panel.votes[panel.inverse] == votes).all()
    assert panel.counts.sum() == len(votes)
    assert panel.said.sum(axis=2).max() == 1
    np.testing.assert_allclose(panel.logs.mean(axis=1), 0, atol=1e-12)
    assert (panel.logs[panel.inverse[0]] == 0).all()
    assert panel.shares[panel.inverse[0]].tolist() == [0.5, 0.5]


def test_probabilities_stay_what_they_are():
    given = np.random.default_rng(0).dirichlet([1, 1, 1], (50, 4))
    given[3, 2] = np.nan
    panel = read_panel(WeakSignals.from_probabilities(given))
    np.testing.assert_allclose(panel.said, np.nan_to_num(given), atol=1e-6)
    assert panel.votes[3, 2] == -1
    assert (panel.votes[4] == given[4].argmax(axis=1)).all()
    np.testing.assert_allclose(panel.shares.sum(axis=1), 1)


def test_signals_that_make_no_panel_are_refused():
    votes = VOTES[:50]
    with pytest.raises(SignalsError, match="one-vs-rest"):
        read_panel(WeakSignals.from_one_vs_rest(np.zeros((2, 50, 3))))
    with pytest.raises(SignalsError, match="row by row"):
        read_panel(WeakSignals.from_votes(votes, counts=np.full(50, 2.0)))


def test_random_samples_pass():
    for seed in range(200):
        check_random(PANEL, np.flatnonzero(hide(TRUTH, 100, seed) >= 0))


def choose_doubtful():
    labels = corral.ConstrainedLabeler().fit(VOTES).labels_
    return np.argsort(labels.max(axis=1))[:100]


def choose_one_class():
    sure = np.flatnonzero(~CONTESTED & (VOTES[:, 0] == 1))[:38]
    return np.r_[sure, np.flatnonzero(CONTESTED & (VOTES.sum(axis=1) > 1))[:22]]


@pytest.mark.parametrize(
    ("choose", "said"),
    [(choose_doubtful, "disagree"), (choose_one_class, "classes")],
)
def test_rows_that_no_random_draw_would_give_are_refused(choose, said):
    known, rows = np.full(len(TRUTH), -1), choose()
    known[rows] = TRUTH[rows]
    with pytest.raises(ParameterError, match=said):
        take_sample(PANEL, known)


def test_probabilities_become_weights():
    drawn = np.where(CONTESTED, 0.4, 0.02)
    known = np.where(np.random.default_rng(0).random(2000) < drawn, TRUTH, -1)
    sample = take_sample(PANEL, known, drawn)
    assert sample.weights.mean() == pytest.approx(1)
    assert sample.weights.max() / sample.weights.min() == pytest.approx(20)
    assert sample.mean(np.ones(len(sample))) == pytest.approx(1)
    assert len(take_sample(PANEL, KNOWN, np.full(2000, 0.05))) == 100


@pytest.mark.parametrize(
    "given",
    [
        np.ones(3),
        np.zeros(2000),
        ["a"] * 2000,
        np.ones(2000),  # would say that nothing is open
        np.full(2000, 0.001),
    ],
)
def test_probabilities_are_checked(given):
    with pytest.raises(ParameterError, match="sampling"):
        take_sample(PANEL, KNOWN, given)


def test_nine_labels_are_too_few():
    with pytest.raises(ParameterError, match="gold"):
        take_sample(PANEL, hide(TRUTH, 9))


def test_slices_are_sorted_by_number_then_by_text():
    codes, names = code_slices("by", ["10", "nan", 2, None, "a", "3"], 6)
    assert names.tolist() == ["2", "3", "10", "a", "nan"]
    assert codes.tolist() == [2, 4, 0, -1, 3, 1]
    for wrong in (["a"], [None] * 6):
        with pytest.raises(ParameterError, match="slices"):
            code_slices("by", wrong, 6)
