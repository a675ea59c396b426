import numpy as np
import pytest
from corral.rates.independence import find_evidence, find_independence
from corral.rates.vote_features import vote_features

from corral import ConstrainedLabeler, DawidSkene, WeakSignals, signal_errors
from corral.datasets import random_votes
from corral.rates import Auto


def measure(votes, truth):
    """Evidence, and independence given the true classes."""
    features = vote_features(WeakSignals.from_votes(votes))
    patterns = WeakSignals.from_votes(votes).patterns
    labels = np.zeros((features.n_patterns, 2))
    np.add.at(labels, (patterns.inverse, truth), 1)
    labels /= labels.sum(axis=1, keepdims=True)
    raters = np.ones(features.n_columns)
    return find_evidence(features, raters), find_independence(features, labels, raters)


def draw_family(truth, rng):
    """Five raters who take 60% of their answers from another, and three others."""

    def rate():
        return np.where(rng.random(len(truth)) < 0.75, truth, 1 - truth)

    elder = rate()
    family = [np.where(rng.random(len(truth)) < 0.6, elder, rate()) for _ in range(5)]
    return np.column_stack([*family, rate(), rate(), rate()])


def test_raters_who_err_independently():
    votes, truth = random_votes(5000, [0.9, 0.8, 0.7, 0.6, 0.8], coverage=1.0)
    evidence, independence = measure(votes, truth)
    assert evidence > 0.9
    assert independence > 0.8


def test_a_family_of_raters_is_not_independent():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 5000)
    assert measure(draw_family(truth, rng), truth) == (pytest.approx(1, abs=0.05), 0.0)


def test_examples_that_are_hard_for_all_are_no_independence():
    rng = np.random.default_rng(0)
    truth, hard = rng.integers(0, 2, 5000), rng.random(5000) < 0.3
    right = rng.random((5000, 6)) < np.where(hard, 0.5, 0.95)[:, None]
    votes = np.where(right, truth[:, None], 1 - truth[:, None])
    assert measure(votes, truth)[1] == 0


@pytest.mark.parametrize(("n", "raters"), [(5000, 3), (20, 5)])
def test_three_raters_or_few_examples_are_no_evidence(n, raters):
    votes, _ = random_votes(n, [0.8] * raters, coverage=1.0)
    features = vote_features(WeakSignals.from_votes(votes))
    assert find_evidence(features, np.ones(raters)) < 0.1


def test_an_expert_among_guessers_is_followed():
    votes, truth = random_votes(5000, [0.95, *[0.55] * 8], coverage=1.0)
    default, other = (
        labeler.fit(votes).score(votes, truth)
        for labeler in (ConstrainedLabeler(), DawidSkene())
    )
    assert default > other - 0.03


def test_rates_of_independent_raters_are_near_the_truth():
    votes, truth = random_votes(20_000, [0.9, 0.8, 0.7, 0.6, 0.9], coverage=0.7)
    signals = WeakSignals.from_votes(votes)
    expected = signal_errors(signals, truth)
    found = Auto().estimate(signals).error_rates
    np.testing.assert_allclose(found, expected, atol=0.05)
