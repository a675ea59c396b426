"""The operator that fits the signals."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from corral._types import FloatArray, IntArray
from corral.constraints.designs.base import Design
from corral.constraints.designs.sparse import SparseVoteDesign
from corral.constraints.designs.values import ValueDesign
from corral.constraints.designs.votes import VoteDesign
from corral.signals import Kind, WeakSignals


def design_rows(signals: WeakSignals) -> IntArray:
    """(r, 2) signal and label column of every possible row, by label column."""
    if signals.kind is Kind.CLASS_VOTES:
        spoken = range(signals.n_signals)
        pairs = [(i, k) for k in range(signals.n_label_columns) for i in spoken]
        return np.array(pairs)
    return signals.columns[np.lexsort(signals.columns.T)]


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
    if not signals.has_patterns:
        each = np.ones(len(signals)) if weights is None else weights
        values, _ = signals.unit_values
        return ValueDesign(values, _places(signals, rows), label, each, None, weights)
    patterns = signals.patterns
    counts = patterns.counts
    if weights is not None:
        by_pattern = np.bincount(patterns.inverse, weights, minlength=len(patterns))
        counts = by_pattern.astype(float)
    codes, inverse = patterns.codes, patterns.inverse
    if not signals.is_hard:
        values, _ = signals.unit_values
        place = _places(signals, rows)
        return ValueDesign(values, place, label, counts, inverse, weights)
    binary = signals.n_label_columns == 1
    if isinstance(codes, csr_array):
        hits = np.array([1]) if binary else np.arange(signals.n_classes)
        chosen = signal[label == 0]
        return SparseVoteDesign(codes, hits, chosen, counts, inverse, weights)
    columns = codes.T
    if signals.kind is Kind.CLASS_VOTES:
        column = signal
        hit = np.ones(len(rows), int) if binary else label
    else:
        column, absent = _places(signals, rows), len(signals.columns)
        column[column < 0] = absent
        hit = np.ones(len(rows), int)
        if (column == absent).any():
            silent = np.full((1, columns.shape[1]), -1, columns.dtype)
            columns = np.concatenate([columns, silent])
    n_labels = signals.n_label_columns
    return VoteDesign(columns, column, hit, label, n_labels, counts, inverse, weights)


def _places(signals: WeakSignals, rows: IntArray) -> IntArray:
    """(r,) stored column of every row, -1 where these signals have none."""
    place = {tuple(pair): at for at, pair in enumerate(signals.columns.tolist())}
    return np.array([place.get(pair, -1) for pair in map(tuple, rows.tolist())], int)
