"""Whether the panel beats its best judge and the vote, and which labels to give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from corral._types import FloatArray
from corral.decisions import winner_shares
from corral.panels.assisted import Evidence

WORSE = 0.005
"""By how much labels may be right less often than the vote or the best judge."""
RESAMPLES = 200
"""Draws of the labelled rows that choose the best judge of those not drawn."""
PARTS = np.linspace(0.05, 1, 20)
"""How far labels may give way to the vote or a judge; at one, wholly."""
LEAD = 1e-3
"""By how much the class that a label is given leads, where it did not."""


@dataclass(frozen=True, eq=False)
class Gain:
    """How much more often one kind of labels is right than another, on the same rows.

    Attributes
    ----------
    value, low, high : float
        Difference of the accuracies, with an interval.
    accuracy, other : float
        Both accuracies on the labelled rows, each of which was left out.
    """

    value: float
    low: float
    high: float
    accuracy: float
    other: float


@dataclass(frozen=True, eq=False)
class Hits:
    """How far labels are right on every labelled row, from the other rows.

    Attributes
    ----------
    panel, vote, best : (l,) arrays of float
        1 right, 0 wrong, a part for ties; `best` is the judge that other rows choose.
    judges : (l, m) array of float
        That of a guess where a judge abstains.
    """

    panel: FloatArray
    vote: FloatArray
    best: FloatArray
    judges: FloatArray


def find_hits(evidence: Evidence, rng: np.random.Generator) -> Hits:
    """How far panel, vote and best judge are right on the labelled rows.

    The best judge of a row is the one most often right on other rows, drawn again and
    again, so that choosing it does not flatter it; several that are equally so share the
    row. A judge that abstains is right as often as a guess.
    """
    at, truth, panel = evidence.at, evidence.sample.truth, evidence.panel
    rows = np.arange(len(at))
    voted = panel.votes[at] >= 0
    right = (panel.votes[at] == truth[:, None]).astype(float)
    judges = np.where(voted, right, 1 / evidence.labels.shape[1])
    drawn = rng.multinomial(len(at), np.full(len(at), 1 / len(at)), RESAMPLES)
    heard = (drawn * evidence.sample.weights) @ judges
    leads = (heard >= heard.max(axis=1, keepdims=True) - 1e-9).astype(float)
    leads /= leads.sum(axis=1, keepdims=True)
    absent = (drawn == 0).astype(float)
    chosen = absent.T @ leads / np.maximum(absent.sum(axis=0), 1)[:, None]
    return Hits(
        winner_shares(evidence.left_out)[rows, truth],
        winner_shares(panel.shares)[at, truth],
        (chosen * judges).sum(axis=1),
        judges,
    )


def compare(evidence: Evidence, hits: FloatArray, others: FloatArray) -> Gain:
    """The difference of two accuracies, with Bonett and Price's interval.

    It adds a row to either side, so that it does not close where no row differs.
    """
    weights = evidence.sample.weights
    gain = hits - others
    won, lost = (float(weights @ (sign * gain).clip(0)) for sign in (1, -1))
    n = float(weights.sum())
    a, b = (won + 1) / (n + 2), (lost + 1) / (n + 2)
    effect = n * float(weights @ weights) / n**2  # of unequal weights
    spread = np.sqrt((a + b - (a - b) ** 2) / (n + 2) * effect)
    reach = float(ndtri((1 + evidence.level) / 2) * spread)
    value = (won - lost) / n
    return Gain(
        value,
        min(a - b - reach, value),
        max(a - b + reach, value),
        float(evidence.sample.mean(hits)),
        float(evidence.sample.mean(others)),
    )


def choose_labels(
    evidence: Evidence, hits: Hits, names: tuple[str, ...]
) -> tuple[FloatArray, str]:
    """(u, k) labels of all patterns, and whom they give way to.

    The panel names their classes, unless the labelled rows say that the vote or the best
    judge is right more often, by more than `WORSE`. Then the panel's doubtful labels give
    way to that one: as few as it takes.
    """
    panel, mean = evidence.panel, evidence.sample.mean
    vote, best = float(mean(hits.vote)), float(mean(hits.best))
    wanted = max(vote, best) - WORSE - 1e-12
    if float(mean(hits.panel)) >= wanted:
        return evidence.labels, "panel"
    if vote >= best:
        said, name = winner_shares(panel.shares), "vote"
    else:
        i = int(mean(hits.judges).argmax())
        silent = panel.votes[:, i] < 0
        said = np.where(
            silent[:, None], winner_shares(evidence.labels), panel.hard[:, i]
        )
        name = names[i]
    rows, truth = np.arange(len(evidence.at)), evidence.sample.truth
    for part in PARTS:
        left = (1 - part) * evidence.left_out + part * said[evidence.at]
        if float(mean(winner_shares(left)[rows, truth])) >= wanted:
            break
    mixed = (1 - part) * evidence.labels + part * said
    return _lead(evidence.labels, winner_shares(mixed)), name


def _lead(labels: FloatArray, wanted: FloatArray) -> FloatArray:
    """Labels moved toward the classes that are wanted (u, k) until one of these leads."""
    inside = np.where(wanted > 0, labels, -1).max(axis=1)
    outside = np.where(wanted > 0, -1, labels).max(axis=1)
    chosen = np.where(wanted > 0, labels, -1).argmax(axis=1)
    # (1 - t) inside + t = (1 - t) outside + LEAD
    short = np.maximum(outside - inside, -LEAD)
    part = np.where(short > -LEAD, (short + LEAD) / (1 + short), 0.0)[:, None]
    return (1 - part) * labels + part * np.eye(labels.shape[1])[chosen]
