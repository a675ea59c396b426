import numpy as np
import pytest
from corral.rates.copies import (
    agreement,
    find_copies,
    find_identical,
    lower_bound,
)
from corral.rates.vote_features import vote_features

from corral import WeakSignals
from corral.datasets import random_votes
from corral.rates import copies


def features_of(votes):
    return vote_features(WeakSignals.from_votes(votes, classes=[0, 1]))


def leaders(votes, rater):
    return find_copies(features_of(votes), np.full(votes.shape[1], float(rater)))


def test_copies_follow_and_strangers_do_not():
    votes, _ = random_votes(2000, [0.8, 0.8, 0.7], coverage=1.0)
    votes = np.column_stack([votes, votes[:, 0]])
    assert leaders(votes, 1).tolist() == [0, 1, 2, 0]


def test_accurate_raters_are_no_copies():
    votes, _ = random_votes(2000, [0.97] * 5, coverage=1.0)
    assert leaders(votes, 1).tolist() == [0, 1, 2, 3, 4]


def test_raters_that_repeat_one_of_them_are_copies():
    rng = np.random.default_rng(0)
    votes, _ = random_votes(2000, [0.9] * 5, coverage=1.0)
    noisy = np.where(rng.random((2000, 2)) < 0.02, 1 - votes[:, :1], votes[:, :1])
    found = leaders(np.column_stack([votes, noisy]), 1)
    assert found[:5].tolist() == [0, 1, 2, 3, 4]
    assert found[5:].tolist() == [0, 0]


@pytest.mark.parametrize("place", [0, 11])
def test_noisy_copies_follow_the_original(place):
    rng = np.random.default_rng(0)
    votes, _ = random_votes(2000, [0.8, 0.8, 0.7], coverage=1.0)
    noisy = np.where(rng.random((2000, 9)) < 0.05, 1 - votes[:, :1], votes[:, :1])
    columns = list(np.column_stack([votes[:, 1:], noisy]).T)
    columns.insert(place, votes[:, 0])
    expected = [place] * 12
    strangers = (1, 2) if place == 0 else (0, 1)
    for i in strangers:
        expected[i] = i
    assert leaders(np.column_stack(columns), 1).tolist() == expected


def test_rules_that_fire_together_are_copies():
    votes = np.full((300, 3), -1)
    votes[:100, :2] = 1
    votes[90:190, 2] = 1
    assert leaders(votes, 0).tolist() == [0, 0, 2]
    # The same votes of raters who were asked about these examples are no evidence.
    assert agreement(features_of(votes[:, :2]), np.ones(2)).max() == 0


def test_only_columns_on_the_same_class_are_compared():
    said = np.full((2, 300, 2), np.nan)
    said[0, :100, 0] = said[1, :100, 1] = 1
    features = vote_features(WeakSignals.from_one_vs_rest(said))
    assert find_copies(features, np.zeros(features.n_columns)).tolist() == [0, 1]


def test_identical_columns_follow_the_first():
    votes = np.array([[1, 1, 1, 0], [0, 0, 0, 1], [1, 1, -1, 1]] * 4)
    assert find_identical(features_of(votes)).tolist() == [0, 0, 2, 3]


def test_few_equal_votes_of_raters_are_a_coincidence():
    votes = np.array([[1, 1], [0, 0], [1, 1]])
    assert find_identical(features_of(votes)).tolist() == [0, 1]
    assert find_identical(features_of([[1, 1, 0]] * 2)).tolist() == [0, 0, 2]
    # Of three raters two repeat the first: four votes here, six above.
    assert find_identical(features_of([[1, 1, 1], [0, 0, 0]])).tolist() == [0, 1, 2]
    three = votes[:, [0, 0, 0]]
    assert find_identical(features_of(three)).tolist() == [0, 0, 0]
    single = np.array([[1] * 9, [-1] * 9])
    single[1, 8] = 0
    assert find_identical(features_of(single)).tolist() == list(range(9))


def test_the_lower_bound_of_a_share():
    # Wilson at two standard errors: (0.8 + 0.2 - sqrt(0.064 + 0.04)) / 1.4.
    bound = lower_bound(np.array([0.8, 1.0]), np.array([10.0, 1e9]))
    assert bound == pytest.approx([0.48393, 1.0], abs=1e-4)


@pytest.mark.parametrize("block", [7, 1 << 13])
def test_full_votes_are_multiplied_as_dense_arrays(block, monkeypatch):
    votes, _ = random_votes(200, [0.9, 0.8, 0.7, 0.9], coverage=0.9)
    features = vote_features(WeakSignals.from_votes(np.hstack([votes, votes[:, :1]])))
    monkeypatch.setattr(copies, "BLOCK", block)
    dense = agreement(features, np.ones(5)).toarray()
    monkeypatch.setattr(copies, "FULL", 2)  # no array is so full
    sparse = agreement(features, np.ones(5)).toarray()
    np.testing.assert_array_equal(dense, sparse)
    assert dense.max() > 0.9
