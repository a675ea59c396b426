"""Methods tried one by one on the same votes, and scored."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from corral._types import FloatArray, IntArray
from corral.errors import CorralWarning, ParameterError
from corral.labelers import Labeler
from corral.metrics import winner_shares
from corral.progress import progress
from corral.signals import WeakSignals

LEAST = 1e-3
"""Probabilities are cut off here before the logarithm."""


@dataclass(frozen=True, eq=False)
class TriedMethod:
    """What a method made of the votes.

    Attributes
    ----------
    name : str
    labels : (n, k) array of float or None
        None: it refused.
    seconds : float
    remark : str
        Why it refused, or what it warned of.
    """

    name: str
    labels: FloatArray | None
    seconds: float
    remark: str


def try_methods(
    tried: Mapping[str, Labeler], signals: WeakSignals
) -> Iterator[TriedMethod]:
    """Fit labelers one by one; what one of them raises or warns of is a remark."""
    with progress("comparing", len(tried)) as bar:
        for name, labeler in tried.items():
            try:
                began = time.perf_counter()
                labels, said = _labels(labeler, signals)
            except Exception as error:  # a labeler of a user's may raise what it likes
                yield TriedMethod(name, None, np.nan, first_sentence(error))
            else:
                yield TriedMethod(name, labels, time.perf_counter() - began, said)
            bar.advance()


def _labels(labeler: Labeler, signals: WeakSignals) -> tuple[FloatArray, str]:
    """(n, k) labels, and the first warning on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = labeler.fit(signals).labels_
    several = getattr(labeler, "multilabel", False)
    if not several and not np.allclose(labels.sum(axis=1), 1):
        raise ParameterError("an example has one class here, not any number of them.")
    said = [w.message for w in caught if issubclass(w.category, CorralWarning)]
    return labels, first_sentence(said[0]) if said else ""


def score_labels(
    labels: FloatArray, truth: IntArray, weights: FloatArray, positive: int | None
) -> tuple[float, float, float, float]:
    """Accuracy, F1, log-loss and Brier of labels (n, k)."""
    total = weights.sum()
    answer = winner_shares(labels)
    at = np.arange(len(truth)), truth
    hot = np.zeros_like(labels)
    hot[at] = 1
    hits = weights @ (answer * hot)
    claims = weights @ (answer + hot)
    f1 = np.divide(2 * hits, claims, out=np.zeros(len(hits)), where=claims > 0)
    logs = np.log(np.clip(labels[at], LEAST, 1))
    return (
        float(hits.sum() / total),
        float(f1[claims > 0].mean() if positive is None else f1[positive]),
        float(abs(weights @ logs) / total),
        float(weights @ ((labels - hot) ** 2).sum(axis=1) / total),
    )


def first_sentence(error: Any) -> str:
    """What an error or a warning has to say in short.

    Examples
    --------
    >>> from corral.comparison import first_sentence
    >>> first_sentence("one class for all. Use another method.")
    'one class for all.'
    """
    text = " ".join(str(error).split()) or type(error).__name__
    return text.split(". ")[0].rstrip(".") + "."


def score_methods(
    tried: dict[str, Labeler],
    signals: WeakSignals,
    score: Callable[[FloatArray], tuple[float, float, float, float]],
) -> dict[str, Any]:
    """Fields of a `Comparison`: scores of methods, refusals and warnings."""
    scores = np.full((len(tried), 5), np.nan)
    refused, warned = {}, {}
    for i, one in enumerate(try_methods(tried, signals)):
        if one.labels is None:
            refused[one.name] = one.remark
            continue
        scores[i] = *score(one.labels), one.seconds
        if one.remark:
            warned[one.name] = one.remark
    if len(refused) == len(tried):
        raise ParameterError(
            "no method could label these votes: "
            + "; ".join(f"{name}: {why}" for name, why in refused.items())
        )
    names = ("accuracy", "f1", "log_loss", "brier", "seconds")
    return {
        "methods": tuple(tried),
        **dict(zip(names, scores.T, strict=True)),
        "refused": refused,
        "warned": warned,
    }
