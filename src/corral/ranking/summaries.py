"""What a fit says of judges and of pairs, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from corral._types import FloatArray, IntArray
from corral.ranking.comparisons import Comparisons, find_distinct, sum_by_code
from corral.ranking.fit import Fit, z_value
from corral.ranking.model import (
    BIAS,
    SENSITIVITY,
    TIES,
    Parameters,
    find_chances,
    weigh_verdicts,
)

N_GAPS = 201
"""Gaps that stand for those of all comparisons, equally frequent."""
MIN_BIAS = 0.05
"""How far the share of an equal item is from a half before a judge is called biased."""
PRIOR_SCALE, PRIOR_WEIGHT = 0.3, 2.0
"""How far pairs are expected to differ from strengths, in log-odds; and for how many pairs
that counts."""
MAX_PAIR_ROUNDS, PAIR_TOLERANCE, MAX_PAIR_STEP = 100, 1e-4, 2.0


@dataclass(frozen=True, eq=False)
class Judges:
    """What was found of every judge (J,).

    A `sensitivity` says how strongly a judge reacts to a gap of strengths: 1 is usual (the
    mean square), 0 is a judge who does not look, below 0 one who prefers the weaker item.
    `reliability` is how often a judge prefers the stronger item, if one, on pairs as in
    the table, each shown in both orders: 0.5 is chance.
    """

    names: tuple[str, ...]
    n_verdicts: FloatArray
    sensitivity: FloatArray
    sensitivity_interval: FloatArray  # (J, 2) NaN for a single judge, who has 1
    reliability: FloatArray
    first_share: FloatArray  # for the first of two equal items; NaN: order unknown
    first_share_interval: FloatArray  # (J, 2)
    tie_share: FloatArray  # verdicts that are ties

    def describe(self) -> list[str]:
        """What is wrong with every judge, in a few words; "": nothing."""
        low, high = self.sensitivity_interval.T
        start, end = self.first_share_interval.T
        faults = {
            "prefers the weaker": high < 0,
            "no better than chance": (low <= 0) & (high >= 0),
            "favours the first": (start > 0.5) & (self.first_share > 0.5 + MIN_BIAS),
            "favours the second": (end < 0.5) & (self.first_share < 0.5 - MIN_BIAS),
        }
        return [
            ", ".join(words for words, has in faults.items() if has[i])
            for i in range(len(self.names))
        ]


def describe_judges(fit: Fit, variances: FloatArray, level: float) -> Judges:
    """What judges are like, with variances (J, 3) of their numbers."""
    data, judges = fit.layout.data, fit.parameters.judges
    reach = z_value(level) * np.sqrt(variances)
    ends = np.stack([judges - reach, judges + reach], axis=-1)
    shares, share_ends = expit(judges[:, BIAS]), expit(ends[:, BIAS])
    if not data.ordered:
        shares, share_ends = shares * np.nan, share_ends * np.nan
    sensitivity = ends[:, SENSITIVITY]
    if SENSITIVITY not in fit.layout.estimated:
        sensitivity = sensitivity * np.nan
    n = fit.layout.to_judges(data.n)
    gaps = np.abs(fit.parameters.gaps(data))
    order = np.argsort(gaps)
    below = np.cumsum(data.n[order])
    places = np.searchsorted(below, (np.arange(N_GAPS) + 0.5) / N_GAPS * below[-1])
    seen = judges[:, [SENSITIVITY]] * gaps[order][places]
    shown = [find_chances(seen + b * judges[:, [BIAS]], None)[1] for b in (1, -1)]
    return Judges(
        data.judges,
        n,
        judges[:, SENSITIVITY],
        sensitivity,
        np.mean(shown, axis=(0, 2)),
        shares,
        share_ends,
        fit.layout.to_judges(data.ties) / n,
    )


@dataclass(frozen=True, eq=False)
class PairPreferences:
    """Every pair that was compared."""

    a: IntArray  # (p,) places of the two items
    b: IntArray
    wins: FloatArray  # (p,) verdicts for a
    ties: FloatArray
    losses: FloatArray
    preference: FloatArray  # (p,) of a, by an unbiased judge of sensitivity 1
    interval: FloatArray  # (p, 2)
    scale: float  # how far pairs differ from what strengths say, in log-odds


def find_preferences(
    data: Comparisons,
    parameters: Parameters,
    covariance: FloatArray,
    *,
    weight: float,
    level: float,
) -> PairPreferences:
    """Log-odds of every pair by its verdicts, drawn to the gap of its strengths.

    How far they are drawn is learned from all pairs. A verdict counts for `weight`
    independent ones.
    """
    low, high = np.sort([data.first, data.second], axis=0)
    at, pair = find_distinct([low, high])
    a, b, n = low[at], high[at], len(at)
    seen = parameters.judges[data.judge]
    ahead = data.first == low
    slope = np.where(ahead, 1, -1) * seen[:, SENSITIVITY]
    odds = np.exp(seen[:, TIES]) if data.has_ties else None
    expected = parameters.strengths[a] - parameters.strengths[b]
    gaps, scale = expected.copy(), PRIOR_SCALE
    # Strengths were fitted to the same verdicts, and took up a share of them.
    unused = max(1 - (len(data.items) - 1) / n, 0)
    for _ in range(MAX_PAIR_ROUNDS):
        found = weigh_verdicts(data, slope * gaps[pair] + seen[:, BIAS], odds)
        information = weight * sum_by_code(pair, slope**2 * found.eta_eta, n)
        gradient = weight * sum_by_code(pair, slope * found.eta, n)
        variance = 1 / (information + scale**-2)
        step = (gradient - (gaps - expected) / scale**2) * variance
        gaps += step.clip(-MAX_PAIR_STEP, MAX_PAIR_STEP)
        freedom = unused * float((1 - variance / scale**2).sum())
        far = float(((gaps - expected) ** 2).sum())
        far += PRIOR_WEIGHT * PRIOR_SCALE**2
        before, scale = scale, np.sqrt(far / (freedom + PRIOR_WEIGHT))
        if max(abs(scale / before - 1), np.abs(step).max()) < PAIR_TOLERANCE:
            break
    diagonal = np.diag(covariance)
    unsure = diagonal[a] + diagonal[b] - 2 * covariance[a, b]
    variance = variance + (variance / scale**2) ** 2 * unsure
    # The mean of a probability whose log-odds are normal (MacKay).
    preference = expit(gaps / np.sqrt(1 + np.pi * variance / 8))
    reach = z_value(level) * np.sqrt(variance)
    return PairPreferences(
        a,
        b,
        sum_by_code(pair, np.where(ahead, data.wins, data.losses), n),
        sum_by_code(pair, data.ties, n),
        sum_by_code(pair, np.where(ahead, data.losses, data.wins), n),
        preference,
        expit(np.column_stack([gaps - reach, gaps + reach])),
        float(scale),
    )
