"""The operator that fits the signals.

An operator multiplies by one form of storage, so this is the only place above `signals`
that asks for it.
"""

from __future__ import annotations

import numpy as np

from corral._types import FloatArray, IntArray
from corral.constraints.designs.signal_design import Design
from corral.constraints.designs.sparse_vote_design import SparseVoteDesign
from corral.constraints.designs.value_design import ValueDesign
from corral.constraints.designs.vote_design import VoteDesign
from corral.signals import WeakSignals


def design_rows(signals: WeakSignals) -> IntArray:
    """(r, 2) signal and label column of every possible row, by label column."""
    columns = signals.columns
    if (columns[:, 1] < 0).all():  # a vote is about every label column
        labels, m = signals.n_label_columns, signals.n_signals
        return np.stack(
            [np.tile(np.arange(m), labels), np.repeat(np.arange(labels), m)], axis=1
        )
    return columns[np.lexsort(columns.T)]


def make_design(
    signals: WeakSignals, rows: IntArray, weights: FloatArray | None = None
) -> Design:
    """The operator of `signals` for the given rows.

    Parameters
    ----------
    signals : WeakSignals
    rows : (r, 2) array of int
        Signal and label column, sorted by label column. Rows on which these signals
        are silent are allowed: new data may lack what the fitted data had.
    weights : (n,) array, optional
        Sample weights; default: the counts of the signals.
    """
    signal, label = rows.T
    if weights is None:
        weights = signals.counts
    if not signals.is_hard:
        values, inverse = signals.pattern_values
        counts = np.ones(len(signals)) if weights is None else weights
        if inverse is not None:
            counts = signals.patterns.totals(weights)
        place = _places(signals, rows)
        return ValueDesign(values, place, label, counts, inverse, weights)
    patterns, n_labels = signals.patterns, signals.n_label_columns
    codes, inverse = patterns.codes, patterns.inverse
    counts = patterns.totals(weights)
    if patterns.is_sparse:
        hits = np.array([1]) if n_labels == 1 else np.arange(n_labels)
        chosen = signal[label == 0]
        return SparseVoteDesign(codes, hits, chosen, counts, inverse, weights)
    columns, column = codes.T, signal
    says_yes = np.ones(len(rows), int)
    hit = label if signals.names_classes and n_labels > 1 else says_yes
    if not signals.names_classes:
        column, absent = _places(signals, rows), len(columns)
        column[column < 0] = absent
        if (column == absent).any():
            silent = np.full((1, columns.shape[1]), -1, columns.dtype)
            columns = np.concatenate([columns, silent])
    return VoteDesign(columns, column, hit, label, n_labels, counts, inverse, weights)


def _places(signals: WeakSignals, rows: IntArray) -> IntArray:
    """(r,) stored column of every row, -1 where these signals have none."""
    place = {tuple(pair): at for at, pair in enumerate(signals.columns.tolist())}
    return np.array([place.get(pair, -1) for pair in map(tuple, rows.tolist())], int)
