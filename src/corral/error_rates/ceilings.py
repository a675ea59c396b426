"""How accurate a rater is, from how often it agrees with committees of rules.

Take the examples on which rules favour a class by some number of votes. If they are right
there with probability ``u``, the rater agrees with them as often as

    agreement(u) = guess + u (accuracy - guess)

which is linear in ``u`` and reaches the rater's accuracy at ``u = 1``. No ``u`` is known,
but they differ between committees, so the largest agreements tell the accuracy. It is
averaged over all accuracies, and over how the precisions ``u`` may be distributed.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp, xlog1py, xlogy

from corral._types import BoolArray, FloatArray, IntArray
from corral.error_rates.vote_features import VoteFeatures

GRID, STEPS = 41, 20
"""Accuracies and precisions that are averaged over."""
SHAPES = (-0.5, -0.3, 0.0, 0.4, 1.0, 1.8, 3.0)
"""Of the distribution of precisions: density in proportion to ``u**shape``."""
REPEATS = 0.01
"""Share of committees whose agreement with the rater says nothing of its accuracy."""
ADVERSE = 0.05
"""Prior share of raters that are worse than guessing."""
MOST_LEAD = 10
"""Leads by more votes than this count as this many."""
SURE = 0.99
"""Highest accuracy considered; one minus this is the lowest."""


def find_ceiling(features: VoteFeatures, rater: int, rules: BoolArray) -> FloatArray:
    """(k,) P(rater says the class | class), given which columns (c,) are rules."""
    said, counts, leader, lead = _committees(features, rater, rules)
    k = features.n_classes
    guess = np.bincount(said, counts, minlength=k) + 0.5
    guess /= guess.sum()
    led = lead > 0
    key = leader[led] * (MOST_LEAD + 1) + lead[led]
    key, at = np.unique(key, return_inverse=True)
    favoured = key // (MOST_LEAD + 1)
    n, same = (
        np.bincount(at, x[led], minlength=len(key)).astype(float)[:, None]
        for x in (counts, counts * (said == leader))
    )
    # From always wrong to always right; 0 is guessing.
    informed = (k * (np.arange(GRID) + 0.5) / GRID - 1) / (k - 1)
    chances = _likelihoods(informed, guess[favoured], n, same, k)
    classes = favoured[None] == np.arange(k)[:, None]
    by_class = chances @ classes.T.astype(float)  # accuracy, shape, class
    found = _average(by_class, informed)
    return np.clip(found + (1 - found) / k, 1 - SURE, SURE)


def _committees(
    features: VoteFeatures, rater: int, rules: BoolArray
) -> tuple[IntArray, FloatArray, IntArray, IntArray]:
    """Per pattern: what the rater says, examples, the class that rules favour, its lead."""
    mine = features.column_of_vote == rater
    at, said = features.pattern[mine], features.vote[features.feature[mine]]
    votes = (features.matrix @ (features.member * rules[features.column, None]))[at]
    ranked = np.sort(votes, axis=1)
    lead = np.minimum(ranked[:, -1] - ranked[:, -2], MOST_LEAD).astype(int)
    return said, features.counts[at], votes.argmax(axis=1), lead


def _likelihoods(
    informed: FloatArray, guess: FloatArray, n: FloatArray, same: FloatArray, k: int
) -> FloatArray:
    """(accuracies, shapes, committees) log-likelihood of the agreements seen."""
    u = (np.arange(STEPS) + 0.5) / STEPS
    accuracy = (informed + (1 - informed) / k)[:, None]
    ceiling = np.where(
        informed[:, None] > 0,
        np.maximum(accuracy, np.minimum(guess + 0.01, 1)),
        np.minimum(accuracy, np.maximum(guess - 0.01, 0)),
    )

    def seen(agreement: FloatArray) -> FloatArray:
        return xlogy(same, agreement) + xlog1py(n - same, -agreement)

    agreement = guess[:, None] + (ceiling - guess)[:, :, None] * u
    fits = seen(np.clip(agreement, 1e-6, 1 - 1e-6))
    anyhow = np.log(REPEATS) + logsumexp(seen(u[None]), axis=1) - np.log(STEPS)
    shapes = [a * np.log(u) - logsumexp(a * np.log(u)) for a in SHAPES]
    each = [logsumexp(fits + shape + np.log1p(-REPEATS), axis=2) for shape in shapes]
    return np.logaddexp(np.stack(each, axis=1), anyhow)


def _average(chances: FloatArray, informed: FloatArray) -> FloatArray:
    """(k,) how informed the rater is, given likelihoods (accuracies, shapes, k).

    One number for all classes, or one per class: weighed by what the votes say of both.
    """
    k, up = chances.shape[2], informed > 0
    prior = np.where(up, (1 - ADVERSE) / up.sum(), ADVERSE / (~up).sum())
    prior = np.log(prior)[:, None]
    one, each = chances.sum(axis=2) + prior, chances + prior[:, :, None]
    total_one, total_each = logsumexp(one, axis=0), logsumexp(each, axis=0)
    mean_one = np.exp(one - total_one).T @ informed
    mean_each = np.einsum("ask,a->sk", np.exp(each - total_each), informed)
    odds = np.stack([total_one + np.log(1 - 1 / k), total_each.sum(axis=1) - np.log(k)])
    odds = np.exp(odds - logsumexp(odds))
    found: FloatArray = odds[0] @ mean_one + odds[1] @ mean_each
    return found
