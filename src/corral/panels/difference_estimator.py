"""Means over all rows from a labelled sample: shares of classes, and shares in slices.

The mean of anything that depends on the class of a row is what the model expects of all
rows, plus the mean by which labelled rows differ from what the model, fitted without them,
expects of them. Survey sampling calls this the difference estimator, machine learning
prediction-powered inference. A wrong model widens the interval and does not bias the mean.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import betainc, betaincinv, ndtri, stdtrit

from corral._types import FloatArray, IntArray
from corral.decisions import winner_shares
from corral.panels.inputs import JEFFREYS, PanelVotes, Sample
from corral.panels.pattern_model import fit_patterns

SLICE_SPREADS = np.linspace(0.02, 1, 25)
"""How far slices may differ from each other, in standard deviations of a residual."""
UNLIKE_SHARE, UNLIKE_SPREAD = 0.15, 0.5
"""Beforehand, the share of slices on which judges fail in their own way, and how far the
model is off there; chosen on panels made up, `make bench NAME=panel`."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """Means over all rows, or what follows from them, and their intervals."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    variance: FloatArray

    def pick(self, *where: Any) -> Estimate:
        """Some of them, by their place."""
        every = (self.value, self.low, self.high, self.variance)
        return Estimate(*(np.asarray(each[where]) for each in every))

    @property
    def three(self) -> tuple[float, float, float]:
        """Value and ends of the interval of a single one."""
        return float(self.value), float(self.low), float(self.high)


@dataclass(frozen=True, eq=False)
class PanelEstimator:
    """Means over all rows from votes, a labelled sample and a model fitted to both.

    Every labelled row is a pattern of its own, the last l of the u patterns: its label has
    not seen what people said of it.
    """

    panel: PanelVotes
    sample: Sample
    labels: FloatArray  # (u, k) what the model expects of every pattern
    level: float  # probability of the intervals

    @classmethod
    def fit(
        cls, panel: PanelVotes, sample: Sample, level: float = 0.9
    ) -> PanelEstimator:
        """Fit the model to the sample."""
        labels = fit_patterns(panel, sample)
        u = len(panel.counts)
        kept = np.concatenate([np.arange(u), panel.inverse[sample.rows]])
        inverse = panel.inverse.copy()
        inverse[sample.rows] = u + np.arange(len(sample))
        apart = replace(
            panel,
            said=panel.said[kept],
            votes=panel.votes[kept],
            counts=np.bincount(inverse, minlength=len(kept)).astype(float),
            inverse=inverse,
            logs=panel.logs[kept],
        )
        return cls(apart, sample, np.concatenate(labels), level)

    @property
    def at(self) -> IntArray:
        """(l,) patterns of the labelled rows."""
        return self.panel.inverse[self.sample.rows]

    @property
    def left_out(self) -> FloatArray:
        """(l, k) what is expected of labelled rows."""
        return self.labels[self.at]

    @property
    def truth(self) -> FloatArray:
        """(l, k) classes of the labelled rows, one-hot."""
        return np.eye(self.labels.shape[1])[self.sample.truth]

    @property
    def class_terms(self) -> FloatArray:
        """(k, u, k) one where a row has the class."""
        u, _, k = self.panel.shape
        return np.broadcast_to(np.eye(k)[:, None, :], (k, u, k))

    @property
    def widening(self) -> float:
        """What Student's t adds to a variance, for intervals by the normal law."""
        df = max(self.sample.effective - 1, 1)
        tail = (1 + self.level) / 2
        return float((stdtrit(df, tail) / ndtri(tail)) ** 2)

    def moments(self, terms: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(t,) means of terms (t, u, k), not held to 0 to 1, and (t,) their variances."""
        # By how much labelled rows differ from what the other rows expect of them.
        gap = self.truth - self.left_out
        left = np.einsum("tlk,lk->lt", terms[:, self.at], gap)
        expected = self.panel.mean((terms * self.labels).sum(axis=2).T)
        return expected + self.sample.mean(left), self.sample.residual_variance(left)

    def shares(self) -> Estimate:
        """The share of every class; they add up to one."""
        value, variance = self.moments(self.class_terms)
        found = jeffreys_interval(value, variance * self.widening, self.level)
        value = found.value / found.value.sum()
        low, high = np.minimum(found.low, value), np.maximum(found.high, value)
        return Estimate(value, low, high, found.variance)

    def find_mean(self, worth: FloatArray) -> Estimate:
        """The mean over all rows of a number per class (k,)."""
        u, _, k = self.panel.shape
        reach = max(float(np.ptp(worth)), 1e-12)
        value, variance = self.moments(np.broadcast_to(worth / reach, (1, u, k)))
        ends = float(worth.min()), float(worth.max())
        return self.bounded(value * reach, variance * reach**2, *ends).pick(0)

    def bounded(
        self, value: FloatArray, variance: FloatArray, least: float, most: float
    ) -> Estimate:
        """Numbers that lie from `least` to `most`, with Jeffreys' interval."""
        reach = max(most - least, 1e-12)
        share = (value - least) / reach
        found = jeffreys_interval(
            share, variance / reach**2 * self.widening, self.level
        )
        low, high = (least + reach * each for each in (found.low, found.high))
        return Estimate(value, low, high, variance)

    def labels_alone(self) -> Estimate:
        """The shares by the labelled rows alone, as if there were no judges."""
        value = self.sample.mean(self.truth)
        variance = self.sample.residual_variance(self.truth - value, JEFFREYS)
        return jeffreys_interval(value, variance * self.widening, self.level)

    def vote_shares(self) -> FloatArray:
        """(k,) the shares of the answers of the majority vote, as they are."""
        return self.panel.mean(winner_shares(self.panel.shares))

    def ratio(self, part: FloatArray, whole: FloatArray) -> Estimate:
        """Means of terms `part` (t, u, k) relative to means of `whole`, which hold them.

        By what a row adds to the ratio, to first order: a residual of part less the ratio
        times the whole. NaN, and an open interval, where the whole is hardly there.
        """
        size = np.maximum(self.moments(whole)[0], 1e-9)
        ratio = np.clip(self.moments(part)[0] / size, 0, 1)
        _, variance = self.moments(part - ratio[:, None, None] * whole)
        there = size > 1e-6
        variance = np.where(there, variance / size**2, np.inf)
        found = jeffreys_interval(ratio, variance * self.widening, self.level)
        ends = np.where(there, found.low, 0.0), np.where(there, found.high, 1.0)
        return Estimate(np.where(there, found.value, np.nan), *ends, found.variance)


def jeffreys_interval(
    value: FloatArray, variance: FloatArray, level: float
) -> Estimate:
    """Jeffreys' interval of a share, for the number of plain labels with this variance."""
    held, a, b = _beta_law(value, variance)
    sure = variance <= 0
    low = np.minimum(betaincinv(a, b, (1 - level) / 2), held)
    high = np.maximum(betaincinv(a, b, (1 + level) / 2), held)
    low, high = np.where(sure, held, low), np.where(sure, held, high)
    return Estimate(held, low, high, variance)


def _beta_law(
    value: FloatArray, variance: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Shares held to 0 to 1, and the beta laws whose ends are Jeffreys' interval.

    Near 0 and 1, where a variance tells of a share that is not quite there, the law is
    that of the number of labels of which half a one would have this variance.
    """
    held = np.clip(value, 0, 1)
    known = np.maximum(variance, 1e-12)
    # n labels, none of them of the class: n * (n + 1.5) is nearly a half over that.
    none = np.sqrt(JEFFREYS / known + 0.75**2) - 0.75
    worth = np.maximum(held * (1 - held) / known, none)
    return held, held * worth + JEFFREYS, (1 - held) * worth + JEFFREYS


@dataclass(frozen=True, eq=False)
class Slice:
    """The share of every class in some of the rows."""

    column: str  # of slices
    name: str  # its value
    n_rows: int
    n_labelled: int
    share: FloatArray  # (k,)
    low: FloatArray
    high: FloatArray
    vote: FloatArray  # (k,) shares among the answers of the majority vote


def find_slices(
    estimator: PanelEstimator, column: str, codes: IntArray, names: NDArray[Any]
) -> list[Slice]:
    """The shares in every slice; slices with few labels borrow from all rows.

    By how much the model is off in a slice is taken to vary around what it is off by in
    all rows, as much as the labels of the slices show. A slice whose labels contradict
    that is counted by its own labels, as if there were no judges; intervals are of both,
    by how likely each is. `codes` (n,) are places in `names` (g,); -1: in no slice.
    """
    sample, panel, g = estimator.sample, estimator.panel, len(names)
    member = (codes[sample.rows][:, None] == np.arange(g)).astype(float)
    number = member.sum(axis=0)
    inside = np.flatnonzero(codes >= 0)
    place = codes[inside], panel.inverse[inside]
    # (g, u) rows of every pattern in every slice
    held = csr_array((np.ones(len(inside)), place), shape=(g, panel.shape[0]))
    rows = np.maximum(held.sum(axis=1), 1)[:, None]
    expected = held @ estimator.labels / rows
    votes = held @ winner_shares(panel.shares) / rows

    left = estimator.truth - estimator.left_out
    weight = member * sample.weights[:, None]
    size = np.maximum(weight.sum(axis=0), 1e-12)[:, None]
    worth = np.maximum(size**2 / np.maximum((weight**2).sum(axis=0), 1e-12)[:, None], 1)
    # Where sampling probabilities differ, no slice is taken to be sure.
    unseen = 1 - number[:, None] / rows if np.ptp(sample.weights) == 0 else 1.0
    square = sample.mean(left**2) + JEFFREYS / sample.effective
    seen = np.broadcast_to(number[:, None] > 0, expected.shape)
    within = np.where(seen, np.maximum(square * unseen / worth, 1e-12), np.inf)
    shift, doubt, unlike = _pool(estimator, weight.T @ left / size, within, square)
    alone = weight.T @ estimator.truth / size
    plain = (alone * (1 - alone) + JEFFREYS / worth) * unseen / worth
    both = (
        _beta_law(expected + shift, doubt * estimator.widening),
        _beta_law(alone, plain),
    )
    value = (1 - unlike) * both[0][0] + unlike * both[1][0]
    share = value / value.sum(axis=1, keepdims=True)
    # Quantiles of the mixture of both laws, by bisection.
    tails = np.array([1 - estimator.level, 1 + estimator.level])[:, None, None] / 2
    low, high = np.zeros((2, *share.shape)), np.ones((2, *share.shape))
    for _ in range(40):
        x = (low + high) / 2
        first, second = (betainc(a, b, x) for _, a, b in both)
        below = (1 - unlike) * first + unlike * second < tails
        low, high = np.where(below, x, low), np.where(below, high, x)
    low, high = np.minimum(x[0], share), np.maximum(x[1], share)
    return [
        Slice(
            *(column, str(names[i]), int(rows[i, 0]), int(number[i])),
            *(share[i], low[i], high[i], votes[i]),
        )
        for i in range(g)
    ]


def _pool(
    estimator: PanelEstimator, off: FloatArray, within: FloatArray, square: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(g, k) by how much the model is off in slices like others, and the variances.

    And the probability of every slice to be unlike others. `off` and `within` (g, k) are
    mean residuals of slices and their variances, infinite without labels; `square` (k,)
    is the mean square of residuals in all rows.
    """
    value, variance = estimator.moments(estimator.class_terms)
    mean = value - estimator.panel.mean(estimator.labels)
    seen = np.isfinite(within)
    between = (SLICE_SPREADS**2)[:, None, None] * square
    far = np.full((1, 1, len(square)), UNLIKE_SPREAD**2)
    total = np.where(seen, np.concatenate([between, far]) + within, 1.0)
    fit = -(np.log(total) + np.where(seen, (off - mean) ** 2, 0.0) / total) / 2
    fit = np.exp(fit - fit.max(axis=0))
    alike, apart = (1 - UNLIKE_SHARE) * fit[:-1], UNLIKE_SHARE * fit[-1]
    # Every squared spread is as likely beforehand, up to the largest.
    chance = np.log(SLICE_SPREADS)[:, None] + np.log(alike + apart).sum(axis=1)
    chance = np.exp(chance - chance.max(axis=0))
    chance = (chance / chance.sum(axis=0))[:, None] / (alike + apart)  # (s, g, k)
    unlike = np.where(seen, apart * chance.sum(axis=0), 0.0)
    chance = alike * chance
    chance /= chance.sum(axis=0)
    pull = between / (between + within)
    each = mean + pull * (off - mean)
    inner = np.where(seen, (1 - pull), 1.0) * between + (1 - pull) ** 2 * variance
    moved = (chance * each).sum(axis=0)
    return moved, (chance * (inner + (each - moved) ** 2)).sum(axis=0), unlike
