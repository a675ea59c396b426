"""How often signals vote, vote together, and contradict each other."""

from __future__ import annotations

import numpy as np

from corral._types import FloatArray, IntArray
from corral.signals.patterns import Patterns

ROWS, CELLS = 1 << 16, 1 << 22
"""Patterns, and entries (pattern, class), looked at once."""


def vote_shares(
    patterns: Patterns, columns: IntArray, n_signals: int, n_classes: int
) -> FloatArray:
    """Coverage, overlaps and conflicts of every signal.

    Parameters
    ----------
    patterns : Patterns
        Of hard votes.
    columns : (c, 2) array of int
        Signal and class that the columns of the patterns vote on; class -1: class
        votes.
    n_signals, n_classes : int

    Returns
    -------
    shares : (3, m) array of float
        Shares of the examples. A class vote is contradicted by a vote for another
        class; a one-vs-rest vote also by the opposite vote on its own class.
    """
    totals = np.zeros((3, n_signals))
    step = max(1, min(ROWS, CELLS // n_classes))
    for start in range(0, len(patterns), step):
        row, column, vote = patterns.cells(start, start + step)
        signal, about = columns[column, 0], columns[column, 1]
        names = about < 0
        label, yes = np.where(names, vote, about), names | (vote == 1)
        # A speaker is a pattern and a signal that says anything of it.
        speaker, at, owner = np.arange(len(row)), row, signal
        if not names.all():
            pairs, speaker = np.unique(row * n_signals + signal, return_inverse=True)
            at, owner = np.divmod(pairs, n_signals)
        claim = row * n_classes + label
        yes_here, no_here = (np.bincount(claim, said)[claim] for said in (yes, ~yes))
        yes_at_all, own_yes = (np.bincount(of, yes)[of] for of in (row, speaker))
        # Of a signal's own "yes", one is here and the rest are elsewhere.
        elsewhere = yes_at_all - yes_here - (own_yes - 1)
        against = np.where(yes, (elsewhere > 0) | (no_here > 0), yes_here > 0)
        weight = patterns.counts[start : start + step][at]
        together = np.bincount(at)[at] > 1
        contradicted = np.bincount(speaker, against) > 0
        counted = weight, weight * together, weight * contradicted
        for total, each in zip(totals, counted, strict=True):
            total += np.bincount(owner, each, minlength=n_signals)
    return totals / patterns.counts.sum()
