import numpy as np
import pytest
from corral.rates.confidence import find_usual_confidence

from corral import WeakSignals
from corral.datasets import random_votes
from corral.rates import Auto


@pytest.mark.parametrize("bins", [None, 100])
def test_usual_confidence_is_a_mean_over_votes(bins):
    soft = np.array([[0.9, 0.6], [0.2, 0.4], [np.nan, 0.5]])
    found = find_usual_confidence(WeakSignals.from_probabilities(soft, bins=bins))
    np.testing.assert_allclose(found, [0.7, 0.2])  # 0.5 is no vote


@pytest.mark.parametrize("bins", [None, 100])
def test_weights_are_rows_that_are_repeated(bins):
    soft, times = np.array([[0.9, 0.6], [0.2, 0.4], [0.55, 0.7]]), np.array([1, 4, 2])
    once, often = (
        WeakSignals.from_probabilities(s, bins=bins)
        for s in (soft, np.repeat(soft, times, axis=0))
    )
    weighted = Auto().estimate(once, times.astype(float)).model
    repeated = Auto().estimate(often).model
    np.testing.assert_allclose(
        find_usual_confidence(once, times.astype(float)), find_usual_confidence(often)
    )
    np.testing.assert_allclose(weighted.labels(once), repeated.labels(once), atol=1e-9)


def test_usual_confidence_of_several_classes():
    soft = [[[0.6, 0.2, 0.2]], [[0.1, 0.8, 0.1]]]
    found = find_usual_confidence(WeakSignals.from_probabilities(soft))
    np.testing.assert_allclose(found, [(0.4 + 0.7) / 2])


@pytest.mark.parametrize("sure", [0.51, 0.7, 0.99])
def test_how_sure_a_signal_always_is_does_not_matter(sure):
    votes, _ = random_votes(400, [0.9, 0.8, 0.7, 0.8], coverage=1.0)
    hard = WeakSignals.from_votes(votes)
    soft = WeakSignals.from_probabilities(np.where(votes, sure, 1 - sure))
    found, expected = (Auto().estimate(s).model.labels(s) for s in (soft, hard))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_surer_probability_says_more():
    votes, _ = random_votes(400, [0.9, 0.8, 0.7, 0.8], coverage=1.0)
    sure = np.where(np.arange(400) % 2, 0.9, 0.6)[:, None]
    soft = WeakSignals.from_probabilities(np.where(votes, sure, 1 - sure))
    labels = Auto().estimate(soft).model.labels(soft).max(axis=1)
    assert labels[1::2].mean() > labels[::2].mean() + 0.05
