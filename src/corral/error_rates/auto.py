"""The default: error rates, and labels, from the votes alone.

A vote counts for as much as it lifts a class above its base rate, ``log P(class | vote) -
log P(class)``, and the lifts of an example are added up.

1. Signals that repeat each other are one (`copies`).
2. The lifts of *raters*, who name all classes, are learned from labels, those from lifts,
   a few times. Half of the labels stay the shares of the votes, so that learning cannot
   run away from them.
3. The precision of a *rule* cannot be learned from votes. It is assumed to be informed
   half of the time, or more where votes agree more.
4. How votes depend on each other is not known. So the sum is divided by the square root
   of the number of votes, and no label is surer than `FLOOR` allows. As far as the votes
   show that raters err independently, nothing is held back (`independence`).
5. Where raters answer everything and rules vote here and there, raters are noisy labels
   and rules are features of a regression on them (`noisy_labels`).

See ``docs/how_rates_are_estimated.md`` for what each step is worth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from corral._types import FloatArray, IntArray
from corral.checks import require_votes
from corral.error_rates.confidence import weigh_by_confidence
from corral.error_rates.copies import find_leaders
from corral.error_rates.doubts import find_doubt
from corral.error_rates.independence import find_evidence, find_independence
from corral.error_rates.lifts import (
    LEAST,
    MOST,
    assume_lifts,
    find_informedness,
    learn_lifts,
    vote_shares,
)
from corral.error_rates.raters import find_panel, find_raters
from corral.error_rates.rates import Rates, by_signal, column_errors, vote_model
from corral.error_rates.vote_features import VoteFeatures, softmax, vote_features
from corral.error_rates.vote_model import VoteModel
from corral.errors import SignalsWarning, warn_user
from corral.signals import WeakSignals

ROUNDS, MORE_ROUNDS = 5, 15
"""Rounds of learning the raters, and those in which nothing holds them to the vote.

More of the first would fit the noise of weak raters.
"""
TOLERANCE = 1e-3
"""Change of a label below which there are no more rounds."""
ANCHOR = 0.5
"""Weight of the shares of the votes in the labels that raters are learned from."""
BELIEF = 0.25
"""Weight of the estimated class balance against an even one if all votes are of rules.

The author of the rules decides how many votes a class gets. Of raters the weight is one.
"""
TEMPERING = 0.5
"""Power of the number of votes that scores are divided by: votes are dependent."""
EXPECTED = 100.0
"""Examples from which one expects that the votes of raters tell their rates."""
DOUBT = 0.5
"""Standard error of a rate per doubt in the labels of the signal's votes."""
FLOOR = 0.05
"""Probability that the votes are misleading altogether: a class is as likely as without."""


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
    >>> rates.learned.round(1).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]

    These err independently, and their votes show it.

    >>> rates.error_rates.round(2).tolist()
    [0.12, 0.21, 0.3, 0.4, 0.21]
    >>> rates.intervals(0.9)[0].round(2).tolist()
    [0.04, 0.2]
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
        found = fit(features)
        if found.doubt is not None:
            warn_user(
                f"the votes do not tell how often signals are wrong: {found.doubt}. So "
                "their rates are assumed. Label some examples (`FromLabels`), give "
                f"`error_rates=`, or add signals.",
                SignalsWarning,
            )
        return found.rates(signals, features, weights)


@dataclass(frozen=True)
class Fit:
    """What was learned of the votes of all patterns.

    Attributes
    ----------
    features : VoteFeatures
        Those of the leaders.
    leader : (c,) array of int
        The column that every column repeats; itself if none.
    learned : (c,) array of float
        How far its rate is learned, not assumed.
    weights : (f, k) array of float
        What a vote adds to the scores of the classes.
    bias : (k,) array of float
        The scores before any vote.
    tempering : float
        Scores are divided by this power of the number of votes.
    floor : float
        Part of every label that is spread over the classes.
    class_balance : (k,) array of float
    doubt : str, optional
        Why the votes do not tell the rates of raters, if one would expect that they do.
    """

    features: VoteFeatures
    leader: IntArray
    learned: FloatArray
    weights: FloatArray
    bias: FloatArray
    tempering: float
    floor: float
    class_balance: FloatArray
    doubt: str | None = None

    def find_labels(self) -> FloatArray:
        """(u, k) labels, without the floor, which would raise every error rate."""
        votes = np.maximum(self.features.votes_by_pattern, 1)
        scores = self.features.matrix @ self.weights + self.bias
        return softmax(scores / (votes**self.tempering)[:, None])

    def rates(
        self,
        signals: WeakSignals,
        features: VoteFeatures,
        weights: FloatArray | None = None,
    ) -> Rates:
        """The errors of the signals, whose features these are, under the labels."""
        labels = self.find_labels()
        cast, learned = features.votes_cast, self.learned
        voted = cast > 0
        share = float((learned * cast).sum() / cast.sum())
        size = np.bincount(self.leader, minlength=len(cast))[self.leader]
        repeated = int((voted & (size > 1)).sum())
        note = (
            f"label-free: {share:.0%} of the votes are of signals whose rates the votes "
            "tell, the rates of the others are assumed; "
            f"{repeated} of {int(voted.sum())} signals repeat others"
        )
        return Rates(
            by_signal(signals, column_errors(features, labels)),
            by_signal(signals, find_standard_errors(features, labels, learned)),
            note,
            self.class_balance,
            self.model(signals, weights),
            by_signal(signals, learned),
        )

    def model(
        self, signals: WeakSignals, weights: FloatArray | None = None
    ) -> VoteModel:
        """The model that labels any votes; of soft signals, by sample weights (n,)."""
        plain = vote_model(signals, self.features, self.weights, self.bias, self.leader)
        model = replace(plain, tempering=self.tempering, floor=self.floor)
        if signals.is_hard:
            return model
        return weigh_by_confidence(model, signals, weights)


def fit(features: VoteFeatures) -> Fit:
    """Labels of all patterns; columns that repeat each other are fitted as one."""
    require_votes(features.n_patterns)
    leader = find_leaders(features)
    return fit_distinct(features.merge_columns(leader), leader)


def fit_distinct(features: VoteFeatures, leader: IntArray) -> Fit:
    """The same, given the leader of every column and features of leaders only."""
    # "Yes" and "no" about one class name no other that it may be taken for.
    rater = np.where(features.about < 0, find_raters(features), 0.0)
    weights, bias, balance, labels = fit_lifts(features, rater)
    panel, clearness = find_panel(features, rater)
    held, evidence = 1 - clearness, find_evidence(features, rater)
    if held * evidence > 0:
        free = fit_lifts(features, rater, labels)
        independence = evidence * find_independence(features, free[-1], rater)
        weights, bias, balance = (
            (1 - independence) * a + independence * b
            for a, b in zip((weights, bias, balance), free[:-1], strict=True)
        )
        held *= 1 - independence
    if clearness > 0:
        # Imported late: it loads an optimiser, which other data do not need.
        from corral.error_rates.noisy_labels import fit_noisy_labels

        expert, offset = fit_noisy_labels(features, panel)
        weights = (1 - clearness) * weights + clearness * expert
        bias = (1 - clearness) * bias + clearness * offset
    # Two signals that disagree do not say which of them is wrong; three do.
    cast = features.votes_cast
    meets = features.by_column(features.weighted @ (features.votes_by_pattern > 2.0))
    meets /= np.maximum(cast, 1e-300)
    doubt = find_doubt(features)
    told = rater * meets * (doubt is None)
    learned = (np.maximum(told, clearness) * (cast > 0))[leader]
    floor = FLOOR * min(1.0, held + clearness)
    # Rates of rules are always assumed, and nobody expects that a few examples tell any.
    if clearness or rater @ cast < cast.sum() / 2 or features.counts.sum() < EXPECTED:
        doubt = None
    return Fit(
        *(features, leader, learned, weights, bias),
        *(TEMPERING * held, floor, balance, doubt),
    )


def fit_lifts(
    features: VoteFeatures, rater: FloatArray, labels: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Lifts (f, k) of votes, the bias (k,), the class balance (k,) and the labels (p, k).

    Parameters
    ----------
    features : VoteFeatures
    rater : (c,) array of float
        How far every column is a rater's.
    labels : (p, k) array of float, optional
        Labels to go on from, without holding them to the vote.
    """
    cast = features.votes_cast
    raters = float((rater * cast).sum() / cast.sum())
    belief = BELIEF + (1 - BELIEF) * raters
    part = rater[features.column, None]
    start = vote_shares(features, raters)
    first, at_first = learn_lifts(features, start, rater)
    informed = float(np.clip(find_informedness(features), LEAST, MOST))
    # Among raters, those who always say the same are poor raters rather than rules.
    rules = (1 - raters) ** 2
    assumed = rules * assume_lifts(features, at_first, informed) + (1 - rules) * first
    anchor, rounds = (ANCHOR, ROUNDS) if labels is None else (0.0, MORE_ROUNDS)
    labels = start if labels is None else labels
    for _ in range(rounds if raters else 1):
        learned, balance = learn_lifts(features, labels, rater)
        lifts = part * learned + (1 - part) * assumed
        bias = belief * (raters * np.log(balance) + (1 - raters) * np.log(at_first))
        new = softmax(features.matrix @ lifts + bias)
        new = anchor * start + (1 - anchor) * new
        moved, labels = np.abs(new - labels).max(), new
        if moved < TOLERANCE:
            break
    return lifts, bias, balance, labels


def find_standard_errors(
    features: VoteFeatures, labels: FloatArray, learned: FloatArray
) -> FloatArray:
    """(c,) standard errors of the error rates under labels (p, k).

    Parameters
    ----------
    features : VoteFeatures
    labels : (p, k) array of float
    learned : (c,) array of float
        How far every rate is learned.
    """
    cast = np.maximum(features.votes_cast, 1)
    errors = column_errors(features, labels)
    doubt = features.by_column(features.weighted @ (1 - labels.max(axis=1))) / cast
    chance = features.by_column(features.size * (1 - features.member.mean(axis=1)))
    assumed = (1 - learned) * chance / cast / np.sqrt(12)
    return np.sqrt(errors * (1 - errors) / cast + (DOUBT * doubt) ** 2 + assumed**2)
