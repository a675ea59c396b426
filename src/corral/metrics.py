"""Scores of labels, with what happens to unanswered examples said out loud.

An unanswered example (label -1, or None) counts as wrong over ``rows="all"`` and is left
out over ``rows="answered"``. `coverage` belongs next to the second.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import BoolArray, FloatArray
from corral.errors import ParameterError

TIE = 1e-9
"""Probabilities closer than this to the largest are tied with it."""


def is_winner(probabilities: FloatArray) -> NDArray[np.bool_]:
    """(n, k) which classes have the largest probability of a row."""
    best = probabilities.max(axis=1, keepdims=True)
    return probabilities >= best - TIE


def winner_shares(probabilities: FloatArray) -> FloatArray:
    """(n, k) one for the likeliest class of a row; equal parts of it where tied.

    Examples
    --------
    >>> import numpy as np
    >>> from corral import metrics
    >>> metrics.winner_shares(np.array([[0.2, 0.8], [0.5, 0.5]])).tolist()
    [[0.0, 1.0], [0.5, 0.5]]
    """
    best = is_winner(probabilities).astype(float)
    return best / best.sum(axis=1, keepdims=True)


def mean_score(
    right: FloatArray, scored: BoolArray, counts: FloatArray | None = None
) -> float:
    """Mean of what examples score (n,), of those that can be scored (n,).

    Parameters
    ----------
    right : (n,) array of float
    scored : (n,) array of bool
        Which have a known class and a vote.
    counts : (n,) array of float, optional
        How many examples every row stands for.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.metrics import mean_score
    >>> mean_score(np.array([1.0, 0.5, 0.0]), np.array([True, True, False]))
    0.75
    """
    weights = np.where(scored, 1.0 if counts is None else counts, 0.0)
    if not weights.any():
        raise ParameterError(
            "nothing can be scored: no example has a known class in y and a signal that "
            "votes on it."
        )
    return float(np.average(right, weights=weights))


def tie_share(probabilities: ArrayLike, counts: FloatArray | None = None) -> float:
    """Share of the rows in which several classes are equally likely.

    Rows may stand for several examples, `counts` of them.
    """
    p = np.asarray(probabilities, float)
    if p.ndim != 2 or not len(p):
        raise ParameterError(f"probabilities must be (n, k); the shape is {p.shape}.")
    return float(np.average(is_winner(p).sum(axis=1) > 1, weights=counts))


def class_values(
    chosen: NDArray[np.integer], silent: NDArray[np.bool_], classes: NDArray[Any]
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


def is_answered(predicted: ArrayLike) -> NDArray[np.bool_]:
    """(n,) which hard labels are an answer."""
    labels = np.asarray(predicted)
    if labels.dtype == object:
        return np.array([value is not None for value in labels])
    if labels.dtype.kind in "iuf":
        return labels != -1
    return np.ones(len(labels), bool)


def one_hot(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.bool_]:
    """(n, k) which class every label is; refuse one that is none of them."""
    hot: NDArray[np.bool_] = y[:, None] == classes
    none = ~hot.any(axis=1)
    if none.any():
        raise ParameterError(
            f"label {y[none].tolist()[0]!r} is not one of the classes "
            f"{classes.tolist()}."
        )
    return hot


def coverage(predicted: ArrayLike) -> float:
    """Share of the examples that have an answer."""
    return float(is_answered(predicted).mean())


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
    """Mean of ``-log p[true class]``, probabilities cut off at 1e-12.

    Examples
    --------
    >>> from corral import metrics
    >>> round(metrics.log_loss([1, 0], [[0.5, 0.5], [1.0, 0.0]], [0, 1]), 4)
    0.3466
    """
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
