"""Labelled rows must be drawn at random, or with probabilities that are given."""

import numpy as np
import pytest
from tests.panels.made_panels import hide, make_votes

import corral
from corral import WeakSignals
from corral.errors import ParameterError
from corral.panels.panel_votes import read_panel
from corral.panels.sampling import check_random, take_sample


@pytest.fixture(scope="module")
def made():
    votes, truth = make_votes(2000)
    return votes, truth, read_panel(WeakSignals.from_votes(votes))


def test_random_samples_pass(made):
    _, truth, panel = made
    for seed in range(200):
        check_random(panel, np.flatnonzero(hide(truth, 100, seed) >= 0))


def test_suggested_rows_are_refused(made):
    votes, truth, panel = made
    labeler = corral.ConstrainedLabeler().fit(votes)
    known = np.full(len(truth), -1)
    rows = corral.suggest_labels(labeler, votes, 100, random_state=0)
    known[rows] = truth[rows]
    with pytest.raises(ParameterError, match="judges disagree on"):
        take_sample(panel, known)
    with pytest.raises(ParameterError, match="sampling="):
        take_sample(panel, known)


def test_rows_of_one_class_are_refused(made):
    votes, truth, panel = made
    known = np.full(len(truth), -1)
    contested = np.ptp(votes, axis=1) > 0
    rows = np.r_[
        np.flatnonzero(~contested & (votes[:, 0] == 1))[:38],
        np.flatnonzero(contested & (votes.sum(axis=1) > 1))[:22],
    ]
    known[rows] = truth[rows]
    with pytest.raises(ParameterError, match="the vote is for one of the classes"):
        take_sample(panel, known)


def test_probabilities_become_weights(made):
    votes, truth, panel = made
    contested = np.ptp(votes, axis=1) > 0
    drawn = np.where(contested, 0.4, 0.02)
    known = np.where(np.random.default_rng(0).random(2000) < drawn, truth, -1)
    sample = take_sample(panel, known, drawn)
    assert sample.weights.mean() == pytest.approx(1)
    ratio = sample.weights.max() / sample.weights.min()
    assert ratio == pytest.approx(20)
    assert sample.mean(np.ones(len(sample))) == pytest.approx(1)


@pytest.mark.parametrize("given", [np.ones(3), np.zeros(2000), ["a"] * 2000])
def test_probabilities_are_checked(made, given):
    _, truth, panel = made
    with pytest.raises(ParameterError, match="sampling must"):
        take_sample(panel, hide(truth, 50), given)


def test_nine_labels_are_too_few(made):
    _, truth, panel = made
    with pytest.raises(ParameterError, match="10 rows or more; 9 have one"):
        take_sample(panel, hide(truth, 9))


def test_probabilities_must_go_with_the_number_of_labels(made):
    """Ones would say that nothing is open, and close every interval."""
    _, truth, panel = made
    known = hide(truth, 100)
    with pytest.raises(ParameterError, match=r"some 2,000 rows .* that is 0.05\."):
        take_sample(panel, known, np.ones(2000))
    with pytest.raises(ParameterError, match="some 2 rows"):
        take_sample(panel, known, np.full(2000, 0.001))
    assert len(take_sample(panel, known, np.full(2000, 0.05))) == 100
