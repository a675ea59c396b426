import numpy as np
import pytest

from corral import WeakSignals
from corral.datasets import random_votes
from corral.error_rates.features import vote_features
from corral.error_rates.redundancy import find_leaders, find_repetition, lower_bound


def compare(votes, bipolar):
    features = vote_features(WeakSignals.from_votes(votes, classes=[0, 1]))
    return find_repetition(features, np.full(votes.shape[1], float(bipolar)))


def test_copies_repeat_and_strangers_do_not():
    votes, _ = random_votes(2000, [0.8, 0.8, 0.7], coverage=1.0)
    votes = np.column_stack([votes, votes[:, 0]])
    repeats = compare(votes, 1).repeats.toarray()
    expected = np.eye(4)
    expected[[0, 3], [3, 0]] = 1
    np.testing.assert_array_equal(repeats, expected)


def test_noisy_copies_share_a_vote():
    rng = np.random.default_rng(0)
    votes, _ = random_votes(2000, [0.8, 0.8, 0.7], coverage=1.0)
    noisy = np.where(rng.random((2000, 9)) < 0.05, 1 - votes[:, :1], votes[:, :1])
    found = compare(np.column_stack([votes, noisy]), 1)
    np.testing.assert_allclose(found.share[[0, *range(3, 12)]], 0.1, atol=0.02)
    np.testing.assert_allclose(found.share[1:3], 1)
    assert len(set(found.groups[[0, *range(3, 12)]])) == 1


def test_rules_that_fire_together_repeat_each_other():
    votes = np.full((300, 3), -1)
    votes[:100, :2] = 1
    votes[90:190, 2] = 1
    repeats = compare(votes, 0).repeats.toarray()
    assert repeats[0, 1] == 1
    assert repeats[0, 2] == 0
    # The same votes of raters who were asked about these examples are no evidence.
    assert compare(votes[:, [0, 2]], 1).repeats[0, 1] == 0


def test_witnesses_are_distinct_others():
    votes, _ = random_votes(5000, [0.8, 0.7, 0.7, 0.7], coverage=1.0)
    assert compare(votes, 1).witnesses == pytest.approx([3, 3, 3, 3])
    copied = np.column_stack([votes, votes[:, 0], votes[:, 0]])
    assert compare(copied, 1).witnesses == pytest.approx([3] * 6)


def test_leaders_are_the_first_of_identical_voters():
    votes = np.array([[1, 1, 1, 0], [0, 0, 0, 1], [1, 1, -1, 1]] * 4)
    features = vote_features(WeakSignals.from_votes(votes))
    assert find_leaders(features).tolist() == [0, 0, 2, 3]


def test_few_equal_votes_of_raters_are_a_coincidence():
    votes = np.array([[1, 1], [0, 0], [1, 1]])
    features = vote_features(WeakSignals.from_votes(votes))
    assert find_leaders(features).tolist() == [0, 1]
    rules = vote_features(WeakSignals.from_votes([[1, 1, 0]] * 2))
    assert find_leaders(rules).tolist() == [0, 0, 2]


def test_the_lower_bound_of_a_share():
    # Wilson at two standard errors: (0.8 + 0.2 - sqrt(0.064 + 0.04)) / 1.4.
    bound = lower_bound(np.array([0.8, 1.0]), np.array([10.0, 1e9]))
    assert bound == pytest.approx([0.48393, 1.0], abs=1e-4)
