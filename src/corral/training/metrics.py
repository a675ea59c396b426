"""Scores of labels.

An unanswered example (label -1, or None) counts as wrong over ``rows="all"`` and is left
out over ``rows="answered"``.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import FloatArray
from corral.decisions import is_answered, one_hot
from corral.errors import ParameterError

__all__ = ["accuracy", "brier", "f1", "log_loss"]


def accuracy(
    y: ArrayLike, predicted: ArrayLike, rows: Literal["all", "answered"] = "all"
) -> float:
    """Share of the labels that are right.

    Parameters
    ----------
    y, predicted : (n,) arrays
        True and predicted class values.
    rows : "all" or "answered"
        Whether unanswered examples count as wrong or are left out.

    Examples
    --------
    >>> from corral import metrics
    >>> metrics.accuracy([1, 0, 1, 1], [1, 0, 0, -1])
    0.5
    >>> round(metrics.accuracy([1, 0, 1, 1], [1, 0, 0, -1], rows="answered"), 3)
    0.667
    """
    truth, labels = _pair(y, predicted)
    right = (truth == labels) & is_answered(labels)
    if rows == "all":
        return float(right.mean())
    if rows == "answered":
        return float(right.sum() / max(1, is_answered(labels).sum()))
    raise ParameterError(f'rows must be "all" or "answered"; {rows!r} was given.')


def f1(y: ArrayLike, predicted: ArrayLike, positive: Any = 1) -> float:
    """F1 of one class over all examples; no answer is not a claim of it."""
    truth, labels = _pair(y, predicted)
    hits = int(((truth == positive) & (labels == positive)).sum())
    claims = int((truth == positive).sum()) + int((labels == positive).sum())
    return 2 * hits / claims if claims else 0.0


def log_loss(
    y: ArrayLike,
    probabilities: ArrayLike,
    classes: ArrayLike,
    sample_weight: FloatArray | None = None,
) -> float:
    """Mean of ``-log p[true class]``, probabilities cut off at 1e-12."""
    p = _true_class(y, probabilities, classes)
    return float(np.average(-np.log(np.clip(p, 1e-12, 1)), weights=sample_weight))


def brier(
    y: ArrayLike,
    probabilities: ArrayLike,
    classes: ArrayLike,
    sample_weight: FloatArray | None = None,
) -> float:
    """Mean squared distance between the probabilities and the one-hot truth."""
    p = np.asarray(probabilities, float)
    truth = _true_class(y, p, classes)
    distances = (p**2).sum(axis=1) - 2 * truth + 1
    return float(np.average(distances, weights=sample_weight))


def _pair(y: ArrayLike, predicted: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    truth, labels = np.asarray(y), np.asarray(predicted)
    if truth.shape != labels.shape or truth.ndim != 1:
        raise ParameterError(
            "true and predicted labels must be two lists of the same length; the shapes "
            f"given are {truth.shape} and {labels.shape}."
        )
    if not len(truth):
        raise ParameterError("there are no labels to score.")
    return truth, labels


def _true_class(
    y: ArrayLike, probabilities: ArrayLike, classes: ArrayLike
) -> FloatArray:
    truth, values = np.asarray(y), np.asarray(classes)
    p = np.asarray(probabilities, float)
    if p.shape != (len(truth), len(values)):
        raise ParameterError(
            f"probabilities must have the shape ({len(truth)}, {len(values)}); the shape "
            f"given is {p.shape}."
        )
    if not np.isfinite(p).all():
        raise ParameterError("probabilities must be finite numbers.")
    return p[one_hot(truth, values)]
