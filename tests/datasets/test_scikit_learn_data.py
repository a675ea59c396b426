"""Data sets that need no file, and signals on them that are weak but mean something."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from corral import ConstrainedLabeler, signal_errors
from corral.datasets import first_of_each, load


@pytest.mark.parametrize("name", ["digits", "breast_cancer"])
def test_the_same_every_time_and_labels_that_learn(name):
    first, second = load(name), load(name)
    np.testing.assert_array_equal(first.train.data, second.train.data)
    signals = first.train.signals
    errors = signal_errors(signals, first.train.labels)
    chance = 1 - 1 / len(first.classes)
    assert (errors < chance).all()
    assert (errors > 0.01).any()  # weak
    labeler = ConstrainedLabeler().fit(signals)
    # Chance is 0.1 and 0.63.
    assert labeler.score(signals, first.train.labels) > 0.7
    assert labeler.score(first.test.signals, first.test.labels) > 0.7


def test_digits_are_used_once_and_known_ones_left_out():
    task = load("digits")
    bunch = load_digits()
    known = first_of_each(bunch.target, 3)
    pixels = bunch.images / 16
    shown = {image.tobytes() for part in (task.train, task.test) for image in part.data}
    assert len(task.train) + len(task.test) == 1797 - 30
    assert shown.isdisjoint(image.tobytes() for image in pixels[known])
    assert task.train.data.shape[1:] == (8, 8)
    assert task.train.data.max() == 1


def test_breast_cancer_votes_by_quantiles_of_all_tumours():
    task = load("breast_cancer")
    assert task.classes == ("malignant", "benign")
    X = load_breast_cancer().data
    radius, votes = task.train.data[:, 0], task.train.signals.votes[:, 0]
    low, high = np.quantile(X[:, 0], [0.5, 0.7])
    expected = np.where(radius <= low, 1, np.where(radius >= high, 0, -1))
    np.testing.assert_array_equal(votes, expected)
    assert task.train.signals.names[0] == "mean radius"
    rows = {row.tobytes() for part in (task.train, task.test) for row in part.data}
    assert len(rows) == len(X) == 569
