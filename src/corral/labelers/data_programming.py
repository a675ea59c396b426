"""Data programming: one accuracy per signal, held near a prior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import expit, logit

from corral._types import FloatArray, IntArray
from corral.checks import check_choice, check_flag, check_number, check_positive
from corral.error_rates.vote_features import VoteFeatures, posterior
from corral.errors import ConvergenceWarning, SignalsWarning, warn_user
from corral.labelers.learned_labeler import (
    MOSTLY,
    LearnedLabeler,
    LearnedWeights,
    coin_weights,
    list_names,
    one_sided,
    share_of,
)
from corral.labelers.signal_numbers import (
    by_column,
    check_accuracies,
    positive_balance,
    signal_numbers,
)
from corral.progress import progress
from corral.signals import WeakSignals
from corral.wording import say, spell

Step: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""New accuracies (c,) from these and the right votes expected under them."""
ROUNDS = {"em": 500, "gradient": 30}
LEAST = 1e-6
"""Accuracies are kept this far from 0 and 1."""


@dataclass(eq=False, repr=False, kw_only=True)
class DataProgramming(LearnedLabeler):
    """Data programming (Ratner et al. 2016): signals that are right at one rate each.

    Signals err independently of each other and of the class. Their accuracies are those
    under which the votes are likeliest, found by expectation and maximisation (EM), or
    by a few steps of gradient ascent that stay near the prior, as Snorkel's first
    versions did. One-vs-rest signals: one such model per class, as in the paper, joined as
    if exactly one class were true.

    Of a signal that only ever votes one way, votes say nothing: "all examples are
    positive" explains positive rules perfectly. EM holds the accuracy of such signals at
    the prior, and a warning names them if they cast most votes; gradient ascent is
    stopped early instead.

    Parameters
    ----------
    algorithm : "em" or "gradient"
        EM runs until accuracies settle. "gradient" is the log-linear form without
        propensities, near the prior by few and small steps.
    prior_accuracy : float, array or mapping
        How often signals are thought to be right: one number, or one per signal by
        position or by name. The start of both, and the prior of EM.
    prior_votes : float
        Votes that the prior is worth, to EM.
    hold_one_sided : bool
        Whether EM leaves signals that only ever vote one way at the prior.
    class_balance : (k,) array of float, optional
        Shares of the classes; default even. They are not learned.
    max_iter : int, optional
        Rounds of EM, default 500, or steps of the gradient, default 30.
    tolerance : float
        EM stops where no accuracy changes by more.
    learning_rate : float
        Size of a step along the mean gradient.
    max_patterns, multilabel, ties, uncovered, random_state
        As for `DawidSkene`.

    Attributes
    ----------
    accuracies_ : (m,) array of float, or (m, k) for one-vs-rest signals
    class_balance_ : (k,) array of float
    n_iter_, converged_
        Rounds taken, and whether they settled.
    history_ : array of float
        Log-likelihood of the votes that were cast, from the start on.
    model_ : VoteModel

    References
    ----------
    A. Ratner, C. De Sa, S. Wu, D. Selsam and C. Ré, Data programming: creating large
    training sets, quickly. NeurIPS 2016.

    Examples
    --------
    >>> from corral import DataProgramming
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(5_000, [0.9, 0.8, 0.7, 0.6], coverage=0.9)
    >>> labeler = DataProgramming().fit(votes)
    >>> labeler.accuracies_.round(1).tolist()
    [0.9, 0.8, 0.7, 0.6]
    """

    algorithm: Literal["em", "gradient"] = field(default="em", kw_only=False)
    numbers_of_signals = ("prior_accuracy",)

    prior_accuracy: Any = 0.7
    prior_votes: float = 0.0
    hold_one_sided: bool = True
    max_iter: int | None = None
    tolerance: float = 1e-6
    learning_rate: float = 0.01

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("algorithm", self.algorithm, ROUNDS)
        check_flag("hold_one_sided", self.hold_one_sided)
        if self.max_iter is not None:
            check_positive("max_iter", self.max_iter)
        check_number("prior_votes", self.prior_votes, zero=True)
        check_number("tolerance", self.tolerance, zero=True)
        check_number("learning_rate", self.learning_rate)

    def _learn(
        self, signals: WeakSignals, features: VoteFeatures, total: float
    ) -> LearnedWeights:
        balance = positive_balance(self.class_balance, features.n_classes)
        prior = signal_numbers("prior_accuracy", self.prior_accuracy, signals)
        check_accuracies("prior_accuracy", prior)
        expect = self._expectation(signals, features, balance)
        rounds = ROUNDS[self.algorithm] if self.max_iter is None else self.max_iter
        start = by_column(prior, signals)
        with progress("learning accuracies", rounds) as bar:
            if self.algorithm == "em":
                step = self._em_step(signals, features, start)
            else:
                step = self._gradient_step(features, total)
            accuracies, change = start, np.inf
            history: list[float] = []
            while len(history) < rounds and change >= self.tolerance:
                right, evidence = expect(accuracies)
                history.append(evidence)
                new = np.clip(step(accuracies, right), LEAST, 1 - LEAST)
                change = float(np.abs(new - accuracies).max())
                accuracies = new
                bar.advance()
        history.append(expect(accuracies)[1])
        if self.algorithm == "em" and change >= self.tolerance:
            warn_user(
                f"{spell('DataProgramming')} had not settled after {rounds} rounds; the "
                f"last moved an accuracy by {change:.2g}.{say(' Give a larger max_iter.')}",
                ConvergenceWarning,
            )
        silent = features.votes_cast == 0
        return LearnedWeights(
            coin_weights(features, accuracies),
            balance,
            np.where(silent, np.nan, accuracies),
            np.array(history),
            iterations=len(history) - 1,
            converged=change < self.tolerance,
        )

    def _expectation(
        self, signals: WeakSignals, features: VoteFeatures, balance: FloatArray
    ) -> Callable[[FloatArray], tuple[FloatArray, float]]:
        """Right votes (c,) expected under accuracies, and the log-likelihood of these."""
        if signals.names_classes or signals.n_label_columns == 1:
            return partial(expect_jointly, features, balance)
        shares = np.full(len(balance), 0.5) if self.class_balance is None else balance
        about = features.about[features.column]
        return partial(expect_by_class, features, shares, about)

    def _em_step(
        self, signals: WeakSignals, features: VoteFeatures, prior: FloatArray
    ) -> Step:
        """Accuracies are the shares of right votes, and those that the prior adds."""
        held = features.votes_cast == 0
        if self.hold_one_sided:
            sided = one_sided(features)
            held |= sided
            share = share_of(features, sided)
            if share >= MOSTLY:
                warn_user(
                    f"{share:.0%} of the votes are of signals that only ever vote one way "
                    f"({list_names(signals, sided)}), so votes do not say how often they "
                    "are right, and one class for all would explain them perfectly. Their "
                    "accuracies stay"
                    + say(
                        " at prior_accuracy; hold_one_sided=False learns them all the same"
                    )
                    + ".",
                    SignalsWarning,
                )
        size = features.votes_cast + self.prior_votes
        extra = self.prior_votes * prior

        def step(accuracies: FloatArray, right: FloatArray) -> FloatArray:
            shares = (right + extra) / np.maximum(size, 1e-300)
            return np.where(held, accuracies, shares)

        return step

    def _gradient_step(self, features: VoteFeatures, total: float) -> Step:
        """One step of ``w``, where a vote has the factor exp(w) if right, else exp(-w)."""
        others = features.n_values - 1
        cast = features.votes_cast

        def step(accuracies: FloatArray, right: FloatArray) -> FloatArray:
            w = np.log(accuracies * others / (1 - accuracies)) / 2
            up, down = np.exp(w), others * np.exp(-w)
            expected = (up - down) / (1 + up + down)  # an abstain has the factor one
            w = w + self.learning_rate * ((2 * right - cast) / total - expected)
            return expit(2 * w - np.log(others))

        return step


def expect_jointly(
    features: VoteFeatures, balance: FloatArray, accuracies: FloatArray
) -> tuple[FloatArray, float]:
    """Right votes of every column (c,), and the log-likelihood of all votes cast.

    Parameters
    ----------
    features : VoteFeatures
    balance : (k,) array of float
    accuracies : (c,) array of float
    """
    scores = features.matrix @ coin_weights(features, accuracies) + np.log(balance)
    labels, evidence = posterior(scores)
    right = ((features.weighted @ labels) * features.member).sum(axis=1)
    return features.by_column(right), float(features.counts @ evidence)


def expect_by_class(
    features: VoteFeatures,
    shares: FloatArray,
    about: IntArray,
    accuracies: FloatArray,
) -> tuple[FloatArray, float]:
    """The same for "yes" and "no", with one independent model per class.

    Parameters
    ----------
    features : VoteFeatures
    shares : (k,) array of float
        Share of the examples that are in every class.
    about : (f,) array of int
        The class that every feature votes on.
    accuracies : (c,) array of float
    """
    yes, right = features.vote == 1, accuracies[features.column]
    signed = np.where(yes, 1, -1) * logit(right)
    scores = features.matrix @ (signed[:, None] * np.eye(len(shares))[about])
    scores += logit(shares)
    inside = (features.weighted @ expit(scores))[np.arange(len(about)), about]
    # Log-likelihood of being outside of every class, and what being inside adds.
    outside = features.size @ np.log(np.where(yes, 1 - right, right))
    outside += features.counts.sum() * np.log1p(-shares).sum()
    evidence = outside + features.counts @ np.logaddexp(0, scores).sum(axis=1)
    hits = np.where(yes, inside, features.size - inside)
    return features.by_column(hits), float(evidence)
