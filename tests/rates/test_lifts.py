import numpy as np
import pytest
from corral.rates.lifts import (
    assume_lifts,
    find_informedness,
    learn_lifts,
    vote_balance,
    vote_shares,
)
from corral.rates.vote_features import vote_features

from corral import WeakSignals
from corral.datasets import random_votes


def features_of(votes, k=2):
    return vote_features(WeakSignals.from_votes(votes, classes=range(k)))


def test_vote_shares_have_half_a_vote_spread():
    features = features_of([[0, 0, 1], [1, -1, -1]])  # a third of the votes is for 0
    for raters, part in ((0, 1 / 4), (1, 1 / 6)):
        found = np.sort(vote_shares(features, raters)[:, 0])
        np.testing.assert_allclose(found, [part / 1.5, (2 + part) / 3.5])


def test_a_no_is_split_among_the_others():
    said = np.full((1, 2, 3), np.nan)
    said[0, 0, 0], said[0, 1, 1] = 0, 1
    features = vote_features(WeakSignals.from_one_vs_rest(said))
    np.testing.assert_allclose(vote_balance(features), [0, 0.75, 0.25], atol=1e-3)


@pytest.mark.parametrize("informed", [0.2, 0.6, 0.9])
def test_informedness_is_read_off_agreement(informed):
    votes, _ = random_votes(40_000, [(1 + informed) / 2] * 4, coverage=0.7)
    assert find_informedness(features_of(votes)) == pytest.approx(informed, abs=0.02)


def test_informedness_where_no_votes_meet():
    assert find_informedness(features_of([[0, -1], [-1, 1]])) == 0.5


def test_assumed_lifts_are_those_of_half_informed_votes():
    features = features_of([[0, -1], [-1, 1]] * 5)
    found = assume_lifts(features, np.array([0.8, 0.2]), 0.5)
    # P(class | vote) is half the vote and half the balance: 0.9 of 0.8, 0.1 of 0.2.
    np.testing.assert_allclose(found[0], np.log([0.9 / 0.8, 0.1 / 0.2]))


def test_lifts_of_many_votes_are_those_of_the_labels():
    votes, y = random_votes(50_000, [0.9, 0.7, 0.8], coverage=1.0)
    signals = WeakSignals.from_votes(votes)
    features = vote_features(signals)
    truth = np.zeros((features.n_patterns, 2))
    np.add.at(truth, (signals.patterns.inverse, y), 1)
    truth /= truth.sum(axis=1, keepdims=True)
    lifts, balance = learn_lifts(features, truth, np.ones(3))
    for f, (signal, vote) in enumerate(
        zip(features.column, features.vote, strict=True)
    ):
        share = np.bincount(y[votes[:, signal] == vote], minlength=2) / len(y)
        expected = np.log(share / share.sum()) - np.log(np.bincount(y) / len(y))
        np.testing.assert_allclose(lifts[f], expected, atol=0.02)
    np.testing.assert_allclose(balance, np.bincount(y) / len(y))


def test_a_signal_with_few_votes_is_like_the_others():
    votes, y = random_votes(5000, [0.9, 0.9, 0.9], coverage=1.0)
    few = np.full(len(y), -1)
    few[:3] = 1 - y[:3]  # three votes, all wrong
    features = features_of(np.column_stack([votes, few]))
    lifts, _ = learn_lifts(features, vote_shares(features, 1), np.ones(4))
    own = lifts[features.column == 3]
    said = features.vote[features.column == 3]
    assert (own[np.arange(len(own)), said] > 0).all()
