"""How often signals speak, speak together, and contradict each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from corral.patterns import BoolArray, FloatArray, IntArray, Patterns

CELLS = 1 << 22
"""Entries (pattern, signal, class) looked at once; sparse votes never become dense."""


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
    step = max(1, CELLS // (n_signals * n_classes))
    for a in range(0, len(patterns), step):
        codes: Any = patterns.codes[a : a + step]
        if isinstance(codes, csr_array):
            codes = codes.toarray() - 1
        shape = (len(codes), n_signals, n_classes)
        yes, no = np.zeros(shape, bool), np.zeros(shape, bool)
        if label[0] < 0:
            at = np.nonzero(codes >= 0)
            yes[*at, codes[at]] = True
        else:
            # Indexed by position: a signal has one column a class at most.
            yes[:, owner, label] = codes == 1
            no[:, owner, label] = codes == 0
        speaks = (yes | no).any(axis=2)
        together = speaks & (speaks.sum(axis=1, keepdims=True) > 1)
        counts = patterns.counts[a : a + step]
        totals += [counts @ speaks, counts @ together, counts @ _contradicted(yes, no)]
    return totals / patterns.counts.sum()


def _contradicted(yes: BoolArray, no: BoolArray) -> BoolArray:
    """(p, m) whether another signal claims another class or takes the other side."""
    other_yes = yes.sum(axis=1, keepdims=True) - yes  # (p, m, k) by the other signals
    other_no = no.sum(axis=1, keepdims=True) - no
    elsewhere = other_yes.sum(axis=2, keepdims=True) - other_yes
    against = yes & ((elsewhere > 0) | (other_no > 0))
    return (against | (no & (other_yes > 0))).any(axis=2)
