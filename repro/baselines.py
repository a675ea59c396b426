"""Majority vote and data programming as the paper's authors ran them."""

from __future__ import annotations

from functools import partial

import numpy as np
from corral.labelers.data_programming import expect_by_class, expect_jointly
from corral.labelers.learned_labeler import coin_weights
from corral.labelers.majority_vote import vote_balance
from corral.rates.vote_features import VoteFeatures, vote_features
from scipy.special import expit

from corral import WeakSignals
from corral._types import FloatArray
from corral.rates.rates import vote_model

PRIOR_ACCURACY, LEARNING_RATE, STEPS = 0.7, 0.01, 30
LEAST_ERROR = 1e-6
"""Accuracies are kept this far from 0 and 1."""


def draw_votes(signals: WeakSignals, seed: int) -> FloatArray:
    """(n, k) labels by majority, where every (example, class) without one is drawn.

    It is 0 or 1 with the same probability, and classes with a 1 share the label. With
    signals that only ever say "yes" that buries the votes.
    """
    votes = signals.harden()
    said = np.sign(vote_balance(votes)[0]).take(votes.patterns.inverse, axis=0)
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
    features = vote_features(votes)
    balance = np.full(votes.n_classes, 1 / votes.n_classes)
    if votes.names_classes or votes.n_label_columns == 1:
        expect = partial(expect_jointly, features, balance)
    else:
        about = features.about[features.column]
        halves = np.full(votes.n_classes, 0.5)
        expect = partial(expect_by_class, features, halves, about)
    accuracies = np.full(features.n_columns, PRIOR_ACCURACY)
    for _ in range(STEPS):
        accuracies = move(features, accuracies, expect(accuracies)[0], len(votes))
    weights = coin_weights(features, accuracies)
    return vote_model(votes, features, weights, np.log(balance)).labels(votes)


def move(
    features: VoteFeatures, accuracies: FloatArray, right: FloatArray, n: int
) -> FloatArray:
    """(c,) accuracies a step on, from the votes (c,) expected to be right of n examples.

    A vote has the factor exp(w) if it is right, else exp(-w), and an abstain has one.
    """
    others = features.n_values - 1
    w = np.log(accuracies * others / (1 - accuracies)) / 2
    up, down = np.exp(w), others * np.exp(-w)
    expected = (up - down) / (1 + up + down)
    w += LEARNING_RATE * ((2 * right - features.votes_cast) / n - expected)
    moved: FloatArray = expit(2 * w - np.log(others))
    return moved.clip(LEAST_ERROR, 1 - LEAST_ERROR)
