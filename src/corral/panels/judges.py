"""What judges get right and wrong, and how far they err together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray
from corral.panels.difference_estimator import Estimate, PanelEstimator

N_RESAMPLES = 400
"""Draws of the labelled rows, for the interval of the effective number of judges."""


@dataclass(frozen=True, eq=False)
class Judge:
    """What one judge gets right and wrong, where it votes."""

    name: str
    coverage: float  # share of the rows that it votes on
    accuracy: float  # of its votes; given if its error rate was; NaN without votes
    accuracy_interval: tuple[float, float]
    confusion: FloatArray  # (k, k) [c, v]: how often it says v where the class is c
    confusion_low: FloatArray
    confusion_high: FloatArray
    specificity: FloatArray  # (k,) how often it does not say c where the class is not c
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


def find_judges(estimator: PanelEstimator, names: tuple[str, ...]) -> tuple[Judge, ...]:
    """Accuracy, confusion and specificity of all judges."""
    panel, k = estimator.panel, estimator.panel.shape[2]
    right = find_accuracies(estimator)
    found = []
    for i, name in enumerate(names):
        voted = (panel.votes[:, i] >= 0).astype(float)
        said = panel.hard[:, i]
        accuracy, low, high = (
            float(x[i]) for x in (right.value, right.low, right.high)
        )
        if np.isfinite(given := estimator.known.rates[i]):
            accuracy = low = high = 1 - float(given)
        # (k, u, k) rows of every class that it votes on, and rows of the other classes
        of_class = voted[None, :, None] * np.eye(k)[:, None, :]
        other = voted[None, :, None] * (1 - np.eye(k))[:, None, :]
        cells = [
            estimator.ratio(of_class * said.T[v][None, :, None], of_class)
            for v in range(k)
        ]
        denied = estimator.ratio(other * (1 - said.T)[:, :, None], other)
        found.append(
            Judge(
                *(name, float(panel.mean(voted)), accuracy, (low, high)),
                np.stack([cell.value for cell in cells], axis=1),
                np.stack([cell.low for cell in cells], axis=1),
                np.stack([cell.high for cell in cells], axis=1),
                *(denied.value, denied.low, denied.high),
            )
        )
    return tuple(found)


def find_accuracies(estimator: PanelEstimator) -> Estimate:
    """How often every judge is right where it votes, (m,) each."""
    voted = (estimator.panel.votes >= 0).astype(float).T[:, :, None]
    said = estimator.panel.hard.transpose(1, 0, 2)
    return estimator.ratio(said, np.broadcast_to(voted, said.shape))


@dataclass(frozen=True, eq=False)
class Dependence:
    """How far judges err together.

    `effective` judges who err independently would have a vote whose errors vary as much:
    ``m / (1 + (m - 1) * mean correlation)``.
    """

    correlation: FloatArray  # (m, m) of errors, where both vote; NaN if one never errs
    effective: float
    effective_interval: tuple[float, float]

    def find_nearest(self, i: int) -> int | None:
        """The judge whose errors go most with those of judge `i`, if any do."""
        others = self.correlation[i].copy()
        others[i] = np.nan
        return int(np.nanargmax(others)) if np.isfinite(others).any() else None


def find_dependence(estimator: PanelEstimator, rng: np.random.Generator) -> Dependence:
    """Correlations of errors, and the number of independent judges that they leave."""
    panel, sample = estimator.panel, estimator.sample
    m = panel.shape[1]
    if m == 1:
        return Dependence(np.ones((1, 1)), 1.0, (1.0, 1.0))
    wrong = (1 - panel.hard) * (panel.votes >= 0)[:, :, None]
    voted = (panel.votes >= 0).astype(float)
    common = (voted * panel.counts[:, None]).T @ voted / panel.counts.sum()
    each = panel.counts[:, None] * estimator.labels / panel.counts.sum()
    joint = np.einsum("umk,uk,unk->mn", wrong, each, wrong, optimize=True)
    # Errors of i on rows that j votes on, too.
    alone = np.einsum("umk,uk,un->mn", wrong, each, voted, optimize=True)
    gap = estimator.truth - estimator.left_out
    heard, erred = voted[estimator.at], wrong[estimator.at]
    own_left = np.einsum("lmk,lk->lm", erred, gap)
    # (l * k, m), since an array (l, m, m) would be large.
    erred = erred.transpose(0, 2, 1).reshape(-1, m)

    def correlate(weights: FloatArray, unseen: float = 0.0) -> FloatArray:
        # An unseen row is one on which all err.
        share = weights[:, None] / (weights.sum() + unseen)
        more = 1 - share.sum()
        size = np.where(common > 0, common, np.nan)
        both = (joint + erred.T @ ((share * gap).reshape(-1, 1) * erred) + more) / size
        first = np.clip((alone + (share * own_left).T @ heard + more) / size, 0, 1)
        spread = np.sqrt(first * (1 - first) * (first * (1 - first)).T)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (both - first * first.T) / np.where(spread > 1e-9, spread, np.nan)
        np.fill_diagonal(found, 1.0)
        return np.clip(found, -1, 1)

    correlation = correlate(sample.weights)
    drawn = rng.standard_exponential((N_RESAMPLES, len(sample))) * sample.weights
    # That labels show no common error does not mean that there is none: every other draw
    # has one more row.
    more = rng.standard_exponential(N_RESAMPLES) * (np.arange(N_RESAMPLES) % 2)
    counts = [
        effective_judges(correlate(w, unseen))
        for w, unseen in zip(drawn, more.tolist(), strict=True)
    ]
    low, high = np.quantile(
        counts, ((1 - estimator.level) / 2, (1 + estimator.level) / 2)
    )
    effective = effective_judges(correlation)
    return Dependence(
        correlation,
        effective,
        (min(float(low), effective), max(float(high), effective)),
    )


def effective_judges(correlation: FloatArray) -> float:
    """How many independent judges correlations (m, m) of errors leave."""
    m = len(correlation)
    others = correlation[~np.eye(m, dtype=bool)]
    if not np.isfinite(others).any():
        return float(m)
    mean = float(np.clip(np.nanmean(others), 0, 1))
    return m / (1 + (m - 1) * mean)
