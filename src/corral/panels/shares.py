"""The share of every class over all rows, and what it is compared with."""

from __future__ import annotations

import numpy as np

from corral._types import FloatArray
from corral.decisions import winner_shares
from corral.panels.assisted import Estimate, Evidence, bound

SMOOTHING = 0.5
"""Labels, spread over the answers, that keep a confusion from being singular."""


def class_terms(evidence: Evidence) -> FloatArray:
    """(k, u, k) one where a row has the class."""
    u, _, k = evidence.panel.shape
    return np.broadcast_to(np.eye(k)[:, None, :], (k, u, k))


def find_shares(evidence: Evidence) -> Estimate:
    """The share of every class; they add up to one."""
    value, variance = evidence.moments(class_terms(evidence))
    found = bound(value, variance * evidence.widening, evidence.level)
    if evidence.known.balance is not None:
        balance = evidence.known.balance
        return Estimate(balance, balance, balance, np.zeros_like(balance))
    value = found.value / found.value.sum()
    low, high = np.minimum(found.low, value), np.maximum(found.high, value)
    return Estimate(value, low, high, found.variance)


def count_labels(evidence: Evidence) -> Estimate:
    """The shares by the labels alone, as if there were no judges."""
    value = evidence.sample.mean(evidence.truth)
    variance = evidence.sample.variance(evidence.truth - value)
    return bound(value, variance * evidence.widening, evidence.level)


def count_votes(evidence: Evidence) -> FloatArray:
    """(k,) the shares of the answers of the majority vote, as they are."""
    return evidence.panel.mean(winner_shares(evidence.panel.shares))


def correct_votes(evidence: Evidence) -> FloatArray:
    """(k,) the same after Rogan and Gladen: by the confusion on the labelled rows."""
    panel, sample = evidence.panel, evidence.sample
    answers = winner_shares(panel.shares)
    k = answers.shape[1]
    confusion = (sample.weights[:, None] * evidence.truth).T @ answers[evidence.at]
    confusion += SMOOTHING / k
    confusion /= confusion.sum(axis=1, keepdims=True)
    found = np.linalg.lstsq(confusion.T, panel.mean(answers), rcond=None)[0]
    found = np.clip(found, 0, None)
    return found / found.sum()
