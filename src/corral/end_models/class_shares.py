"""The shares in which a classifier predicts classes, and offsets that bring them about.

A classifier that was trained on soft labels ranks examples better than it cuts them: rare
classes are predicted too rarely, and the more so the less it knows. Which share each class
has is known better, from the labels, so the cuts are moved until predictions have it.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.end_models.soft_labels import SoftLabels
from corral.error_rates.class_offsets import find_class_offsets
from corral.errors import ParameterError
from corral.metrics import winner_shares

LABELS = "labels"
SHARPNESS = 2.0
"""How far a count of predictions is from a sum of probabilities: those counted are
``softmax(SHARPNESS * scores / spread)``. Chosen in benchmarks/end_models.py."""
TOLERANCE = 0.02
"""Shares that are missed by fewer than one example in fifty are left as they are."""
FLOOR = 1e-6
"""Probabilities are cut off here before the logarithm."""


def read_shares(prior: Any, labels: SoftLabels) -> FloatArray | None:
    """(k,) the shares that predictions are to have; None to leave predictions alone.

    Parameters
    ----------
    prior : "labels", float, (k,) array of float, or None
        "labels" counts the likeliest class of every label, ties in equal parts; a number
        is the share of the second of two classes.
    labels : SoftLabels

    Examples
    --------
    >>> from corral.end_models.class_shares import read_shares
    >>> from corral.end_models.soft_labels import read_soft_labels
    >>> labels = read_soft_labels([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.5, 0.5]])
    >>> read_shares("labels", labels).tolist()
    [0.625, 0.375]
    >>> read_shares(0.25, labels).tolist()
    [0.75, 0.25]
    """
    if prior is None:
        return None
    if isinstance(prior, str) and prior == LABELS:
        counts: FloatArray = labels.weights @ winner_shares(labels.probabilities)
        return counts / counts.sum()
    k = len(labels.classes)
    wanted = [1 - prior, prior] if isinstance(prior, Real) and k == 2 else prior
    try:
        shares = np.asarray(wanted, float)
    except (TypeError, ValueError):
        shares = np.array([])
    if (
        shares.shape != (k,)
        or not (shares >= 0).all()
        or not np.isclose(shares.sum(), 1)
    ):
        raise ParameterError(
            f'must be "labels", None, or the shares of the {k} classes '
            f"{labels.classes.tolist()}, which add up to one (with two classes, the share "
            f"of the second will do); {prior!r} was given.",
            parameter="prior",
        )
    return shares


def class_scores(classifier: Any, X: Any) -> FloatArray:
    """(n, k) what a fitted classifier gives for each of its classes.

    Logarithms of its probabilities; of a classifier without, its decision function.
    """
    if hasattr(classifier, "predict_proba"):
        logs: FloatArray = np.log(np.maximum(classifier.predict_proba(X), FLOOR))
        return logs
    if not hasattr(classifier, "decision_function"):
        raise ParameterError(
            f"{type(classifier).__name__} gives neither probabilities nor scores, so "
            "the shares of its classes cannot be set. Give prior=None."
        )
    scores = np.asarray(classifier.decision_function(X), float)
    return scores if scores.ndim == 2 else np.column_stack([-scores / 2, scores / 2])


def find_offsets(
    scores: FloatArray,
    shares: FloatArray,
    weights: FloatArray,
    sharpness: float = SHARPNESS,
) -> FloatArray:
    """(k,) offsets with which the largest score names the classes in given shares.

    Counts jump where an example changes sides, so they are smoothed: the weighted mean of
    ``softmax(sharpness * (scores + offsets) / spread)`` equals the shares. The spread is
    the standard deviation of the scores, whatever they are.

    Parameters
    ----------
    scores : (n, k) array of float
    shares : (k,) array of float
        Add up to one. A class of share zero has the offset minus infinity.
    weights : (n,) array of float
    sharpness : float

    Returns
    -------
    (k,) array of float
        Zeros if predictions have the shares as they are, to within `TOLERANCE`, or more
        nearly without: scores of a small tree take few values, and many examples would
        change sides at once.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.end_models.class_shares import find_offsets
    >>> scores = np.column_stack([np.zeros(5), [-9.0, -7.0, -5.0, -3.0, -1.0]])
    >>> offsets = find_offsets(scores, np.array([0.6, 0.4]), np.ones(5))
    >>> (scores + offsets).argmax(axis=1).tolist()
    [0, 0, 0, 1, 1]
    """
    still = np.where(shares > 0, 0.0, -np.inf)
    some = np.flatnonzero(shares > 0)
    weights = weights / weights.sum()
    centred = scores[:, some] - scores[:, some].mean(axis=1, keepdims=True)
    spread = np.sqrt((weights @ (centred - weights @ centred) ** 2).mean())
    if spread == 0 or _miss(scores + still, shares, weights) <= TOLERANCE:
        return still
    sharp = sharpness / spread * centred
    offsets = find_class_offsets(sharp, np.ones(len(sharp)), weights, shares[some])
    moved = still.copy()
    moved[some] = (offsets - offsets.mean()) * spread / sharpness
    return min(still, moved, key=lambda b: _miss(scores + b, shares, weights))


def _miss(scores: FloatArray, shares: FloatArray, weights: FloatArray) -> float:
    """Share of the examples that have to change sides for the shares to be met."""
    found = np.bincount(scores.argmax(axis=1), weights, len(shares))
    return float(np.abs(found - shares).sum() / 2)
