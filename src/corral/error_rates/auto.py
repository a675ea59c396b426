"""Error rates without labels: learned where the votes identify them, else assumed.

Two kinds of signals need two treatments. A *rule* fires for one class and is silent
otherwise: nothing in the votes says how precise it is. A *rater* names all classes and
is compared with many others on the same examples: its confusion can be learned. Every
signal is judged on its own, and what cannot be learned is assumed to be halfway between
perfect and guessing. See ``docs/error_rates.md`` for the reasons and the ablation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray, IntArray
from corral.checks import require_votes
from corral.error_rates.base import Rates, by_signal, vote_model, voter_errors
from corral.error_rates.features import VoteFeatures, softmax, vote_features
from corral.error_rates.judgement import find_leaders, judge
from corral.error_rates.likelihoods import (
    INFORMED,
    assumed_weights,
    class_shares,
    learned_weights,
)
from corral.signals import WeakSignals

MAX_ROUNDS = 20
"""More would fit the noise of weak raters; most sets settle sooner."""
TOLERANCE = 1e-3
"""Labels that change by less end the rounds."""


@dataclass(frozen=True)
class Auto:
    """The default: error rates from the votes alone, by one fixed rule.

    Examples
    --------
    Raters that name all classes and meet each other are learned; for a rule that fires
    for one class, a rate is assumed.

    >>> from corral import WeakSignals
    >>> from corral.datasets import random_votes
    >>> from corral.error_rates import Auto
    >>> votes, labels = random_votes(20_000, [0.9, 0.8, 0.7, 0.6, 0.8], coverage=0.8)
    >>> rates = Auto().estimate(WeakSignals.from_votes(votes))
    >>> rates.error_rates.round(1).tolist()
    [0.1, 0.2, 0.3, 0.4, 0.2]
    >>> bool((rates.standard_errors < 0.05).all())
    True
    """

    def estimate(
        self, signals: WeakSignals, weights: FloatArray | None = None
    ) -> Rates:
        """Estimate the rates, and the labels that go with them.

        Parameters
        ----------
        signals : WeakSignals
            Soft signals are rounded to estimate their rates; the labels use their
            probabilities.
        weights : (n,) array of float, optional
            Sample weights.

        Returns
        -------
        Rates
            With the `model` that gives the labels.
        """
        features = vote_features(signals, weights)
        return fit(features).rates(signals, features)


@dataclass(frozen=True)
class Fit:
    """Labels of the patterns, and the log-linear model behind them.

    Attributes
    ----------
    features : VoteFeatures
        Those of the leaders; `weights` (f, k) are theirs.
    leader : (c,) array of int
        The voter that every voter repeats; itself if none.
    learned : (c,) array of float
        How far its confusion is identified.
    labels : (u, k) array of float
    """

    features: VoteFeatures
    leader: IntArray
    learned: FloatArray
    labels: FloatArray
    weights: FloatArray
    bias: FloatArray
    class_balance: FloatArray
    rounds: int
    converged: bool

    def rates(self, signals: WeakSignals, features: VoteFeatures) -> Rates:
        """The errors of the signals under the labels."""
        errors = voter_errors(features, self.labels)
        cast, learned = features.votes_cast, self.learned
        guess = features.by_voter(features.size * (1 - features.member.mean(axis=1)))
        chance = guess / np.maximum(cast, 1e-300)
        sampling = errors * (1 - errors) / np.maximum(cast, 1)
        # Assumed rates: anywhere between none and chance.
        assumed = ((1 - learned) * chance) ** 2 / 12
        spoken = cast > 0
        share = float((learned * cast).sum() / cast.sum())
        size = np.bincount(self.leader, minlength=len(cast))[self.leader]
        repeated = int((spoken & (size > 1)).sum())
        note = (
            f"label-free: {share:.0%} of the votes are of signals whose rates the votes "
            f"identify, the others are assumed informed {INFORMED:.0%} of the time; "
            f"{repeated} of {int(spoken.sum())} signals repeat others; "
            f"{self.rounds} rounds"
            + ("" if self.converged else ", stopped before the labels settled")
        )
        return Rates(
            by_signal(signals, errors),
            by_signal(signals, np.sqrt(sampling + assumed)),
            note,
            self.class_balance,
            vote_model(signals, self.features, self.weights, self.bias, self.leader),
        )


def fit(features: VoteFeatures) -> Fit:
    """Labels of all patterns; voters that repeat each other are fitted as one."""
    require_votes(features.n_units)
    leader = find_leaders(features)
    return fit_distinct(features.merged(leader), leader)


def fit_distinct(features: VoteFeatures, leader: IntArray) -> Fit:
    """Learn what can be learned, by expectation and maximisation.

    The labels are those of a naive Bayes model in which a voter's likelihoods are the
    learned ones to the power `learned` times the assumed ones to the power of the rest.
    """
    k, counts = features.n_classes, features.counts
    uniform = np.full(k, 1 / k)
    judged = judge(features)
    learned = judged.learned[features.voter]
    cast = features.votes_cast
    believed = (cast * judged.learned).sum() / cast.sum()
    # Rule writers choose how many votes a class gets, so of the balance that assumed
    # votes suggest only half is believed, and none where that would feed a skew.
    belief = believed + (1 - believed) * (0 if judged.skewed else 0.5)
    weights = assumed_weights(features, uniform)
    bias = np.zeros(k)
    labels = softmax(features.matrix @ weights)
    change, rounds = np.inf, 0
    while change >= TOLERANCE and rounds < MAX_ROUNDS:
        balance = class_shares(counts @ labels)
        weights = learned[:, None] * learned_weights(features, labels)
        weights += (1 - learned)[:, None] * assumed_weights(
            features, uniform if judged.skewed else balance
        )
        bias = belief * np.log(balance)
        new = softmax(features.matrix @ weights + bias)
        change, labels = float(np.abs(new - labels).max()), new
        rounds += 1
    return Fit(
        features,
        leader,
        judged.learned[leader],
        labels,
        weights,
        bias,
        balance,
        rounds,
        change < TOLERANCE,
    )
