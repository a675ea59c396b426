"""Error rates without labels: learned where the votes identify them, else assumed.

Two kinds of signals need two treatments. A *rule* fires for one class and is silent
otherwise: nothing in the votes says how precise it is. A *rater* names all classes and
is compared with many others on the same examples: its confusion can be learned. Every
signal is judged on its own, and what cannot be learned is assumed to be halfway between
perfect and guessing. See ``docs/error_rates.md`` for the reasons and the ablation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from corral._types import FloatArray, IntArray
from corral.error_rates.base import Rates, by_signal, vote_model, voter_errors
from corral.error_rates.features import VoteFeatures, softmax, vote_features
from corral.error_rates.redundancy import (
    Repetition,
    find_leaders,
    find_repetition,
)
from corral.errors import SignalsError
from corral.signals import WeakSignals

INFORMED = 0.5
"""Assumed probability that a vote is informed rather than a guess.

The mean of a uniform prior: all that is known of a signal is that it is better than
guessing and not better than perfect.
"""
SLIPS = (0.001, 0.05)
"""Shares of votes that a rule casts outside its class: never, or by accident."""
WITNESSES = 2.0
"""Others that are needed to identify a confusion: three views in all."""
SKEWED = 1 - (np.log(3) - 2 / 3 * np.log(2)) / np.log(2)
"""Missing share of entropy from which classes are skewed: two to one for two classes."""
MAX_ROUNDS = 20
"""More would fit the noise of weak raters; most sets settle sooner."""
TOLERANCE = 1e-3
"""Labels that change by less end the rounds."""
LEAST_SHARE = 1e-3
"""No class is thought to be rarer than this."""


@dataclass(frozen=True)
class Auto:
    """The default: error rates from the votes alone, by one fixed rule.

    Examples
    --------
    >>> from corral import WeakSignals
    >>> from corral.error_rates import Auto
    >>> votes = [[1, 1, 1], [0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1], [0, 0, 0]]
    >>> rates = Auto().estimate(WeakSignals.from_votes(votes))
    >>> rates.error_rates.round(2).tolist()
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
        if not features.n_units:
            raise SignalsError(
                "no signal votes on any example that has a weight, so there is nothing "
                "to learn from."
            )
        return fit(features).rates(signals, features)


@dataclass(frozen=True)
class Judgement:
    """What the votes say of the voters before any rate is learned.

    Attributes
    ----------
    share : (c,) array of float
        The part of a vote that a voter has; copies share one.
    learned : (c,) array of float
        How far its confusion is identified, from 0 to 1.
    skewed : bool
        Whether the classes are skewed, whichever voter is left out.
    """

    share: FloatArray
    learned: FloatArray
    skewed: bool


@dataclass(frozen=True)
class Fit:
    """Labels of the patterns, and the log-linear model behind them."""

    judgement: Judgement
    labels: FloatArray
    weights: FloatArray
    bias: FloatArray
    class_balance: FloatArray
    rounds: int
    converged: bool

    def rates(self, signals: WeakSignals, features: VoteFeatures) -> Rates:
        """The errors of the signals under the labels."""
        errors = voter_errors(features, self.labels)
        cast, learned = features.votes_cast, self.judgement.learned
        guess = features.by_voter(features.size * (1 - features.member.mean(axis=1)))
        chance = guess / np.maximum(cast, 1e-300)
        sampling = errors * (1 - errors) / np.maximum(cast, 1)
        # Assumed rates: anywhere between none and chance.
        assumed = ((1 - learned) * chance) ** 2 / 12
        spoken = cast > 0
        share = float((learned * cast).sum() / cast.sum())
        repeated = int((self.judgement.share[spoken] < 0.9).sum())
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
            vote_model(signals, features, self.weights, self.bias),
        )


def fit(features: VoteFeatures) -> Fit:
    """Labels of all patterns; voters that are identical are fitted as one."""
    leader = find_leaders(features)
    if (leader == np.arange(len(leader))).all():
        return fit_distinct(features)
    first = leader[features.voter] == features.voter
    found = fit_distinct(features.keep(first))
    # A copy has the weights of its leader, shared among all copies.
    size = np.bincount(leader, minlength=len(leader))[leader]
    place = {
        pair: at
        for at, pair in enumerate(
            zip(features.voter[first].tolist(), features.vote[first].tolist(), strict=True)
        )
    }
    pairs = zip(leader[features.voter].tolist(), features.vote.tolist(), strict=True)
    at = np.array([place[pair] for pair in pairs])
    judged = found.judgement
    judged = Judgement(
        judged.share[leader] / size, judged.learned[leader], judged.skewed
    )
    weights = found.weights[at] / size[features.voter][:, None]
    return replace(found, judgement=judged, weights=weights)


def fit_distinct(features: VoteFeatures) -> Fit:
    """Learn what can be learned, by expectation and maximisation.

    The labels are those of a naive Bayes model in which a voter's likelihoods are the
    learned ones to the power `learned` times the assumed ones to the power of the rest.
    """
    k, counts = features.n_classes, features.counts
    uniform = np.full(k, 1 / k)
    judged = judge(features)
    share, learned = judged.share[features.voter], judged.learned[features.voter]
    cast = judged.share * features.votes_cast
    believed = (cast * judged.learned).sum() / cast.sum()
    # Rule writers choose how many votes a class gets, so of the balance that assumed
    # votes suggest only half is believed, and none where that would feed a skew.
    belief = believed + (1 - believed) * (0 if judged.skewed else 0.5)
    weights = assumed_weights(features, uniform)
    bias = np.zeros(k)
    labels = softmax(features.matrix @ (share[:, None] * weights))
    for rounds in range(1, MAX_ROUNDS + 1):
        balance = np.maximum(counts @ labels / counts.sum(), LEAST_SHARE)
        balance /= balance.sum()
        weights = learned[:, None] * learned_weights(features, labels)
        weights += (1 - learned)[:, None] * assumed_weights(
            features, uniform if judged.skewed else balance
        )
        weights *= share[:, None]
        bias = belief * np.log(balance)
        new = softmax(features.matrix @ weights + bias)
        change, labels = np.abs(new - labels).max(), new
        if change < TOLERANCE:
            break
    return Fit(judged, labels, weights, bias, balance, rounds, bool(change < TOLERANCE))


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
    kinds = features.n_classes if features.member.sum(axis=1).max() == 1 else 2
    total = np.stack([features.by_voter(c) for c in counts.T], axis=1) + kinds + 1
    return np.log(counts + 1 + features.member) - np.log(total[features.voter])


def judge(features: VoteFeatures) -> Judgement:
    """Find copies, the kind of every voter, and whether the classes are skewed."""
    k = features.n_classes
    weights = assumed_weights(features, np.full(k, 1 / k))
    ones = np.ones(features.n_voters)
    labels = softmax(features.matrix @ weights)
    repetition = find_repetition(features, find_bipolar(features, labels, ones, SLIPS))
    share = repetition.share
    weights = share[features.voter][:, None] * weights
    scores = features.matrix @ weights
    bipolar = find_bipolar(features, softmax(scores), share, SLIPS[:1])
    bipolar = least_of_copies(bipolar, repetition)
    few = WITNESSES / np.maximum(repetition.witnesses, WITNESSES)
    missing = entropy_gap(features, scores, weights, repetition)
    return Judgement(share, bipolar * (1 - few**2), missing > SKEWED)


def find_bipolar(
    features: VoteFeatures, labels: FloatArray, share: FloatArray, slips: tuple[float, ...]
) -> FloatArray:
    """(c,) probability that a voter names all classes, not one only.

    A mixture of two types: one casts votes other than its commonest as often as the
    labels of its examples suggest, the other hardly ever. Their proportions come from
    the votes of all voters.
    """
    cast = features.votes_cast
    spoken = cast > 0
    order = np.lexsort((-features.size, features.voter))
    first = np.r_[True, np.diff(features.voter[order]) != 0]
    main = order[first]  # the commonest vote of every voter that speaks
    most = np.zeros(features.n_voters)
    most[features.voter[main]] = features.size[main]
    at_all = np.stack(
        [features.by_voter(column) for column in (features.weighted @ labels).T], axis=1
    )
    suggested = np.zeros(features.n_voters)
    owner = features.voter[main]
    suggested[owner] = (features.member[main] * at_all[owner]).sum(axis=1)
    p = np.clip(suggested / np.maximum(cast, 1e-300), 0.01, 0.999)
    rest = cast - most
    rules = [rest * np.log(slip) + most * np.log1p(-slip) for slip in slips]
    rule = np.logaddexp.reduce(rules, axis=0) - np.log(len(slips))
    odds = rest * np.log1p(-p) + most * np.log(p) - rule
    rate = 0.5
    for _ in range(20):
        bipolar = expit(odds + np.log(rate / (1 - rate)))
        seen = (share * bipolar)[spoken].sum()
        rate = np.clip((seen + 1) / (share[spoken].sum() + 2), 1e-6, 1 - 1e-6)
    return np.where(spoken, bipolar, 0.0)


def least_of_copies(each: FloatArray, repetition: Repetition) -> FloatArray:
    """The least of a number over a voter and its copies: a copied rule is a rule."""
    pairs = repetition.repeats.tocoo()
    near = pairs.data > 0.5
    least = each.copy()
    np.minimum.at(least, pairs.row[near], each[pairs.col[near]])
    return least


def entropy_gap(
    features: VoteFeatures,
    scores: FloatArray,
    weights: FloatArray,
    repetition: Repetition,
) -> float:
    """Least share of entropy that the class shares lack, whoever is left out.

    Voters that repeat each other are left out together, and with them the examples that
    nobody else speaks of.
    """
    group: IntArray = repetition.groups[features.caster]
    n_groups = int(group.max()) + 1
    _, cell, size = np.unique(
        features.unit * n_groups + group, return_inverse=True, return_counts=True
    )
    first = np.zeros(len(size), np.int64)
    first[cell] = np.arange(len(cell))
    unit, owner = features.unit[first], group[first]
    own = np.stack(
        [np.bincount(cell, w[features.feature]) for w in weights.T], axis=1
    )
    others = np.bincount(features.unit, minlength=features.n_units)[unit] > size
    labels = softmax(scores)
    without = np.where(others[:, None], softmax(scores[unit] - own), 0.0)
    lost = features.counts[unit][:, None] * (labels[unit] - without)
    total = features.counts @ labels
    shares = np.stack(
        [t - np.bincount(owner, c, minlength=n_groups) for t, c in zip(total, lost.T, strict=True)],
        axis=1,
    )
    shares = shares[np.unique(owner)]
    shares = np.maximum(shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-300), LEAST_SHARE)
    shares /= shares.sum(axis=1, keepdims=True)
    entropy = -(shares * np.log(shares)).sum(axis=1) / np.log(features.n_classes)
    return float(max(0.0, 1 - entropy.max()))
