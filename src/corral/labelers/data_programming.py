"""Data programming: one accuracy per signal, held near a prior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.special import expit, logit

from corral._types import FloatArray, IntArray
from corral.checks import check_flag, check_number, check_positive
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

Step: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""New accuracies (c,) from these and the right votes expected under them."""
LEAST = 1e-6
"""Accuracies are kept this far from 0 and 1."""


@dataclass(eq=False, repr=False, kw_only=True)
class DataProgramming(LearnedLabeler):
    """Data programming (Ratner et al. 2016): signals that are right at one rate each.

    Signals err independently of each other and of the class. Their accuracies are those
    under which the votes are likeliest, found by expectation and maximisation (EM).
    One-vs-rest signals: one such model per class, as in the paper, joined as if exactly
    one class were true.

    Of a signal that only ever votes one way, votes say nothing: "all examples are
    positive" explains positive rules perfectly. The accuracy of such signals is held at
    the prior, and a warning names them if they cast most votes.

    Parameters
    ----------
    prior_accuracy : float, array or mapping
        How often signals are thought to be right: one number, or one per signal by
        position or by name.
    prior_votes : float
        Votes that the prior is worth.
    hold_one_sided : bool
        Whether signals that only ever vote one way stay at the prior.
    class_balance : (k,) array of float, optional
        Shares of the classes; default even. They are not learned.
    max_iter : int
        Rounds at most.
    tolerance : float
        Stop where no accuracy changes by more.
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

    numbers_of_signals = ("prior_accuracy",)

    prior_accuracy: Any = 0.7
    prior_votes: float = 0.0
    hold_one_sided: bool = True
    max_iter: int = 500
    tolerance: float = 1e-6

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("hold_one_sided", self.hold_one_sided)
        check_positive("max_iter", self.max_iter)
        check_number("prior_votes", self.prior_votes, zero=True)
        check_number("tolerance", self.tolerance, zero=True)

    def _learn(
        self, signals: WeakSignals, features: VoteFeatures, _: float
    ) -> LearnedWeights:
        balance = positive_balance(self.class_balance, features.n_classes)
        prior = signal_numbers("prior_accuracy", self.prior_accuracy, signals)
        check_accuracies("prior_accuracy", prior)
        expect = self._expectation(signals, features, balance)
        start = by_column(prior, signals)
        with progress("learning accuracies", self.max_iter) as bar:
            step = self._em_step(signals, features, start)
            accuracies, change = start, np.inf
            history: list[float] = []
            while len(history) < self.max_iter and change >= self.tolerance:
                right, evidence = expect(accuracies)
                history.append(evidence)
                new = np.clip(step(accuracies, right), LEAST, 1 - LEAST)
                change = float(np.abs(new - accuracies).max())
                accuracies = new
                bar.advance()
        history.append(expect(accuracies)[1])
        if change >= self.tolerance:
            warn_user(
                f"`DataProgramming` had not settled after {self.max_iter} rounds; "
                f"the last moved an accuracy by {change:.2g}. "
                "Give a larger `max_iter`.",
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
                    "accuracies stay at `prior_accuracy`; "
                    "`DataProgramming(hold_one_sided=False)` learns them all the same.",
                    SignalsWarning,
                )
        size = features.votes_cast + self.prior_votes
        extra = self.prior_votes * prior

        def step(accuracies: FloatArray, right: FloatArray) -> FloatArray:
            shares = (right + extra) / np.maximum(size, 1e-300)
            return np.where(held, accuracies, shares)

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
