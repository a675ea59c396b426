"""The share of every class in slices of the rows, which borrow from each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from corral._types import BoolArray, FloatArray, IntArray
from corral.metrics import winner_shares
from corral.panels.assisted import Evidence, bound, find_square
from corral.panels.shares import class_terms

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

    off, within, square = _measure_slices(evidence, member, rows[:, 0])
    mean, variance = _measure_all(evidence)
    shift, doubt = _pool(off, within, number > 0, mean, square, variance)
    found = bound(expected + shift, doubt * evidence.widening, evidence.level)
    share = found.value / found.value.sum(axis=1, keepdims=True)
    low, high = np.minimum(found.low, share), np.maximum(found.high, share)
    return [
        Slice(
            *(column, str(names[i]), int(rows[i, 0]), int(number[i])),
            *(share[i], low[i], high[i], votes[i]),
        )
        for i in range(g)
    ]


def _measure_slices(
    evidence: Evidence, member: FloatArray, rows: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(g, k) mean residuals of slices, their variances, and (k,) a squared residual.

    Parameters
    ----------
    evidence : Evidence
    member : (l, g) array of float
        One for the slice of a labelled row.
    rows : (g,) array of float
        Rows of every slice, labelled or not.
    """
    sample, panel, labels = evidence.sample, evidence.panel, evidence.labels
    left = evidence.truth - evidence.left_out
    share = np.clip(panel.mean(labels), 1e-3, 1 - 1e-3)
    square = find_square(
        *(left, sample, panel.mean(labels * (1 - labels)), share * (1 - share)),
        *evidence.caution,
        together=True,
    )
    weight = member * sample.weights[:, None]
    size = np.maximum(weight.sum(axis=0), 1e-12)[:, None]
    number = member.sum(axis=0)
    own = (member.T @ left**2 + OWN_ROWS * square) / (number[:, None] + OWN_ROWS)
    # Where rows had different chances to be labelled, none is taken to be sure.
    unseen = 1 - number / rows if np.ptp(sample.weights) == 0 else np.ones(len(rows))
    part = unseen * (weight**2).sum(axis=0) / size[:, 0] ** 2
    return weight.T @ left / size, own * part[:, None], square


def _measure_all(evidence: Evidence) -> tuple[FloatArray, FloatArray]:
    """(k,) by how much the model is off in all rows, and the variance of that."""
    if evidence.known.balance is not None:  # which the labels have
        none = np.zeros_like(evidence.known.balance)
        return none, none
    value, variance = evidence.moments(class_terms(evidence), together=True)
    return value - evidence.panel.mean(evidence.labels), variance


def _pool(
    off: FloatArray,
    spread: FloatArray,
    seen: BoolArray,
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
    # Every squared spread is as likely beforehand, up to the largest.
    fit += np.log(SPREADS)[:, None]
    chance = np.exp(fit - fit.max(axis=0))
    chance /= chance.sum(axis=0)
    pull = np.where(seen[None, :, None], between / total, 0.0)
    each = mean + pull * (off - mean)
    inner = np.where(seen[None, :, None], pull * within, between)
    inner = inner + (1 - pull) ** 2 * variance
    moved = np.einsum("sk,sgk->gk", chance, each)
    doubt = np.einsum("sk,sgk->gk", chance, inner + (each - moved) ** 2)
    return moved, doubt
