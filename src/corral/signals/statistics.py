"""How often signals speak, speak together, and contradict each other."""

from __future__ import annotations

import numpy as np

from corral._types import FloatArray, IntArray
from corral.signals.patterns import Patterns


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
    row, column, vote = patterns.cells()
    signal, about = columns.T[:, column]
    names = about < 0
    label, yes = np.where(names, vote, about), names | (vote == 1)
    # A speaker is a pattern and a signal that says anything of it.
    speakers, speaker = np.unique(row * n_signals + signal, return_inverse=True)
    claim = np.unique(row * n_classes + label, return_inverse=True)[1]
    yes_here, no_here = (np.bincount(claim, said)[claim] for said in (yes, ~yes))
    yes_at_all, own_yes = (np.bincount(of, yes)[of] for of in (row, speaker))
    # Of a signal's own "yes", one is here and the rest are elsewhere.
    elsewhere = yes_at_all - yes_here - (own_yes - 1)
    against = np.where(yes, (elsewhere > 0) | (no_here > 0), yes_here > 0)
    at, owner = np.divmod(speakers, n_signals)
    together = np.bincount(at)[at] > 1
    contradicted = np.bincount(speaker, against) > 0
    chosen = np.stack([np.ones(len(at)), together, contradicted])
    weight = chosen * patterns.counts[at]
    totals = np.stack([np.bincount(owner, w, minlength=n_signals) for w in weight])
    return totals / patterns.counts.sum()
