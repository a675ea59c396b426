"""How often signals speak, speak together, and contradict each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from corral._types import BoolArray, FloatArray, IntArray
from corral.patterns import Patterns

CELLS = 1 << 22
"""Entries (pattern, signal, class) looked at once."""


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
    if columns[0, 1] < 0:
        totals = _class_vote_totals(patterns, n_signals, n_classes)
    else:
        totals = _one_vs_rest_totals(patterns, columns, n_signals, n_classes)
    return totals / patterns.counts.sum()


def _class_vote_totals(
    patterns: Patterns, n_signals: int, n_classes: int
) -> FloatArray:
    codes: Any = patterns.codes
    if isinstance(codes, csr_array):
        unit = np.repeat(np.arange(codes.shape[0]), np.diff(codes.indptr))
        signal, vote = codes.indices, codes.data - 1
    else:
        unit, signal = np.nonzero(codes >= 0)
        vote = codes[unit, signal]
    spoken = np.bincount(unit, minlength=len(patterns))[unit]
    claim = unit * n_classes + vote
    _, which, times = np.unique(claim, return_inverse=True, return_counts=True)
    weight = patterns.counts[unit]
    return np.stack(
        [
            np.bincount(signal, weight * chosen, minlength=n_signals)
            for chosen in (np.ones(len(unit)), spoken > 1, spoken > times[which])
        ]
    )


def _one_vs_rest_totals(
    patterns: Patterns, columns: IntArray, n_signals: int, n_classes: int
) -> FloatArray:
    owner, label = columns.T
    totals = np.zeros((3, n_signals))
    step = max(1, CELLS // (n_signals * n_classes))
    for a in range(0, len(patterns), step):
        codes: Any = patterns.codes[a : a + step]
        shape = (len(codes), n_signals, n_classes)
        yes, no = np.zeros(shape, bool), np.zeros(shape, bool)
        yes[:, owner, label] = codes == 1
        no[:, owner, label] = codes == 0
        speaks = (yes | no).any(axis=2)
        together = speaks & (speaks.sum(axis=1, keepdims=True) > 1)
        counts = patterns.counts[a : a + step]
        totals += [counts @ speaks, counts @ together, counts @ _contradicted(yes, no)]
    return totals


def _contradicted(yes: BoolArray, no: BoolArray) -> BoolArray:
    """(p, m) whether another signal claims another class or takes the other side."""
    other_yes = yes.sum(axis=1, keepdims=True) - yes  # (p, m, k) by the other signals
    other_no = no.sum(axis=1, keepdims=True) - no
    elsewhere = other_yes.sum(axis=2, keepdims=True) - other_yes
    against = yes & ((elsewhere > 0) | (other_no > 0))
    return (against | (no & (other_yes > 0))).any(axis=2)
