"""The paper's majority vote draws at random; its expected accuracy needs no draw."""

from __future__ import annotations

import numpy as np

from corral import WeakSignals
from corral._types import FloatArray, IntArray
from repro.baselines import vote_balance


def expect_accuracy(signals: WeakSignals, truth: IntArray) -> float:
    """Mean over all draws of the accuracy of `draw_votes`.

    Every (example, class) without a majority is 0 or 1 with the same probability, and the
    first class with a 1 wins; the first of all if there is none. Of two classes there is
    one entry, for the second.

    Parameters
    ----------
    signals : WeakSignals
    truth : (n,) array of int
        Positions of the true classes.
    """
    one: FloatArray = (1 + np.sign(vote_balance(signals))) / 2
    if one.shape[1] == 1:
        return float(np.where(truth == 1, one[:, 0], 1 - one[:, 0]).mean())
    none_up_to = np.cumprod(1 - one, axis=1)
    rows = np.arange(len(truth))
    none_before = np.where(truth > 0, none_up_to[rows, truth - 1], 1)
    right = none_before * one[rows, truth] + (truth == 0) * none_up_to[:, -1]
    return float(right.mean())
