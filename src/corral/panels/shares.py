"""The share of every class, over all rows and by slice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.metrics import winner_shares
from corral.panels.assisted import Estimate, Evidence, bound, find_square

SPREADS = np.linspace(0.02, 1, 25)
"""How far slices may differ from each other, in standard deviations of a residual."""
OWN_ROWS = 20.0
"""Labelled rows of a slice that the squared residual of all rows is worth."""


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


def class_terms(evidence: Evidence) -> FloatArray:
    """(k, u, k) one where a row has the class."""
    u, _, k = evidence.panel.shape
    return np.broadcast_to(np.eye(k)[:, None, :], (k, u, k))


def find_shares(evidence: Evidence) -> Estimate:
    """The share of every class; they add up to one."""
    found = evidence.estimate(class_terms(evidence), together=True)
    if evidence.known.balance is not None:
        balance = evidence.known.balance
        return Estimate(balance, balance, balance, np.zeros_like(balance))
    value = found.value / found.value.sum()
    low, high = np.minimum(found.low, value), np.maximum(found.high, value)
    return Estimate(value, low, high, found.variance)


def count_labels(evidence: Evidence) -> Estimate:
    """The shares by the labels alone, as if there were no judges."""
    sample = evidence.sample
    value = sample.mean(evidence.truth)
    # With a share of none or all, half a label keeps the interval from closing.
    near = (value * len(sample) + 0.5) / (len(sample) + 1)
    variance = sample.variance(near * (1 - near)) * evidence.widening
    return bound(value, variance, evidence.level)


def count_votes(evidence: Evidence) -> FloatArray:
    """(k,) the shares of the answers of the majority vote, as they are."""
    return evidence.panel.mean(winner_shares(evidence.panel.shares))


def correct_votes(evidence: Evidence) -> FloatArray:
    """(k,) the same after Rogan and Gladen: by the confusion on the labelled rows."""
    panel, sample = evidence.panel, evidence.sample
    answers = winner_shares(panel.shares)
    k = answers.shape[1]
    confusion = (sample.weights[:, None] * evidence.truth).T @ answers[evidence.at]
    confusion += JUST / k
    confusion /= confusion.sum(axis=1, keepdims=True)
    found = np.linalg.lstsq(confusion.T, panel.mean(answers), rcond=None)[0]
    found = np.clip(found, 0, None)
    return found / found.sum()


JUST = 0.5
"""Labels, spread over the answers, that keep the confusion from being singular."""


def find_slices(
    evidence: Evidence, column: str, codes: IntArray, names: NDArray[Any]
) -> list[Slice]:
    """The shares in every slice, those with few labels near what all rows have.

    By how much the model is off in a slice is taken to vary around what it is off by in
    all rows, as much as the labels of the slices show; means are over how much.

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
    sample, g = evidence.sample, len(names)
    left = evidence.truth - evidence.left_out
    k = left.shape[1]
    own = codes[sample.rows]
    member = (own[:, None] == np.arange(g)).astype(float)
    weight = member * sample.weights[:, None]
    size = weight.sum(axis=0)
    number = member.sum(axis=0)
    rows = np.bincount(codes[codes >= 0], minlength=g).astype(float)
    mean, variance, square = _measure_all(evidence, left)
    off = np.divide(
        weight.T @ left, size[:, None], where=size[:, None] > 0, out=np.zeros((g, k))
    )
    squares = (member.T @ left**2 + OWN_ROWS * square) / (number[:, None] + OWN_ROWS)
    unseen = 1 - number / np.maximum(rows, 1)
    if np.ptp(sample.weights) > 0:
        unseen = np.ones(g)
    worth = np.divide(
        size**2, weight.T**2 @ np.ones(len(sample)), where=size > 0, out=np.zeros(g)
    )
    spread = squares * (unseen / np.maximum(worth, 1e-12))[:, None]
    moved, doubt = _pool(off, spread, number > 0, mean, square, variance)

    panel = evidence.panel
    u = panel.shape[0]
    key = (codes * u + panel.inverse)[codes >= 0]
    # (g, u) rows of every pattern in every slice
    held = (
        np.bincount(key, minlength=g * u).reshape(g, u) / np.maximum(rows, 1)[:, None]
    )
    expected, votes = held @ evidence.labels, held @ winner_shares(panel.shares)
    own_moved = member.T @ (evidence.left_out - evidence.labels[evidence.at])
    expected += own_moved / np.maximum(rows, 1)[:, None]
    found = bound(expected + moved, doubt * evidence.widening, evidence.level)
    share = found.value / found.value.sum(axis=1, keepdims=True)
    low, high = np.minimum(found.low, share), np.maximum(found.high, share)
    return [
        Slice(
            column,
            str(names[i]),
            int(rows[i]),
            int(number[i]),
            share[i],
            low[i],
            high[i],
            votes[i],
        )
        for i in range(g)
    ]


def _measure_all(
    evidence: Evidence, left: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(k,) by how much the model is off in all rows, the variance, a squared residual."""
    panel, labels = evidence.panel, evidence.labels
    share = np.clip(panel.mean(labels), 1e-3, 1 - 1e-3)
    square = find_square(
        left,
        evidence.sample,
        panel.mean(labels * (1 - labels)),
        share * (1 - share),
        *evidence.caution,
        together=True,
    )
    if evidence.known.balance is not None:  # which the labels have
        return np.zeros_like(square), np.zeros_like(square), square
    value, variance = evidence.moments(class_terms(evidence), together=True)
    return value - panel.mean(labels), variance, square


def _pool(
    off: FloatArray,
    spread: FloatArray,
    seen: NDArray[np.bool_],
    mean: FloatArray,
    square: FloatArray,
    variance: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """(g, k) by how much the model is off in every slice, and the variances of that.

    Parameters
    ----------
    off, spread : (g, k) arrays of float
        Mean residuals of the slices, and their variances.
    seen : (g,) array of bool
        Which slices have labels.
    mean, square, variance : (k,) arrays of float
        Of all rows: the mean residual, a squared residual, the variance of the mean.
    """
    between = (SPREADS**2)[:, None, None] * square  # (s, 1, k)
    within = np.maximum(spread, 1e-12)
    total = between + within
    fit = -(np.log(total) + (off - mean) ** 2 / total)[:, seen].sum(axis=1) / 2
    fit += np.log(SPREADS)[:, None]  # every squared spread is as likely beforehand
    chance = np.exp(fit - fit.max(axis=0))
    chance /= chance.sum(axis=0)
    pull = np.where(seen[None, :, None], between / total, 0.0)
    each = mean + pull * (off - mean)
    inner = np.where(seen[None, :, None], pull * within, between)
    inner = inner + (1 - pull) ** 2 * variance
    moved = np.einsum("sk,sgk->gk", chance, each)
    doubt = np.einsum("sk,sgk->gk", chance, inner + (each - moved) ** 2)
    return moved, doubt
