"""scikit-learn's digits with weak rules: ten classes, soft signals, features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.constraints import signal_errors
from corral.signals import WeakSignals


@dataclass(frozen=True)
class DigitTask:
    """Images of digits, and what weak rules say of them.

    Attributes
    ----------
    signals, test_signals : WeakSignals
        One-vs-rest and soft.
    labels, test_labels : (n,) arrays of int
        True classes.
    features, test_features : (n, 64) arrays of float
        Pixels.
    measured_errors : (m, 10) array of float
        Errors of the rules on the images that they were learned from.
    """

    signals: WeakSignals
    labels: NDArray[np.int64]
    features: FloatArray
    test_signals: WeakSignals
    test_labels: NDArray[np.int64]
    test_features: FloatArray
    measured_errors: FloatArray


def digit_task(
    n_signals: int = 4, n_pixels: int = 8, n_known: int = 400, seed: int = 0
) -> DigitTask:
    """Every rule is a logistic regression, for one digit, on a few random pixels.

    The rules are learned from labelled images that are then left out, and so are the
    errors that a user could know. One fifth of the other images is for testing.

    Parameters
    ----------
    n_signals : int
        Rules per digit.
    n_pixels : int
        Pixels that a rule sees, of 64.
    n_known : int
        Images that rules are learned from, of 1,797.
    seed : int

    Examples
    --------
    >>> from corral import Averaging
    >>> from corral.datasets import digit_task
    >>> task = digit_task()
    >>> task.signals
    WeakSignals(1117 examples, 4 signals, 10 classes, one-vs-rest)
    >>> round(Averaging().fit(task.signals).score(task.signals, task.labels), 2)
    0.81
    """
    from sklearn.datasets import load_digits  # slow to import
    from sklearn.linear_model import LogisticRegression

    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    order, n_test = rng.permutation(len(y)), (len(y) - n_known + 4) // 5
    known, test, train = np.split(order, [n_known, n_known + n_test])
    values = np.empty((n_signals, len(y), 10))
    for rule in values:
        for k in range(10):
            pixels = rng.choice(X.shape[1], n_pixels, replace=False)
            model = LogisticRegression(max_iter=1000)
            model.fit(X[known][:, pixels], y[known] == k)
            rule[:, k] = model.predict_proba(X[:, pixels])[:, 1]
    signals = WeakSignals.from_one_vs_rest(values)
    errors = signal_errors(signals.take(known), y[known])
    return DigitTask(
        signals.take(train),
        y[train],
        X[train],
        signals.take(test),
        y[test],
        X[test],
        errors,
    )
