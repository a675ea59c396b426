"""Labelers that learn nothing: worked examples and public sets."""

import numpy as np
import pytest

from corral import Averaging, MajorityVote, WeakSignals, WeightedVote
from corral.errors import ParameterError

NAN = np.nan
EXAMPLE_C1 = [[1, 1, -1], [1, 0, 1], [0, 0, 0], [-1, 1, 1]]


def test_example_b1():
    votes = [[1, 1, 0], [1, 0, -1], [-1, -1, -1]]
    labeler = MajorityVote().fit(votes)
    np.testing.assert_allclose(labeler.labels_, [[0, 1], [0.5, 0.5], [0.5, 0.5]])
    soft = WeakSignals.from_probabilities(
        np.array([[np.nan], [0], [0.4], [0.5], [0.51], [1]])
    )
    assert soft.harden().votes.ravel().tolist() == [-1, 0, 0, -1, 1, 1]


def test_one_vs_rest_votes_against_a_class_count():
    w = np.full((3, 2, 3), np.nan)
    w[:, 0, 0] = [1, 0, 0]
    w[0, 0, 1] = 1
    w[:, 1, 2] = [0, 0, 1]
    labels = MajorityVote().fit(WeakSignals.from_one_vs_rest(w)).labels_
    assert labels[0].tolist() == [0, 1, 0]
    assert labels[1].tolist() == [0.5, 0.5, 0]


def test_averaging_leaves_out_abstains():
    p = np.array([[[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]], [[1, 0, 0], [np.nan] * 3]])
    labels = Averaging().fit(WeakSignals.from_probabilities(p)).labels_
    np.testing.assert_allclose(labels, [[0.4, 0.25, 0.35], [1, 0, 0]])


def test_votes_weigh_their_log_odds():
    labeler = WeightedVote(accuracies=[0.8, 0.7, 0.6]).fit(EXAMPLE_C1)
    np.testing.assert_allclose(
        labeler.weights_, [1.386294, 0.847298, 0.405465], atol=1e-5
    )
    np.testing.assert_allclose(
        labeler.labels_[:, 1], [0.903226, 0.72, 0.066667, 0.777778], atol=1e-5
    )


def test_more_classes_share_the_errors():
    """Bayes' rule by hand: a wrong vote is any of the two other classes."""
    labels = WeightedVote(accuracies=[0.8, 0.6]).fit([[0, 1], [2, 2]]).labels_
    by_hand = np.array([[0.8 * 0.2, 0.1 * 0.6, 0.1 * 0.2], [0.1 * 0.2] * 2 + [0.48]])
    np.testing.assert_allclose(labels, by_hand / by_hand.sum(axis=1, keepdims=True))


def test_weights_of_one_vs_rest_signals():
    w = np.full((2, 3, 3), NAN)
    w[0, 0, 1], w[1, 0, 0] = 1, 0
    w[0, 1, 2] = 0
    signals = WeakSignals.from_one_vs_rest(w)
    rates = np.array([[0.9, 0.8, 0.7], [0.6, 0.9, 0.9]])
    labels = WeightedVote(accuracies=rates).fit(signals).labels_
    by_hand = np.array([[0.2 * 0.4, 0.8 * 0.6, 0.2 * 0.6], [0.7, 0.7, 0.3], [1, 1, 1]])
    np.testing.assert_allclose(labels, by_hand / by_hand.sum(axis=1, keepdims=True))


def test_soft_signals_vote_in_part():
    signals = WeakSignals.from_probabilities([[0.75, NAN], [0.5, 1]])
    p = WeightedVote([2.0, 1.0]).fit(signals).labels_[:, 1]
    np.testing.assert_allclose(p, 1 / (1 + np.exp([-1.0, -1.0])))


def test_weights_by_name_and_against():
    signals = WeakSignals.from_votes([[0, 1], [1, 1]], names=["a", "b"])
    labeler = WeightedVote({"b": -3.0, "a": 1.0}).fit(signals)
    assert labeler.weights_.tolist() == [1, -3]
    assert labeler.predict(signals).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "one of the two"),
        ({"weights": 1, "accuracies": 0.7}, "one of the two"),
        ({"weights": [1, 2]}, r"shape \(3,\)"),
        ({"weights": "heavy"}, "'heavy' was given"),
        ({"weights": [1, NAN, 1]}, "finite"),
        ({"weights": {"s0": 1, "x": 1}}, "unknown: 'x'; missing: 's1', 's2'"),
        ({"accuracies": [0.5, 0.9, 1.0]}, "could never be outvoted; 1 was given"),
    ],
)
def test_weights_are_checked(options, message):
    with pytest.raises(ParameterError, match=message):
        WeightedVote(**options).fit(EXAMPLE_C1)
