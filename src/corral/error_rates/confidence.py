"""How sure soft signals usually are, so that their votes count as their lifts say.

Lifts are those of rounded votes: what a vote of the signal is worth on average. A signal
that gives all its classes 0.51 may be right more often than one that gives them 0.99. So
a probability counts for as much as it is surer than what is usual for its signal.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corral._types import FloatArray
from corral.error_rates.vote_model import ROWS, VoteModel
from corral.signals import WeakSignals


def find_usual_confidence(
    signals: WeakSignals, weights: FloatArray | None = None
) -> FloatArray:
    """(c,) how far above chance the likeliest vote of a column is, the mean over its votes.

    From 0 to 1; 1 where it never votes.

    Parameters
    ----------
    signals : WeakSignals
    weights : (n,) array of float, optional
        Sample weights.

    Examples
    --------
    >>> from corral import WeakSignals
    >>> from corral.error_rates.confidence import find_usual_confidence
    >>> soft = WeakSignals.from_probabilities([[0.9, 0.6], [0.2, 0.4], [0.5, 0.3]])
    >>> find_usual_confidence(soft).round(2).tolist()
    [0.7, 0.27]
    """
    values, inverse = signals.pattern_values
    n, chance = values[0].shape[1], 1 / signals.n_choices
    if inverse is None:
        each = signals.counts if weights is None else weights
        counts = np.ones(n) if each is None else np.asarray(each, float)
    else:
        counts = signals.patterns.totals(weights)
    sums, votes = np.zeros((2, len(signals.vote_columns)))
    for start in range(0, n, ROWS):
        block = counts[start : start + ROWS]
        likeliest = np.zeros((len(sums), len(block)))
        for column, _, share in signals.soft_cells(start, start + ROWS):
            np.maximum(likeliest[column], share, out=likeliest[column])
        spoken = likeliest > 0
        sums += ((likeliest - chance) * spoken / (1 - chance)) @ block
        votes += spoken @ block
    return np.divide(sums, votes, out=np.ones_like(sums), where=votes > 0)


def weigh_by_confidence(
    model: VoteModel, signals: WeakSignals, weights: FloatArray | None = None
) -> VoteModel:
    """The model for probabilities, given that of the rounded votes."""
    usual = np.ones((signals.n_signals, signals.n_label_columns))
    # Class votes have the label column -1, here the last, on both sides.
    usual[tuple(signals.vote_columns.T)] = find_usual_confidence(signals, weights)
    factor = 1 / np.maximum(usual[model.signal, model.label], 1e-6)[:, None]
    # Where all votes are as likely, they add their mean, however sure the signal is.
    key = model.signal * signals.n_label_columns + model.label + 1
    mean = np.stack([np.bincount(key, w) for w in model.weights.T], axis=1)[key]
    mean /= signals.n_choices
    return replace(model, weights=mean + factor * (model.weights - mean))
