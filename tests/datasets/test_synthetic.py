"""The paper's synthetic tasks, draw for draw (METHODS k.1 and k.2)."""

import numpy as np
import pytest

from corral import WeakSignals, signal_errors
from corral.datasets import (
    PAPER_ACCURACIES,
    dependent_task,
    independent_task,
    random_votes,
)


@pytest.fixture(scope="module")
def independent():
    return independent_task()


@pytest.fixture(scope="module")
def dependent():
    return dependent_task()


def errors(task):
    """Error of every signal on the training examples, by hand."""
    voted = task.votes >= 0
    return ((task.votes != task.labels[:, None]) & voted).sum(axis=0) / voted.sum(
        axis=0
    )


@pytest.mark.parametrize("name", ["independent", "dependent"])
def test_shapes_and_values(name, request):
    task = request.getfixturevalue(name)
    assert task.votes.shape == (16_000, 10)
    assert task.test_votes.shape == (4_000, 10)
    assert task.features.shape == (16_000, 200)
    assert task.test_features.shape == (4_000, 200)
    assert task.labels.shape == (16_000,)
    assert task.test_labels.shape == (4_000,)
    assert task.votes.dtype == np.int8
    assert set(np.unique(task.votes)) == {-1, 0, 1}
    assert set(np.unique(task.labels)) == set(np.unique(task.features)) == {0, 1}


def test_independent_numbers(independent):
    found = errors(independent)
    expected = [
        *(0.2987, 0.3324, 0.3973, 0.3500, 0.3333),
        *(0.3228, 0.3721, 0.3727, 0.3368, 0.3595),
    ]
    np.testing.assert_array_equal(found.round(4), expected)
    signals = WeakSignals.from_votes(independent.votes)
    np.testing.assert_allclose(signal_errors(signals, independent.labels), found)
    assert signals.covered.mean() == pytest.approx(0.971, abs=5e-4)
    assert independent.labels.mean() == pytest.approx(0.5027, abs=5e-5)
    assert independent.test_labels.mean() == pytest.approx(0.4965, abs=5e-5)


def test_nominal_accuracies(independent):
    draws = np.random.RandomState(900)
    draws.randint(2, size=20_000)
    draws.random_sample(200)
    draws.random_sample((20_000, 200))
    np.testing.assert_array_equal(
        (0.1 * draws.random_sample(10) + 0.6).round(4), PAPER_ACCURACIES
    )
    assert np.abs(1 - errors(independent) - PAPER_ACCURACIES).max() < 0.02


def test_dependent_numbers(dependent, independent):
    np.testing.assert_array_equal(dependent.labels, independent.labels)
    np.testing.assert_array_equal(dependent.features, independent.features)
    found = errors(dependent)
    assert found[0].round(4) == 0.4228
    assert found[1:].round(3).min() == 0.448
    assert found[1:].round(3).max() == 0.457
    spoken = dependent.votes >= 0
    assert (spoken == spoken[:, :1]).all(), "copies abstain where the first does"
    assert spoken[:, 0].mean() == pytest.approx(0.301, abs=5e-4)


def test_copies_differ_from_the_first_on_one_fifth(dependent):
    votes = np.concatenate([dependent.votes, dependent.test_votes])
    voted = votes[:, 0] >= 0
    flipped = (votes[voted, 1:] != votes[voted, :1]).mean(axis=0)
    np.testing.assert_allclose(flipped, 0.2, atol=0.02)


def test_features_agree_with_the_label_less_than_half_of_the_time(independent):
    agree = (independent.features == independent.labels[:, None]).mean(axis=0)
    assert 0.28 < agree.min() < 0.32
    assert 0.48 < agree.max() < 0.52


@pytest.mark.parametrize("make", [independent_task, dependent_task])
def test_sizes_and_seeds(make):
    task = make(n=500, n_features=7, n_signals=4)
    assert task.votes.shape == (400, 4)
    assert task.test_features.shape == (100, 7)
    same, other = make(n=500, n_features=7), make(n=500, n_features=7, seed=1)
    np.testing.assert_array_equal(task.labels, same.labels)
    assert (task.labels != other.labels).any()


def test_signals_have_seeds_of_their_own():
    one, other = (dependent_task(500, 3, signal_seed=seed) for seed in (500, 7))
    np.testing.assert_array_equal(one.features, other.features)
    assert ((one.votes >= 0) != (other.votes >= 0)).any()


def test_random_votes():
    accuracies = (0.9, 0.6, 0.75)
    votes, labels = random_votes(100_000, accuracies, coverage=0.4, seed=3)
    assert votes.shape == (100_000, 3)
    assert votes.dtype == np.int8
    voted = votes >= 0
    np.testing.assert_allclose(voted.mean(axis=0), 0.4, atol=0.01)
    right = ((votes == labels[:, None]) & voted).sum(axis=0) / voted.sum(axis=0)
    np.testing.assert_allclose(right, accuracies, atol=0.01)
    assert labels.mean() == pytest.approx(0.5, abs=0.01)
    wrong = (votes != labels[:, None]) & voted
    together = (wrong[:, 0] & wrong[:, 1]).mean() / (voted[:, 0] & voted[:, 1]).mean()
    assert together == pytest.approx(0.1 * 0.4, abs=0.01), "errors are independent"


def test_random_votes_repeat_with_the_seed():
    one, two, other = (random_votes(1000, seed=seed)[0] for seed in (5, 5, 6))
    assert one.shape == (1000, 10)
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()


def test_the_global_random_state_is_not_touched():
    before = np.random.get_state()  # noqa: NPY002
    independent_task(n=200, n_features=3)
    dependent_task(n=200, n_features=3)
    random_votes(200)
    after = np.random.get_state()  # noqa: NPY002
    np.testing.assert_array_equal(before[1], after[1])
    assert before[2:] == after[2:]
