"""Majority vote, data programming and agreement rates as the paper's authors had them."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from corral import DataProgramming, WeakSignals
from corral._types import FloatArray
from corral.labelers.em import coin_shares
from corral.model import LogLinear

PRIOR_ACCURACY, LEARNING_RATE, STEPS = 0.7, 0.01, 30
DESCENT_RATE, DESCENT_STEPS, DESCENT_START = 0.001, 1000, (0.5, 0.15)
LEAST_ERROR = 1e-6
"""Accuracies are kept this far from 0 and 1."""


def vote_balance(signals: WeakSignals) -> FloatArray:
    """(n, k) votes for less votes against every class; of two, (n, 1) for the second."""
    schema, k = signals.schema, signals.n_classes
    sign = np.eye(k)[schema.says]
    if not schema.names_classes:
        sign[schema.negated] *= -1
    else:
        sign = 2 * sign - 1 if k > 2 else (2 * sign - 1)[:, 1:]
    balance: FloatArray = (signals.F @ sign)[signals.row_of]
    return balance


def draw_votes(signals: WeakSignals, seed: int) -> FloatArray:
    """(n, k) labels by majority, where every (example, class) without one is drawn.

    It is 0 or 1 with the same probability, and classes with a 1 share the label. With
    signals that only ever say "yes" that buries the votes.
    """
    said = np.sign(vote_balance(signals.harden()))
    drawn = np.random.default_rng(seed).integers(0, 2, said.shape)
    won = np.where(said == 0, drawn, said > 0).astype(float)
    if won.shape[1] == 1:
        return np.column_stack([1 - won, won])
    won[~won.any(axis=1)] = 1.0
    return won / won.sum(axis=1, keepdims=True)


def program_labels(signals: WeakSignals) -> FloatArray:
    """(n, k) labels of data programming in its log-linear form, stopped early.

    As in Snorkel's first versions: 30 steps of gradient ascent from the prior accuracy,
    without propensities. One-vs-rest signals have one model per class.
    """
    votes = signals.harden()
    balance = np.full(votes.n_classes, 1 / votes.n_classes)
    accuracies = np.full(votes.schema.n_columns, PRIOR_ACCURACY)
    for _ in range(STEPS):
        accuracies = move(votes, balance, accuracies)
    weights = np.log(coin_shares(votes, accuracies))
    return LogLinear(weights, np.log(balance), balance).labels(votes)


def move(votes: WeakSignals, balance: FloatArray, accuracies: FloatArray) -> FloatArray:
    """(c,) accuracies a step on, from how many votes are expected to be right.

    A vote has the factor exp(w) if it is right, else exp(-w), and an abstain has one.
    """
    schema = votes.schema
    right, _ = DataProgramming()._expect(votes, balance, accuracies)
    cast = schema.by_column(votes.cast)
    others = schema.n_features // schema.n_columns - 1
    w = np.log(accuracies * others / (1 - accuracies)) / 2
    up, down = np.exp(w), others * np.exp(-w)
    expected = (up - down) / (1 + up + down)
    w += LEARNING_RATE * ((2 * right - cast) / len(votes) - expected)
    moved: FloatArray = expit(2 * w - np.log(others))
    return moved.clip(LEAST_ERROR, 1 - LEAST_ERROR)


def descend_agreement(signals: WeakSignals, seed: int) -> FloatArray:
    """(m,) error rates of signals that name two classes, from how often pairs agree.

    Plain gradient descent on ``sum over pairs of (z_ij - q_i q_j)^2``, where ``z`` is
    agreement less disagreement and a signal errs at ``(1 - q_i) / 2``, from random ``q``.
    All pairs count the same, however often they meet.
    """
    votes = signals.votes
    sign = np.where(votes < 0, 0.0, 2.0 * votes - 1)
    met = np.abs(sign).T @ np.abs(sign)
    z = (sign.T @ sign) / met
    q = np.random.default_rng(seed).normal(*DESCENT_START, len(z))
    for _ in range(DESCENT_STEPS):
        missed = z - np.outer(q, q)
        np.fill_diagonal(missed, 0.0)
        q += DESCENT_RATE * 4 * (missed @ q)
    rates: FloatArray = ((1 - q) / 2).clip(0, 1)
    return rates
