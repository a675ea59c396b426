"""How far judges err together, and what that means for labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from corral._types import FloatArray
from corral.decisions import winner_shares
from corral.panels.difference_estimator import PanelEstimator
from corral.panels.inputs import read_panel
from corral.panels.pattern_model import fit_patterns
from corral.votes import WeakSignals

N_INTERVAL_DRAWS = 400
"""Draws of the labelled rows, for the interval of the effective number of judges."""
MAX_ACCURACY_LOSS = 0.005
"""By how much labels may be right less often than the vote or the best judge."""
N_CHOICE_DRAWS = 200
"""Draws of the labelled rows that choose the best judge of those not drawn."""
PARTS = np.linspace(0.05, 1, 20)
"""How far labels may give way to the vote or a judge; at one, wholly."""
MIN_LEAD = 1e-3
"""By how much the class that a label is given leads, where it did not."""
MAX_ABLATED_JUDGES = 50
"""Judges up to which the panel is fitted without each of them."""
MAX_NEEDLESS_LOSS = 0.01
"""Log-loss that a panel may lose with a judge whom it does not need."""
MIN_PROBABILITY = 1e-3
"""Probabilities are cut off here before the logarithm."""


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
    # Rules that always say the same err together, or never do, by what they are.
    fixed = ((panel.hard * panel.counts[:, None, None]).sum(axis=0) > 0).sum(axis=1) < 2
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
        found[np.outer(fixed, fixed)] = np.nan
        np.fill_diagonal(found, 1.0)
        return np.clip(found, -1, 1)

    correlation = correlate(sample.weights)
    drawn = rng.standard_exponential((N_INTERVAL_DRAWS, len(sample))) * sample.weights
    # That labels show no common error does not mean that there is none: every other draw
    # has one more row.
    more = rng.standard_exponential(N_INTERVAL_DRAWS) * (
        np.arange(N_INTERVAL_DRAWS) % 2
    )
    counts = [
        effective_judges(correlate(w, unseen))
        for w, unseen in zip(drawn, more.tolist(), strict=True)
    ]
    effective, level = effective_judges(correlation), estimator.level
    low, high = np.quantile(counts, ((1 - level) / 2, (1 + level) / 2))
    interval = min(float(low), effective), max(float(high), effective)
    return Dependence(correlation, effective, interval)


def effective_judges(correlation: FloatArray) -> float:
    """How many independent judges correlations (m, m) of errors leave."""
    m = len(correlation)
    others = correlation[~np.eye(m, dtype=bool)]
    if not np.isfinite(others).any():
        return float(m)
    mean = float(np.clip(np.nanmean(others), 0, 1))
    return m / (1 + (m - 1) * mean)


@dataclass(frozen=True, eq=False)
class Gain:
    """How much more often one kind of labels is right than another, on the same rows."""

    value: float  # difference of the accuracies
    low: float
    high: float
    accuracy: float  # on the labelled rows, each of which was left out
    other: float


@dataclass(frozen=True, eq=False)
class Hits:
    """How far labels are right on every labelled row: 1, 0, or a part for ties."""

    panel: FloatArray  # (l,) the model, fitted to the other rows
    vote: FloatArray  # (l,) the majority vote
    best: FloatArray  # (l,) the judge that the other rows choose
    judges: FloatArray  # (l, m) each judge; as often as a guess where it abstains


def find_hits(estimator: PanelEstimator, rng: np.random.Generator) -> Hits:
    """How far panel, vote and best judge are right on the labelled rows.

    The best judge of a row is the one most often right on other rows, drawn again and
    again, so that choosing it does not flatter it.
    """
    at, truth, panel = estimator.at, estimator.sample.truth, estimator.panel
    rows = np.arange(len(at))
    voted = panel.votes[at] >= 0
    right = (panel.votes[at] == truth[:, None]).astype(float)
    judges = np.where(voted, right, 1 / estimator.labels.shape[1])
    drawn = rng.multinomial(len(at), np.full(len(at), 1 / len(at)), N_CHOICE_DRAWS)
    heard = (drawn * estimator.sample.weights) @ judges
    leads = (heard >= heard.max(axis=1, keepdims=True) - 1e-9).astype(float)
    leads /= leads.sum(axis=1, keepdims=True)
    absent = (drawn == 0).astype(float)
    chosen = absent.T @ leads / np.maximum(absent.sum(axis=0), 1)[:, None]
    return Hits(
        winner_shares(estimator.left_out)[rows, truth],
        winner_shares(panel.shares)[at, truth],
        (chosen * judges).sum(axis=1),
        judges,
    )


def find_gain(estimator: PanelEstimator, hits: FloatArray, others: FloatArray) -> Gain:
    """The difference of two accuracies, with Bonett and Price's interval.

    It adds a row to either side, so that it does not close where no row differs.
    """
    weights = estimator.sample.weights
    gain = hits - others
    won, lost = (float(weights @ (sign * gain).clip(0)) for sign in (1, -1))
    n = float(weights.sum())
    a, b = (won + 1) / (n + 2), (lost + 1) / (n + 2)
    effect = n * float(weights @ weights) / n**2  # of unequal weights
    spread = np.sqrt((a + b - (a - b) ** 2) / (n + 2) * effect)
    reach = float(ndtri((1 + estimator.level) / 2) * spread)
    value = (won - lost) / n
    return Gain(
        value,
        min(a - b - reach, value),
        max(a - b + reach, value),
        float(estimator.sample.mean(hits)),
        float(estimator.sample.mean(others)),
    )


def choose_labels(
    estimator: PanelEstimator, hits: Hits, names: tuple[str, ...]
) -> tuple[FloatArray, str]:
    """(u, k) labels of all patterns, and whom they give way to.

    The panel names their classes, unless the labelled rows say that the vote or the best
    judge is right more often. Then as few of its doubtful labels give way as it takes.
    """
    panel, mean = estimator.panel, estimator.sample.mean
    vote, best = float(mean(hits.vote)), float(mean(hits.best))
    wanted = max(vote, best) - MAX_ACCURACY_LOSS - 1e-12
    if float(mean(hits.panel)) >= wanted:
        return estimator.labels, "panel"
    if vote >= best:
        said, name = winner_shares(panel.shares), "vote"
    else:
        i = int(mean(hits.judges).argmax())
        silent = panel.votes[:, i] < 0
        own = winner_shares(estimator.labels)
        said, name = np.where(silent[:, None], own, panel.hard[:, i]), names[i]
    truth = estimator.sample.truth
    for part in PARTS:
        winners = winner_shares((1 - part) * estimator.labels + part * said)
        if float(mean(winners[estimator.at, truth])) >= wanted:
            break
    return _force_argmax(estimator.labels, winners), name


def _force_argmax(labels: FloatArray, wanted: FloatArray) -> FloatArray:
    """Labels moved toward the classes that are wanted (u, k) until one of these leads."""
    inside = np.where(wanted > 0, labels, -1).max(axis=1)
    outside = np.where(wanted > 0, -1, labels).max(axis=1)
    chosen = np.where(wanted > 0, labels, -1).argmax(axis=1)
    # (1 - t) inside + t = (1 - t) outside + MIN_LEAD
    short = np.maximum(outside - inside, -MIN_LEAD)
    part = np.where(short > -MIN_LEAD, (short + MIN_LEAD) / (1 + short), 0.0)[:, None]
    return (1 - part) * labels + part * np.eye(labels.shape[1])[chosen]


@dataclass(frozen=True, eq=False)
class JudgeAblation:
    """What happens to the panel without a judge."""

    name: str
    loss: float  # by how much the log-loss of the labelled rows rises, each left out
    low: float
    high: float

    @property
    def is_needless(self) -> bool:
        """Whether the labels show that the panel does without it."""
        return self.high < MAX_NEEDLESS_LOSS


def ablate_judges(
    estimator: PanelEstimator, signals: WeakSignals
) -> tuple[JudgeAblation, ...]:
    """Fit the panel without each judge in turn; empty above `MAX_ABLATED_JUDGES`."""
    names, sample = signals.names, estimator.sample
    if not 2 <= len(names) <= MAX_ABLATED_JUDGES:
        return ()
    rows = np.arange(len(sample))

    def losses(left_out: FloatArray) -> FloatArray:
        return -np.log(np.clip(left_out[rows, sample.truth], MIN_PROBABILITY, 1))

    reach = float(stdtrit(sample.effective - 1, (1 + estimator.level) / 2))
    # Without known means, which would hide what a judge adds.
    whole = losses(fit_patterns(estimator.panel, sample)[1])
    found = []
    for i, name in enumerate(names):
        rise = losses(fit_patterns(read_panel(signals.without(i)), sample)[1]) - whole
        mean = float(sample.mean(rise))
        half = reach * float(np.sqrt(sample.variance_weights @ (rise - mean) ** 2))
        found.append(JudgeAblation(name, mean, mean - half, mean + half))
    return tuple(found)


def count_labels(n_labelled: int, n_rows: int, part: float) -> int:
    """How many labels make an interval `part` as long as with those there are.

    Its length goes with the square root of one over the labels less one over the rows.
    """
    left = (1 / n_labelled - 1 / n_rows) * part**2
    return int(np.ceil(1 / (left + 1 / n_rows) - 1e-6))
