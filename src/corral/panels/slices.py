"""The share of every class in slices of the rows, which borrow from each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import betainc

from corral._types import FloatArray, IntArray
from corral.decisions import winner_shares
from corral.panels.assisted import Evidence, find_beta
from corral.panels.sampling import JEFFREYS
from corral.panels.shares import class_terms

SPREADS = np.linspace(0.02, 1, 25)
"""How far slices may differ from each other, in standard deviations of a residual."""
UNLIKE, FAR = 0.15, 0.5
"""Beforehand, the share of slices on which judges fail in their own way, and how far the
model is off there; chosen on panels made up, `make bench NAME=panel`."""


@dataclass(frozen=True, eq=False)
class Slice:
    """The share of every class in some of the rows.

    Attributes
    ----------
    column, name : str
        Which slices it is one of, and its value.
    n_rows, n_labelled : int
    share, low, high : (k,) arrays of float
        With an interval.
    vote : (k,) array of float
        Shares among the answers of the majority vote.
    """

    column: str
    name: str
    n_rows: int
    n_labelled: int
    share: FloatArray
    low: FloatArray
    high: FloatArray
    vote: FloatArray


def find_slices(
    evidence: Evidence, column: str, codes: IntArray, names: NDArray[Any]
) -> list[Slice]:
    """The shares in every slice, those with few labels near what all rows have.

    By how much the model is off in a slice is taken to vary around what it is off by in
    all rows, as much as the labels of the slices show. A slice whose labels contradict
    that is counted by its own labels, as if there were no judges; intervals are of both,
    by how likely each is.

    Parameters
    ----------
    evidence : Evidence
    column : str
        What the slices are called.
    codes : (n,) array of int
        The slice of every row; -1: none.
    names : (g,) array
        Of the slices.
    """
    sample, panel, g = evidence.sample, evidence.panel, len(names)
    member = (codes[sample.rows][:, None] == np.arange(g)).astype(float)
    number = member.sum(axis=0)
    inside = np.flatnonzero(codes >= 0)
    place = codes[inside], panel.inverse[inside]
    # (g, u) rows of every pattern in every slice
    held = csr_array((np.ones(len(inside)), place), shape=(g, panel.shape[0]))
    rows = np.maximum(held.sum(axis=1), 1)[:, None]
    # A labelled row counts with what is expected of it without its own label.
    moved = member.T @ (evidence.left_out - evidence.labels[evidence.at])
    expected = (held @ evidence.labels + moved) / rows
    votes = held @ winner_shares(panel.shares) / rows

    left = evidence.truth - evidence.left_out
    weight = member * sample.weights[:, None]
    size = np.maximum(weight.sum(axis=0), 1e-12)[:, None]
    worth = np.maximum(size**2 / np.maximum((weight**2).sum(axis=0), 1e-12)[:, None], 1)
    # Where rows had different chances to be labelled, none is taken to be sure.
    unseen = 1 - number[:, None] / rows if np.ptp(sample.weights) == 0 else 1.0
    square = sample.mean(left**2) + JEFFREYS / sample.effective
    seen = np.broadcast_to(number[:, None] > 0, expected.shape)
    within = np.where(seen, np.maximum(square * unseen / worth, 1e-12), np.inf)
    shift, doubt, unlike = _pool(evidence, weight.T @ left / size, within, square)
    alone = weight.T @ evidence.truth / size
    plain = (alone * (1 - alone) + JEFFREYS / worth) * unseen / worth
    both = (
        find_beta(expected + shift, doubt * evidence.widening),
        find_beta(alone, plain),
    )
    value = (1 - unlike) * both[0][0] + unlike * both[1][0]
    share = value / value.sum(axis=1, keepdims=True)
    tails = np.array([1 - evidence.level, 1 + evidence.level])[:, None, None] / 2
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
    evidence: Evidence, off: FloatArray, within: FloatArray, square: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(g, k) by how much the model is off in slices like others, and the variances.

    And the probability of every slice to be unlike others.

    Parameters
    ----------
    evidence : Evidence
    off, within : (g, k) arrays of float
        Mean residuals of the slices, and their variances; infinite without labels.
    square : (k,) array of float
        Of a residual, in all rows.
    """
    value, variance = evidence.moments(class_terms(evidence))
    mean = value - evidence.panel.mean(evidence.labels)
    if evidence.known.balance is not None:  # which the labels have
        mean, variance = np.zeros_like(mean), np.zeros_like(mean)
    seen = np.isfinite(within)
    between = (SPREADS**2)[:, None, None] * square
    total = np.concatenate([between, np.full((1, 1, len(square)), FAR**2)]) + within
    total = np.where(seen, total, 1.0)
    fit = -(np.log(total) + np.where(seen, (off - mean) ** 2, 0.0) / total) / 2
    fit = np.exp(fit - fit.max(axis=0))
    alike, apart = (1 - UNLIKE) * fit[:-1], UNLIKE * fit[-1]
    # Every squared spread is as likely beforehand, up to the largest.
    chance = np.log(SPREADS)[:, None] + np.log(alike + apart).sum(axis=1)
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
