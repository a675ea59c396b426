"""Offsets of the scores of the classes that give labels a wanted class balance."""

from __future__ import annotations

import numpy as np

from corral._types import FloatArray
from corral.error_rates.vote_features import posterior

TOLERANCE = 1e-8
"""How far the mean label may be from what is wanted."""
LEAST = 1e-6
"""Shares are raised to this: with less, an offset would grow without end."""
MAX_STEPS, LONGEST_STEP, MOST_HALVINGS = 100, 5.0, 30


def find_class_offsets(
    scores: FloatArray, scale: FloatArray, weights: FloatArray, balance: FloatArray
) -> FloatArray:
    """(k,) offsets with which the mean of ``softmax(scale * (scores + offsets))`` is given.

    Newton's method on a convex function of the offsets, whose slope is by how much the
    mean label misses the balance.

    Parameters
    ----------
    scores : (n, k) array of float
    scale : (n,) array of float
        Above zero.
    weights : (n,) array of float
        Of every row in the mean; some must be above zero.
    balance : (k,) array of float
        Add up to one.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.error_rates.class_offsets import find_class_offsets
    >>> scores, ones = np.array([[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]]), np.ones(3)
    >>> offsets = find_class_offsets(scores, ones, ones, np.array([0.7, 0.3]))
    >>> found = np.exp(scores + offsets)
    >>> found /= found.sum(axis=1, keepdims=True)
    >>> found.mean(axis=0).round(6).tolist()
    [0.7, 0.3]
    """
    wanted = np.maximum(balance, LEAST)
    wanted = wanted / wanted.sum()
    weights, factor = weights / weights.sum(), scale[:, None]

    def potential(offsets: FloatArray) -> tuple[float, FloatArray]:
        labels, logs = posterior(factor * (scores + offsets))
        return float(weights @ (logs / scale) - wanted @ offsets), labels

    offsets = np.zeros(len(wanted))
    value, labels = potential(offsets)
    for _ in range(MAX_STEPS):
        slope = weights @ labels - wanted
        if np.abs(slope).max() <= TOLERANCE:
            break
        each = (weights * scale)[:, None] * labels
        curve = np.diag(each.sum(axis=0)) - each.T @ labels
        # The same offset for all classes changes nothing; the last term fixes it.
        step = -np.linalg.solve(
            curve + 1 / len(wanted) + 1e-12 * np.eye(len(wanted)), slope
        )
        step *= min(1.0, LONGEST_STEP / np.abs(step).max())
        for _ in range(MOST_HALVINGS):
            moved, found = potential(offsets + step)
            if moved <= value + 1e-4 * (slope @ step) + 1e-15 * abs(value):
                break
            step /= 2
        offsets, value, labels = offsets + step, moved, found
    return offsets
