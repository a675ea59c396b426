"""What judges are like, with intervals, and in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from corral._types import FloatArray
from corral.ranking.davidson import BIAS, SENSITIVITY, find_chances
from corral.ranking.fit import Fit
from corral.ranking.uncertainty import normal_reach

STEPS = 201
"""Gaps that stand for those of all comparisons, equally frequent."""
NOTABLE = 0.05
"""How far the share of an equal item may be from a half before a judge is called biased."""


@dataclass(frozen=True, eq=False)
class Judges:
    """What was found of every judge.

    Attributes
    ----------
    names : tuple of str
    n_verdicts : (J,) array of float
    sensitivity : (J,) array of float
        How strongly a judge reacts to a gap of strengths: 1 is usual (the mean square),
        0 is a judge who does not look, below 0 one who prefers the weaker item.
    sensitivity_interval : (J, 2) array of float
        NaN if there is one judge, whose sensitivity is 1.
    reliability : (J,) array of float
        How often the stronger item is preferred, if one is, on pairs as in the table, each
        shown in both orders: 0.5 is chance.
    first_share : (J,) array of float
        How often the first of two equal items is preferred, if one is: 0.5 is no position
        bias. NaN if the order is not known.
    first_share_interval : (J, 2) array of float
    tie_share : (J,) array of float
        Verdicts that are ties.
    """

    names: tuple[str, ...]
    n_verdicts: FloatArray
    sensitivity: FloatArray
    sensitivity_interval: FloatArray
    reliability: FloatArray
    first_share: FloatArray
    first_share_interval: FloatArray
    tie_share: FloatArray

    def describe(self) -> list[str]:
        """A few words on every judge that is not as a judge should be."""
        return [
            ", ".join(
                words
                for words, true in (
                    ("prefers the weaker", high < 0),
                    ("no better than chance", low <= 0 <= high),
                    ("favours the first", start > 0.5 and share > 0.5 + NOTABLE),
                    ("favours the second", end < 0.5 and share < 0.5 - NOTABLE),
                )
                if true
            )
            for (low, high), (start, end), share in zip(
                self.sensitivity_interval,
                self.first_share_interval,
                self.first_share,
                strict=True,
            )
        ]


def describe_judges(fit: Fit, variances: FloatArray, level: float) -> Judges:
    """Of a fit, and variances (J, 3) of the numbers of judges."""
    data, judges = fit.layout.data, fit.parameters.judges
    reach = normal_reach(level) * np.sqrt(variances)
    ends = np.stack([judges - reach, judges + reach], axis=-1)
    shares, share_ends = expit(judges[:, BIAS]), expit(ends[:, BIAS])
    if not data.ordered:
        shares, share_ends = shares * np.nan, share_ends * np.nan
    sensitivity = ends[:, SENSITIVITY]
    if SENSITIVITY not in fit.layout.estimated:
        sensitivity = sensitivity * np.nan
    n = fit.layout.to_judges(data.n)
    return Judges(
        data.judges,
        n,
        judges[:, SENSITIVITY],
        sensitivity,
        _find_reliability(fit),
        shares,
        share_ends,
        fit.layout.to_judges(data.ties) / n,
    )


def _find_reliability(fit: Fit) -> FloatArray:
    data, judges = fit.layout.data, fit.parameters.judges
    gaps = np.abs(fit.parameters.gaps(data))
    order = np.argsort(gaps)
    below = np.cumsum(data.n[order])
    places = np.searchsorted(below, (np.arange(STEPS) + 0.5) / STEPS * below[-1])
    seen = judges[:, [SENSITIVITY]] * gaps[order][places]
    shown = [find_chances(seen + b * judges[:, [BIAS]], None)[1] for b in (1, -1)]
    return np.mean(shown, axis=(0, 2))
