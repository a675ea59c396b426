"""From probabilities to answers: winners, ties and the class values that are predicted.

An example has no answer where no signal votes on it: -1, or None.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import BoolArray, FloatArray

TIE = 1e-9
"""Probabilities closer than this to the largest are tied with it."""


def is_winner(probabilities: FloatArray) -> BoolArray:
    """(..., k) which classes have the largest probability of a row."""
    best = probabilities.max(axis=-1, keepdims=True)
    winners: BoolArray = probabilities >= best - TIE
    return winners


def winner_shares(probabilities: FloatArray) -> FloatArray:
    """(..., k) one for the likeliest class of a row; equal parts of it where tied."""
    best = is_winner(probabilities).astype(float)
    return best / best.sum(axis=-1, keepdims=True)


def tie_share(probabilities: ArrayLike, counts: FloatArray | None = None) -> float:
    """Share of the rows (n, k), or entries (n, k, 2), whose likeliest answers are tied.

    Rows may stand for several examples, `counts` of them.
    """
    tied: Any = is_winner(np.asarray(probabilities, float)).sum(axis=-1) > 1
    return float(np.average(tied.reshape(len(tied), -1).mean(axis=1), weights=counts))


def class_values(
    chosen: NDArray[np.integer], silent: BoolArray, classes: NDArray[Any]
) -> NDArray[Any]:
    """Positions as class values; -1 where there is no answer.

    None for strings, and where -1 is itself a class.
    """
    if classes.dtype.kind == "u" and classes.max() < 2**63:
        classes = classes.astype(np.int64)  # unsigned ones cannot hold -1
    values = classes[chosen]
    if classes.dtype.kind in "if" and -1 not in classes:
        values[silent] = -1
        return values
    if silent.any() or classes.dtype.kind in "iuf":
        # Where -1 is a class, or too small for the type of the classes, answers are
        # objects in every batch, so that it is never read as "no answer".
        values = values.astype(object)
        values[silent] = None
    return values


def is_answered(predicted: ArrayLike) -> BoolArray:
    """(n,) which hard labels are an answer."""
    labels = np.asarray(predicted)
    if labels.dtype == object:
        return np.array([value is not None for value in labels])
    if labels.dtype.kind in "iuf":
        return labels != -1
    return np.ones(len(labels), bool)
