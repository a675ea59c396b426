"""What every judge gets right and wrong, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray
from corral.panels.assisted import Estimate, Evidence, bound


@dataclass(frozen=True, eq=False)
class Judge:
    """What one judge gets right and wrong, where it votes.

    Attributes
    ----------
    name : str
    coverage : float
        Share of the rows that it votes on.
    accuracy : float
        Share of its votes that are right; given if its error rate was. NaN without votes.
    accuracy_interval : (low, high)
    confusion : (k, k) array of float
        ``confusion[c, v]``: how often it says v where the class is c.
    confusion_low, confusion_high : (k, k) arrays of float
        Intervals of these.
    specificity : (k,) array of float
        How often it does not say c where the class is not c; its sensitivity is the
        diagonal of the confusion.
    specificity_low, specificity_high : (k,) arrays of float
    """

    name: str
    coverage: float
    accuracy: float
    accuracy_interval: tuple[float, float]
    confusion: FloatArray
    confusion_low: FloatArray
    confusion_high: FloatArray
    specificity: FloatArray
    specificity_low: FloatArray
    specificity_high: FloatArray

    @property
    def hits(self) -> float:
        """Share of all rows that it gets right."""
        return self.accuracy * self.coverage if self.coverage else 0.0

    @property
    def sensitivity(self) -> FloatArray:
        """(k,) how often it says c where the class is c."""
        return np.diag(self.confusion)


def find_judges(evidence: Evidence, names: tuple[str, ...]) -> tuple[Judge, ...]:
    """Accuracy, confusion and specificity of all judges."""
    right = find_accuracies(evidence)
    return tuple(_find_judge(evidence, right, i, name) for i, name in enumerate(names))


def find_accuracies(evidence: Evidence) -> Estimate:
    """How often every judge is right where it votes, (m,) each."""
    voted = (evidence.panel.votes >= 0).astype(float).T[:, :, None]
    said = evidence.panel.hard.transpose(1, 0, 2)
    return _find_ratio(evidence, said, np.broadcast_to(voted, said.shape))


def _find_judge(evidence: Evidence, right: Estimate, i: int, name: str) -> Judge:
    panel = evidence.panel
    voted = (panel.votes[:, i] >= 0).astype(float)
    said = panel.hard[:, i]
    k = said.shape[1]
    accuracy = float(right.value[i])
    ends = float(right.low[i]), float(right.high[i])
    if np.isfinite(given := evidence.known.rates[i]):
        accuracy = 1 - float(given)
        ends = accuracy, accuracy
    # Of class c: rows of that class, and of these the ones it says v of.
    eye = np.eye(k)
    of_class = voted[None, :, None] * eye[:, None, :]
    cells = [
        _find_ratio(evidence, of_class * said.T[v][None, :, None], of_class)
        for v in range(k)
    ]
    confusion, low, high = (
        np.stack([getattr(cell, part) for cell in cells], axis=1)
        for part in ("value", "low", "high")
    )
    other = voted[None, :, None] * (1 - eye)[:, None, :]
    denied = _find_ratio(evidence, other * (1 - said.T)[:, :, None], other)
    return Judge(
        name,
        float(panel.mean(voted)),
        *(accuracy, ends),
        *(confusion, low, high),
        *(denied.value, denied.low, denied.high),
    )


def _find_ratio(evidence: Evidence, part: FloatArray, whole: FloatArray) -> Estimate:
    """Means of terms (t, u, k) relative to those that hold them.

    By what a row adds to the ratio, to first order: a residual of part less the ratio
    times the whole.
    """
    size = evidence.panel.mean((whole * evidence.labels).sum(axis=2).T)
    size = size + evidence.sample.mean(evidence.residuals(whole))
    amount = evidence.panel.mean((part * evidence.labels).sum(axis=2).T)
    amount = amount + evidence.sample.mean(evidence.residuals(part))
    size = np.maximum(size, 1e-9)
    ratio = np.clip(amount / size, 0, 1)
    _, variance = evidence.moments(part - ratio[:, None, None] * whole)
    # What is hardly there leaves its ratio open.
    there = size > 1e-6
    variance = np.where(there, variance / size**2, np.inf)
    found = bound(ratio, variance * evidence.widening, evidence.level)
    ends = np.where(there, found.low, 0.0), np.where(there, found.high, 1.0)
    return Estimate(np.where(there, found.value, np.nan), *ends, found.variance)
