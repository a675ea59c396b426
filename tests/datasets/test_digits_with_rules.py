"""Digits with weak rules: what is known, what is labelled and what is tested are apart."""

import numpy as np
from sklearn.datasets import load_digits

from corral import signal_errors
from corral.datasets import digit_task


def test_images_are_used_once():
    task = digit_task(n_signals=1, n_pixels=2, n_known=700)
    images = {row.tobytes() for row in load_digits().data}
    shown = [row.tobytes() for row in (*task.features, *task.test_features)]
    assert len(shown) == 1797 - 700 == len(task.labels) + len(task.test_labels)
    assert set(shown) <= images
    assert len(task.signals) == len(task.labels) == 4 * len(task.test_signals) - 3


def test_measured_errors_are_near_the_true_ones():
    task = digit_task()
    true = signal_errors(task.signals, task.labels)
    assert np.abs(task.measured_errors - true).mean() < 0.02
    assert (
        task.measured_errors < true
    ).mean() > 0.6  # measured where they were learned


def test_the_seed_decides():
    one, same, other = (digit_task(1, 2, 100, seed=s).features for s in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
