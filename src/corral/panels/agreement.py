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
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

from corral._types import BoolArray, FloatArray
from corral.panels.difference_estimator import Estimate, PanelEstimator

SLOPE_STEP = 1e-6


@dataclass(frozen=True, eq=False)
class Judge:
    """What one judge, the vote or the labels get right, where they answer."""

    name: str
    coverage: float  # share of the rows that it votes on
    accuracy: Estimate  # of its votes; NaN without votes
    confusion: Estimate  # (k, k) [c, v]: how often it says v where the class is c
    precision: Estimate  # (k,) how often the class is c where it says c
    kappa: Estimate  # weighted where classes have an order
    rank_correlation: Estimate | None  # Spearman's, where classes have an order

    @property
    def hits(self) -> float:
        """Share of all rows that it gets right."""
        return float(self.accuracy.value) * self.coverage if self.coverage else 0.0

    @property
    def says(self) -> BoolArray:
        """(k,) the classes that it says at all."""
        return np.isfinite(self.precision.value)

    @property
    def recall(self) -> Estimate:
        """(k,) how often it says c where the class is c."""
        places = np.arange(len(self.precision.value))
        return self.confusion.pick(places, places)


def find_agreement(
    estimator: PanelEstimator, name: str, said: FloatArray, *, ordered: bool = False
) -> Judge:
    """How far answers (u, k) agree with people; a row of zeros is no answer."""
    k = said.shape[1]
    voted = said.sum(axis=1)
    voters = np.broadcast_to(voted[:, None], said.shape)[None]
    # (k, u, k) rows of every class that it votes on, and those that it calls c
    of_class = voted[None, :, None] * np.eye(k)[:, None, :]
    called = np.broadcast_to(said.T[:, :, None], (k, *said.shape))
    by_answer = [
        estimator.ratio(of_class * said.T[v][None, :, None], of_class) for v in range(k)
    ]
    confusion = Estimate(
        *(
            np.stack([getattr(each, part.name) for each in by_answer], axis=1)
            for part in fields(Estimate)
        )
    )
    sizes = estimator.moments(of_class)[0].clip(0)
    table = np.nan_to_num(confusion.value) * sizes[:, None]
    return Judge(
        name,
        float(estimator.panel.mean(voted)),
        estimator.ratio(said[None], voters).pick(0),
        confusion,
        estimator.ratio(called * np.eye(k)[:, None, :], called),
        _delta(estimator, said, table, partial(_kappa, ordered=ordered)),
        _delta(estimator, said, table, _rank_correlation) if ordered else None,
    )


def _delta(
    estimator: PanelEstimator,
    said: FloatArray,
    table: FloatArray,
    measure: Callable[[FloatArray], float],
) -> Estimate:
    """A measure from -1 to 1 of a table (k, k) of shares."""
    value = measure(table)
    slope = np.empty_like(table)
    for cell in np.ndindex(table.shape):
        moved = table.copy()
        moved[cell] += SLOPE_STEP
        slope[cell] = (measure(moved) - value) / SLOPE_STEP
    if not np.isfinite(slope).all():
        return Estimate(*map(np.array, (np.nan, -1.0, 1.0, np.inf)))
    each = said @ slope.T
    reach = max(float(np.ptp(each, axis=1).max()), 1e-12)  # of a residual
    variance = estimator.moments(each[None] / reach)[1] * reach**2
    return estimator.bounded(np.array([value]), variance, -1, 1).pick(0)


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
