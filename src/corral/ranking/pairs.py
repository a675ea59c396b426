"""A soft preference per pair: what its own verdicts say, and what strengths say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from corral._types import FloatArray, IntArray
from corral.ranking.comparisons import Comparisons, add_up, find_distinct
from corral.ranking.davidson import BIAS, SENSITIVITY, TIES, Parameters, weigh_verdicts
from corral.ranking.uncertainty import normal_reach

USUAL, BELIEF = 0.3, 2.0
"""How far pairs are expected to differ from strengths, and for how many that counts."""
MOST_ROUNDS, SETTLED = 100, 1e-4
LONGEST = 2.0
"""Of a step, in log-odds."""


@dataclass(frozen=True, eq=False)
class PairPreferences:
    """Every pair that was compared.

    Attributes
    ----------
    a, b : (p,) arrays of int
        Places of the two items.
    wins, ties, losses : (p,) arrays of float
        Verdicts for a, for neither and for b.
    preference : (p,) array of float
        Probability that a judge of sensitivity 1 without position bias prefers a, if it
        prefers one.
    interval : (p, 2) array of float
    scale : float
        How far pairs differ from what strengths say, in log-odds (standard deviation).
    """

    a: IntArray
    b: IntArray
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray
    preference: FloatArray
    interval: FloatArray
    scale: float


def find_preferences(
    data: Comparisons,
    parameters: Parameters,
    covariance: FloatArray,
    *,
    weight: float,
    level: float,
) -> PairPreferences:
    """Log-odds of every pair by its verdicts, drawn to the gap of its strengths.

    How far, is learned from all pairs: where strengths explain the verdicts, these say
    little more; where preferences go in circles, pairs speak for themselves.

    Parameters
    ----------
    data : Comparisons
        One row per pair, order and judge.
    parameters : Parameters
    covariance : (K, K) array of float
        Of the strengths.
    weight : float
        For how many independent verdicts one counts.
    level : float
        Probability of the intervals.
    """
    low, high = np.sort([data.first, data.second], axis=0)
    at, pair = find_distinct([low, high])
    a, b, n = low[at], high[at], len(at)
    seen = parameters.judges[data.judge]
    slope = np.where(data.first == low, 1, -1) * seen[:, SENSITIVITY]
    odds = np.exp(seen[:, TIES]) if data.has_ties else None
    expected = parameters.strengths[a] - parameters.strengths[b]
    gaps, scale = expected.copy(), USUAL
    # Strengths were fitted to the same verdicts, and took up a share of them.
    spare = max(1 - (len(data.items) - 1) / n, 0)
    for _ in range(MOST_ROUNDS):
        found = weigh_verdicts(data, slope * gaps[pair] + seen[:, BIAS], odds)
        told = weight * add_up(pair, slope**2 * found.eta_eta, n)
        pull = weight * add_up(pair, slope * found.eta, n)
        variance = 1 / (told + scale**-2)
        step = (pull - (gaps - expected) / scale**2) * variance
        gaps += step.clip(-LONGEST, LONGEST)
        free = spare * float((1 - variance / scale**2).sum())
        far = float(((gaps - expected) ** 2).sum())
        before, scale = scale, np.sqrt((far + BELIEF * USUAL**2) / (free + BELIEF))
        if abs(scale / before - 1) < SETTLED and np.abs(step).max() < SETTLED:
            break
    diagonal = np.diag(covariance)
    unsure = diagonal[a] + diagonal[b] - 2 * covariance[a, b]
    variance = variance + (variance / scale**2) ** 2 * unsure
    # The mean of a probability whose log-odds are normal (MacKay).
    preference = expit(gaps / np.sqrt(1 + np.pi * variance / 8))
    reach = normal_reach(level) * np.sqrt(variance)
    ahead = data.first == low
    wins = np.where(ahead, data.wins, data.losses)
    losses = np.where(ahead, data.losses, data.wins)
    return PairPreferences(
        a,
        b,
        add_up(pair, wins, n),
        add_up(pair, data.ties, n),
        add_up(pair, losses, n),
        preference,
        expit(np.column_stack([gaps - reach, gaps + reach])),
        float(scale),
    )
