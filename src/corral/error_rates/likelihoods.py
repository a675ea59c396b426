"""What a vote says of the class: assumed, or learned from labels."""

from __future__ import annotations

import numpy as np

from corral._types import FloatArray
from corral.error_rates.features import VoteFeatures

INFORMED = 0.5
"""Assumed probability that a vote is informed rather than a guess.

The mean of a uniform prior: all that is known of a signal is that it is better than
guessing and not better than perfect.
"""
LEAST_SHARE = 1e-3
"""No class is thought to be rarer than this."""


def class_shares(totals: FloatArray) -> FloatArray:
    """Shares (..., k) of the classes, none below `LEAST_SHARE` (before they add up)."""
    sums = totals.sum(axis=-1, keepdims=True)
    shares = np.maximum(totals / np.maximum(sums, 1e-300), LEAST_SHARE)
    return shares / shares.sum(axis=-1, keepdims=True)


def assumed_weights(features: VoteFeatures, balance: FloatArray) -> FloatArray:
    """(f, k) log-likelihoods of votes that are informed half of the time.

    An informed vote is right; an uninformed one is independent of the class. So the
    class given the vote is ``INFORMED d + (1 - INFORMED) balance``, where ``d`` is the
    balance among the classes that the vote speaks for.
    """
    among = features.member / (features.member @ balance)[:, None]
    return np.log(INFORMED * among + 1 - INFORMED)


def learned_weights(features: VoteFeatures, labels: FloatArray) -> FloatArray:
    """(f, k) log-likelihoods of votes from their counts under the labels.

    Smoothed by one vote of every kind on every class, and another one that is right.
    """
    counts = features.weighted @ labels
    total = np.stack([features.by_voter(c) for c in counts.T], axis=1)
    total += features.n_classes + 1
    return np.log(counts + 1 + features.member) - np.log(total[features.voter])
