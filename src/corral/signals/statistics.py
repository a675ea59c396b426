"""How often signals speak, speak together, and contradict each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from corral.patterns import BoolArray, FloatArray, IntArray, Patterns

BLOCK = 1 << 14
"""Patterns looked at once, so that sparse votes are never dense as a whole."""


def vote_shares(
    patterns: Patterns, columns: IntArray, n_signals: int, n_classes: int
) -> FloatArray:
    """Coverage, overlaps and conflicts of every signal.

    Parameters
    ----------
    patterns : Patterns
        Of hard votes.
    columns : (c, 2) array of int
        Signal and class that the columns of the patterns speak of; class -1: class
        votes.
    n_signals, n_classes : int

    Returns
    -------
    shares : (3, m) array of float
        Shares of the examples. A class vote is contradicted by a vote for another
        class; a one-vs-rest vote also by the opposite vote on its own class.
    """
    owner, label = columns.T
    totals = np.zeros((3, n_signals))
    for a in range(0, len(patterns), BLOCK):
        codes: Any = patterns.codes[a : a + BLOCK]
        if isinstance(codes, csr_array):
            codes = codes.toarray() - 1
        if label[0] < 0:
            claimed, denied = codes, np.full_like(codes, -1)
        else:
            claimed = np.where(codes == 1, label, -1)
            denied = np.where(codes == 0, label, -1)
        speaks = _by_signal(codes >= 0, owner, n_signals)
        together = speaks & (speaks.sum(axis=1, keepdims=True) > 1)
        disputed = _by_signal(_contradicted(claimed, denied, n_classes), owner, n_signals)
        counts = patterns.counts[a : a + BLOCK]
        totals += [counts @ speaks, counts @ together, counts @ disputed]
    return totals / patterns.counts.sum()


def _by_signal(cells: BoolArray, owner: IntArray, m: int) -> BoolArray:
    """Whether any column of a signal is set: (p, columns) -> (p, m)."""
    joined = np.zeros((len(cells), m), bool)
    for column, signal in zip(cells.T, owner, strict=True):
        joined[:, signal] |= column
    return joined


def _contradicted(claimed: IntArray, denied: IntArray, n_classes: int) -> BoolArray:
    """Whether another column claims another class or takes the other side."""
    against = np.zeros(claimed.shape, bool)
    claims = (claimed >= 0).sum(axis=1, keepdims=True)
    for k in range(n_classes):
        yes, no = claimed == k, denied == k
        n_yes, n_no = yes.sum(axis=1, keepdims=True), no.sum(axis=1, keepdims=True)
        against |= yes & ((claims > n_yes) | (n_no > 0))
        against |= no & (n_yes > 0)
    return against
