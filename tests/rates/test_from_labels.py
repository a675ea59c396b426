import numpy as np
import pytest

from corral import WeakSignals, signal_errors
from corral.datasets import random_votes
from corral.errors import ParameterError, SignalsError
from corral.rates import Auto, FromLabels


def some(y, n, seed=0):
    """Labels of `n` random examples, -1 elsewhere."""
    known = np.random.default_rng(seed).choice(len(y), n, replace=False)
    labels = np.full(len(y), -1)
    labels[known] = y[known]
    return labels


def test_nothing_but_one_half_is_nothing_to_learn_from():
    even = WeakSignals.from_probabilities(np.full((5, 3), 0.5))
    with pytest.raises(SignalsError, match="no signal votes"):
        FromLabels([0, 1, -1, -1, -1]).estimate(even)


def test_many_labels_give_the_true_rates(rules):
    votes, y = rules()
    signals = WeakSignals.from_votes(votes)
    found = FromLabels(y).estimate(signals)
    np.testing.assert_allclose(found.error_rates, signal_errors(signals, y), atol=0.02)


def test_few_labels_help_where_rates_were_assumed(rules):
    rng = np.random.default_rng(0)
    votes, y = rules(precision=0.9)
    bad = rng.random(len(y)) < np.where(y == 1, 0.15, 0.45)  # fires on the wrong class
    votes = np.column_stack([votes, np.where(bad, 1, -1)])
    signals = WeakSignals.from_votes(votes)
    truth = signal_errors(signals, y)
    free = Auto().estimate(signals)
    before = (free.model.labels(signals).argmax(axis=1) == y).mean()
    for seed in range(5):
        found = FromLabels(some(y, 100, seed)).estimate(signals)
        off = np.abs(found.error_rates - truth).mean()
        assert off < np.abs(free.error_rates - truth).mean()
        assert (found.model.labels(signals).argmax(axis=1) == y).mean() > before
        assert (found.standard_errors < free.standard_errors).all()


@pytest.mark.parametrize("size", [20, 100])
def test_intervals_hold_the_truth(rules, size):
    held = []
    for seed in range(20):
        votes, y = rules(1000, seed, precision=0.7 + 0.01 * seed)
        signals = WeakSignals.from_votes(votes)
        found = FromLabels(some(y, size, seed)).estimate(signals)
        low, high = found.intervals(0.9).T
        truth = signal_errors(signals, y)
        held += [*((low <= truth) & (truth <= high))]
    assert np.mean(held) >= 0.8


def test_shrinkage_is_toward_the_label_free_rates():
    votes, y = random_votes(2000, [0.9, 0.8, 0.7, 0.6, 0.8], coverage=0.8)
    signals = WeakSignals.from_votes(votes)
    free = Auto().estimate(signals).error_rates
    found = FromLabels(some(y, 10)).estimate(signals).error_rates
    known = some(y, 10) >= 0
    raw = signal_errors(signals.take(known), y[known])
    between = (found - free) * (found - raw)
    assert (between <= 1e-12).all()


@pytest.mark.parametrize("unknown", [None, float("nan"), -1])
def test_unknown_labels(rules, unknown):
    votes, y = rules(200)
    labels = [int(v) if i < 50 else unknown for i, v in enumerate(y)]
    found = FromLabels(labels).estimate(WeakSignals.from_votes(votes))
    assert "50 labelled" in found.note


@pytest.mark.parametrize(
    ("labels", "match"),
    [([1, 0], "one value for each"), ([7, 0, 1], "not one of"), ([-1] * 3, "at least")],
)
def test_bad_labels_are_refused(labels, match):
    signals = WeakSignals.from_votes([[0, 1], [1, 1], [0, 0]])
    with pytest.raises(ParameterError, match=match):
        FromLabels(labels).estimate(signals)


def test_counted_examples_are_left_out_one_by_one():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    votes = np.where(rng.random((400, 2)) < 0.65, truth[:, None], 1 - truth[:, None])
    gold = np.where(np.arange(400) < 80, truth, -1)
    rows, counts = np.unique(np.column_stack([votes, gold]), axis=0, return_counts=True)
    counted = WeakSignals.from_votes(rows[:, :2], counts=counts)
    found = FromLabels(rows[:, 2]).estimate(counted).accuracy
    apart = FromLabels(gold).estimate(WeakSignals.from_votes(votes)).accuracy
    assert found.value == pytest.approx(apart.value, abs=0.1)


def test_accuracy_is_of_examples_with_a_vote():
    votes = np.repeat([[0, 0], [1, 1], [-1, -1]], 40, axis=0)
    truth = np.r_[np.repeat([0, 1], 40), np.arange(40) % 2]
    found = FromLabels(truth).estimate(WeakSignals.from_votes(votes)).accuracy
    assert found.value == 1  # half of the others are a wrong guess
