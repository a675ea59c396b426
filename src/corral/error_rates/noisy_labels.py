"""Raters as noisy labels, rules as features of a regression on them.

Where a few raters answer everything and rules vote here and there, the accuracy of a
rater shows in its agreement with the rules (`ceilings`), and with it the precision of the
rules: ``P(class | rules)`` is a logistic regression on what the raters suggest. Both are
found in turn, by expectation and maximisation.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from corral._types import BoolArray, FloatArray, IntArray
from corral.error_rates.ceilings import find_ceiling
from corral.error_rates.copies import chance_corrected_agreement
from corral.error_rates.lifts import LEAST, assume_lifts, class_shares, vote_balance
from corral.error_rates.vote_features import VoteFeatures, softmax

SPREAD = 1.2
"""Standard deviation of a rule's log-odds around the assumed ones.

``log((1 + h) / (1 - h))`` has one of 1.17 if every ``h`` from 0 to 1 is as likely.
"""
BELIEF = 0.5
"""Part of the logarithm of the class balance that is believed."""
ROUNDS, STEPS, TOLERANCE = 5, 8, 1e-3
"""Few rounds: on a few hundred examples more can run away from the raters."""


def fit_noisy_labels(
    features: VoteFeatures, panel: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Weights (f, k) of votes and bias (k,), given which columns (c,) are the raters."""
    counts, matrix = features.counts, features.matrix
    of_raters = weigh_raters(features, panel)
    rules = np.flatnonzero(~panel[features.column])
    balance = vote_balance(features)
    change = np.zeros((len(rules) + 1, features.n_classes))  # of the rules and the bias
    labels = np.zeros((features.n_patterns, features.n_classes))
    for step in range(ROUNDS):
        weights, bias = of_raters.copy(), BELIEF * np.log(balance)
        weights[rules] = assume_lifts(features, balance, LEAST)[rules]
        if step:
            start = matrix[:, rules] @ weights[rules] + bias
            change = _regress(features, rules, start, labels, change)
        weights[rules] += change[:-1]
        bias = bias + change[-1]
        new = softmax(matrix @ weights + bias)
        moved, labels = float(np.abs(new - labels).max()), new
        balance = class_shares(counts @ labels)
        if moved < TOLERANCE:
            break
    return weights, bias


def _regress(
    features: VoteFeatures,
    rules: IntArray,
    start: FloatArray,
    labels: FloatArray,
    change: FloatArray,
) -> FloatArray:
    """(r + 1, k) change of the rules' weights, and of the bias, that fits the labels.

    Parameters
    ----------
    features : VoteFeatures
    rules : (r,) array of int
        The features of rules.
    start : (p, k) array of float
        Scores without any change.
    labels : (p, k) array of float
    change : (r + 1, k) array of float
        Where to start from.
    """
    counts, matrix = features.counts, features.matrix[:, rules]
    weighted = features.weighted[rules]
    precision = np.r_[np.full(len(rules), SPREAD**-2), 1][:, None]

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        moved = flat.reshape(change.shape)
        scores = start + matrix @ moved[:-1] + moved[-1]
        total = logsumexp(scores, axis=1)
        left = labels - np.exp(scores - total[:, None])
        slope = precision * moved - np.vstack([weighted @ left, counts @ left])
        value = (precision * moved**2).sum() / 2
        return float(value - counts @ ((labels * scores).sum(axis=1) - total)), (
            slope.ravel()
        )

    found = minimize(
        loss, change.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}
    )
    moved: FloatArray = found.x.reshape(change.shape)
    return moved


def weigh_raters(features: VoteFeatures, panel: BoolArray) -> FloatArray:
    """(f, k) log-likelihoods of the raters' votes; zero for the rules'.

    Raters who agree with each other more than their accuracies explain share errors, so
    their votes count for less: for ``1 / (1 + sum of the excess over the others)``.
    """
    k = features.n_classes
    raters = np.flatnonzero(panel)
    accuracy = np.stack([find_ceiling(features, int(i), ~panel) for i in raters])
    balance = vote_balance(features)
    informed = (accuracy @ balance - 1 / k) / (1 - 1 / k)
    explained = np.outer(informed, informed)
    agreement = chance_corrected_agreement(features, raters)
    excess = np.clip((agreement - explained) / np.maximum(1 - explained, 0.05), 0, 1)
    np.fill_diagonal(excess, 0)
    weights = np.zeros((len(features.column), k))
    for accuracies, shared, i in zip(accuracy, excess.sum(axis=1), raters, strict=True):
        wrong = np.broadcast_to((1 - accuracies) / (k - 1), (k, k))
        said = np.log(np.where(np.eye(k) > 0, accuracies, wrong))
        mine = features.column == i
        weights[mine] = said[features.vote[mine]] / (1 + shared)
    return weights
