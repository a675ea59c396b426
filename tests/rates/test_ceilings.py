import numpy as np
import pytest
from corral.rates.ceilings import find_ceiling
from corral.rates.vote_features import vote_features

from corral import WeakSignals


def ceiling_of(votes, rater, k=2):
    features = vote_features(
        WeakSignals.from_votes(np.column_stack([votes, rater]), classes=range(k))
    )
    is_rule = np.arange(votes.shape[1] + 1) < votes.shape[1]
    return find_ceiling(features, votes.shape[1], is_rule)


@pytest.mark.parametrize("accuracy", [0.2, 0.5, 0.7, 0.9, 0.97])
def test_accuracy_is_read_off_the_ceiling(rules, accuracy):
    votes, y = rules(6000)
    rng = np.random.default_rng(1)
    rater = np.where(rng.random(len(y)) < accuracy, y, 1 - y)
    np.testing.assert_allclose(ceiling_of(votes, rater), accuracy, atol=0.08)


def test_one_accuracy_per_class_where_votes_say_so(rules):
    votes, y = rules(20_000)
    rng = np.random.default_rng(1)
    accuracy = np.array([0.95, 0.6])[y]
    rater = np.where(rng.random(len(y)) < accuracy, y, 1 - y)
    found = ceiling_of(votes, rater)
    assert found[0] > found[1] + 0.15


def test_without_committees_a_rater_is_better_than_guessing():
    votes = np.full((50, 2), -1)
    found = ceiling_of(votes, np.arange(50) % 2)
    assert ((found > 0.5) & (found < 0.9)).all()
