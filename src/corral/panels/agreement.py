"""How far judges, their vote and the labels agree with people.

All of it comes from one table per judge: ``P[c, v]``, the share of its rows that people
call ``c`` and that it calls ``v``, expected by the model and corrected by labelled rows.

    accuracy           sum_c P[c, c]
    recall of c        P[c, c] / P[c, .]    TPR of the second of two, TNR of the first
    precision of c     P[c, c] / P[., c]
    kappa              1 - sum w P / sum w P[c, .] P[., v]
    rank correlation   Pearson's, of the ranks that both margins give the classes

The weights ``w[c, v]`` of kappa are 1 where ``c`` and ``v`` differ (Cohen), and
``(c - v)**2`` where classes have an order (weighted kappa). The intervals of kappa and of
the correlation are by the delta method: to first order, a row moves them by their slope at
its cell of ``P``, and the mean of that has the variance of any other mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray
from corral.decisions import winner_shares
from corral.panels.difference_estimator import (
    Estimate,
    PanelEstimator,
    jeffreys_interval,
)

VOTE, LABELS = "majority vote", "labels"
"""What the answers of all judges together are called."""
SLOPE_STEP = 1e-6

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Judge:
    """What one judge, the vote or the labels get right, where they answer."""

    name: str
    coverage: float  # share of the rows that it votes on
    accuracy: float  # of its votes; given if its error rate was; NaN without votes
    accuracy_interval: Interval
    confusion: FloatArray  # (k, k) [c, v]: how often it says v where the class is c
    confusion_low: FloatArray
    confusion_high: FloatArray
    kappa: float  # weighted where classes have an order
    kappa_interval: Interval
    precision: FloatArray  # (k,) how often the class is c where it says c
    precision_low: FloatArray
    precision_high: FloatArray
    rank_correlation: float | None = None  # Spearman's, where classes have an order
    rank_correlation_interval: Interval | None = None

    @property
    def hits(self) -> float:
        """Share of all rows that it gets right."""
        return self.accuracy * self.coverage if self.coverage else 0.0

    @property
    def sensitivity(self) -> FloatArray:
        """(k,) how often it says c where the class is c."""
        return np.diag(self.confusion)


def find_judges(
    estimator: PanelEstimator, names: tuple[str, ...], *, ordered: bool = False
) -> tuple[Judge, ...]:
    """How far every judge agrees with people."""
    panel, rates = estimator.panel, estimator.known.rates
    return tuple(
        find_agreement(estimator, name, panel.hard[:, i], rates[i], ordered=ordered)
        for i, name in enumerate(names)
    )


def find_agreement(
    estimator: PanelEstimator,
    name: str,
    said: FloatArray,
    error_rate: float = np.nan,
    *,
    ordered: bool = False,
) -> Judge:
    """How far answers (u, k) agree with people; a row of zeros is no answer."""
    k = said.shape[1]
    voted = said.sum(axis=1)
    right = estimator.ratio(
        said[None], np.broadcast_to(voted[:, None], said.shape)[None]
    )
    accuracy, low, high = (
        float(each[0]) for each in (right.value, right.low, right.high)
    )
    if np.isfinite(error_rate):
        accuracy = low = high = 1 - float(error_rate)
    # (k, u, k) rows of every class that it votes on, and those that it calls c
    of_class = voted[None, :, None] * np.eye(k)[:, None, :]
    called = np.broadcast_to(said.T[:, :, None], (k, *said.shape))
    recall = [
        estimator.ratio(of_class * said.T[v][None, :, None], of_class) for v in range(k)
    ]
    precision = estimator.ratio(called * np.eye(k)[:, None, :], called)
    sizes = estimator.moments(of_class)[0].clip(0)[:, None]
    table = np.nan_to_num(np.stack([cell.value for cell in recall], axis=1)) * sizes
    kappa = _delta(estimator, said, table, lambda p: _kappa(p, ordered=ordered))
    ranks = (
        _delta(estimator, said, table, _rank_correlation) if ordered else (None,) * 2
    )
    return Judge(
        *(name, float(estimator.panel.mean(voted)), accuracy, (low, high)),
        np.stack([cell.value for cell in recall], axis=1),
        np.stack([cell.low for cell in recall], axis=1),
        np.stack([cell.high for cell in recall], axis=1),
        *kappa,
        *(precision.value, precision.low, precision.high),
        *ranks,
    )


def find_accuracies(estimator: PanelEstimator) -> Estimate:
    """How often every judge is right where it votes, (m,) each."""
    voted = (estimator.panel.votes >= 0).astype(float).T[:, :, None]
    said = estimator.panel.hard.transpose(1, 0, 2)
    return estimator.ratio(said, np.broadcast_to(voted, said.shape))


def find_answers(
    estimator: PanelEstimator,
    labels: FloatArray,
    left_out: FloatArray,
    *,
    ordered: bool = False,
) -> tuple[Judge, Judge]:
    """How far the majority vote and the labels agree with people.

    `labels` (u, k) are of all patterns, `left_out` (l, k) of labelled rows, as if their own
    label had not been seen.
    """
    vote = winner_shares(estimator.panel.shares)
    apart = estimator.with_rows_apart()
    said = winner_shares(np.concatenate([labels, left_out]))
    return (
        find_agreement(estimator, VOTE, vote, ordered=ordered),
        find_agreement(apart, LABELS, said, ordered=ordered),
    )


def _delta(
    estimator: PanelEstimator,
    said: FloatArray,
    table: FloatArray,
    measure: Callable[[FloatArray], float],
) -> tuple[float, Interval]:
    """A measure from -1 to 1 of a table (k, k) of shares, and its interval."""
    value = measure(table)
    if not np.isfinite(value):
        return np.nan, (-1.0, 1.0)
    slope = np.empty_like(table)
    for cell in np.ndindex(table.shape):
        moved = table.copy()
        moved[cell] += SLOPE_STEP
        slope[cell] = (measure(moved) - value) / SLOPE_STEP
    each = said @ slope.T
    reach = max(float(np.ptp(each, axis=1).max()), 1e-12)  # of a residual
    variance = estimator.moments(each[None] / reach)[1] * reach**2 * estimator.widening
    found = jeffreys_interval(
        np.array([(value + 1) / 2]), variance / 4, estimator.level
    )
    return value, (2 * float(found.low[0]) - 1, 2 * float(found.high[0]) - 1)


def _kappa(table: FloatArray, *, ordered: bool) -> float:
    """Cohen's kappa of a table of shares; NaN where only one class is there."""
    p = table / max(table.sum(), 1e-12)
    place = np.arange(len(p))
    far = (place[:, None] - place) ** 2 if ordered else 1 - np.eye(len(p))
    chance = float((far * np.outer(p.sum(axis=1), p.sum(axis=0))).sum())
    return 1 - float((far * p).sum()) / chance if chance > 1e-9 else np.nan


def _rank_correlation(table: FloatArray) -> float:
    """Spearman's rank correlation of a table of shares, with middle ranks for ties."""
    p = table / max(table.sum(), 1e-12)
    sides = [p.sum(axis=1), p.sum(axis=0)]
    ranks = [np.cumsum(side) - side / 2 - 0.5 for side in sides]
    spread = np.prod([side @ rank**2 for side, rank in zip(sides, ranks, strict=True)])
    return (
        float(ranks[0] @ p @ ranks[1] / np.sqrt(spread)) if spread > 1e-12 else np.nan
    )
