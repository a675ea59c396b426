"""Dawid-Skene: a confusion matrix for every signal, by expectation and maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corral._types import FloatArray
from corral.checks import check_choice, check_number, check_positive
from corral.error_rates.rates import column_errors
from corral.error_rates.vote_features import VoteFeatures, posterior
from corral.errors import ConvergenceWarning, SignalsWarning, warn_user
from corral.labelers.by_class import ClassFit
from corral.labelers.learned_labeler import (
    MOSTLY,
    LearnedLabeler,
    LearnedWeights,
    list_names,
    one_sided,
    share_of,
)
from corral.labelers.probabilities import check_balance
from corral.progress import progress
from corral.signals import WeakSignals

LEAST = 1e-10
"""Least probability of a vote given the class."""
ABSTAINS = ("auto", "answer", "ignore")


@dataclass(eq=False, repr=False, kw_only=True)
class DawidSkene(LearnedLabeler):
    """Dawid and Skene's model of raters: one confusion matrix each.

    Signals err independently of each other; how often one says ``v`` where the class is
    ``c`` is learned for every pair, as are the shares of the classes. The classic for
    crowds: workers who name all classes and meet many others on their examples.

    A rule only ever says one thing. Given that it votes, its vote is the same whatever the
    class is, so only *whether* it votes can tell anything: for rules an abstain is one
    more answer, as in published figures of this method for rules. Who asks workers
    chooses what they are asked, so there an abstain says nothing.

    Parameters
    ----------
    class_balance : (k,) array of float, optional
        Shares of the classes, kept fixed; default: learned.
    abstains : "auto", "answer" or "ignore"
        Whether an abstain is an answer that depends on the class, learned from the
        examples with a vote. "auto": where no signal ever says two things. If "ignore"
        is asked for there, a warning says that the votes tell nothing.
    smoothing : float
        Votes added to every entry of a confusion matrix, so that a signal that was
        never wrong can be.
    max_iter : int
        Rounds at most.
    tolerance : float
        Stop where a round raises the log-likelihood per vote by less.
    max_patterns : int
        With more distinct rows of votes, learn from a sample of so many examples.
    multilabel, ties, uncovered
        As for `MajorityVote`; classes with few votes learn from the others.
    random_state : int, optional
        For random ties and that sample.

    Attributes
    ----------
    confusion_ : (m, k, k) array of float
        ``confusion_[i, c, v]``: how often signal i says v where the class is c. Where
        abstains are answers, the rest to one is how often it abstains.
    abstains_are_answers_ : bool
        Whether they were taken as such.
    accuracies_ : (m,) array of float, or (m, k) for one-vs-rest signals
        How often signals are right under the labels.
    class_balance_ : (k,) array of float
    n_iter_, converged_
        Rounds taken, and whether they settled.
    history_ : array of float
        Log-likelihood per vote, by round.
    model_ : VoteModel

    References
    ----------
    A. P. Dawid and A. M. Skene, Maximum likelihood estimation of observer error-rates
    using the EM algorithm. Applied Statistics 28, 1979.

    J. Zhang et al., WRENCH: a comprehensive benchmark for weak supervision. NeurIPS
    Datasets and Benchmarks, 2021; its Dawid-Skene has abstains as an answer.

    Examples
    --------
    >>> from corral import DawidSkene
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(5_000, [0.9, 0.8, 0.7, 0.6], coverage=0.9)
    >>> labeler = DawidSkene().fit(votes)
    >>> labeler.accuracies_.round(1).tolist()
    [0.9, 0.8, 0.7, 0.6]
    >>> labeler.converged_
    True
    """

    saved_attributes: ClassVar[tuple[str, ...]] = (
        *LearnedLabeler.saved_attributes,
        "abstains_are_answers_",
    )

    abstains: Literal["auto", "answer", "ignore"] = "auto"
    smoothing: float = 0.01
    max_iter: int = 100
    tolerance: float = 1e-5

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("abstains", self.abstains, ABSTAINS)
        check_positive("max_iter", self.max_iter)
        check_number("smoothing", self.smoothing, zero=True)
        check_number("tolerance", self.tolerance, zero=True)

    def _learn(
        self, signals: WeakSignals, features: VoteFeatures, _: float
    ) -> LearnedWeights:
        fixed = None
        if self.class_balance is not None:
            fixed = check_balance(self.class_balance, features.n_classes)
        sided = one_sided(features)[features.votes_cast > 0].all()
        wanted = self.abstains == "answer" or (self.abstains == "auto" and sided)
        self.abstains_are_answers_ = bool(wanted)
        if not wanted:
            self._warn_of_one_sided(signals, features)
        said = features.matrix @ features.member
        labels = said / said.sum(axis=1, keepdims=True)
        history: list[float] = []
        votes, gain = features.size.sum(), np.inf
        with progress("learning confusion matrices", self.max_iter) as bar:
            while len(history) < self.max_iter and gain >= self.tolerance:
                shares = features.counts @ labels if fixed is None else fixed
                balance = positive_shares(shares)
                weights, silence = self._weights(features, labels)
                bias = np.log(balance) + silence
                scores = features.matrix @ weights + bias
                labels, evidence = posterior(scores)
                history.append(float(features.counts @ evidence / votes))
                gain = history[-1] - history[-2] if len(history) > 1 else np.inf
                bar.advance()
        if gain >= self.tolerance:
            warn_user(
                f"`{type(self).__name__}` had not settled after {self.max_iter} "
                f"rounds; the last raised the log-likelihood by {gain:.2g} per vote. "
                "Give a larger `max_iter`.",
                ConvergenceWarning,
            )
        return LearnedWeights(
            weights,
            balance,
            1 - column_errors(features, labels),
            np.array(history),
            iterations=len(history),
            converged=gain < self.tolerance,
            bias=bias,
        )

    def _weights(
        self, features: VoteFeatures, labels: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Weights (f, k) of votes under labels (p, k), and what it adds that all abstain.

        Log-probabilities given the class; where abstains are answers, less that of an
        abstain, so that the sum over all signals (k,) is there once and votes correct it.
        """
        votes = features.weighted @ labels
        counts = np.maximum(votes + self.smoothing, LEAST)
        total = np.stack([features.by_column(c) for c in counts.T], axis=1)
        if not self.abstains_are_answers_:
            return np.log(counts / total[features.column]), np.zeros(len(labels.T))
        cast = np.stack([features.by_column(c) for c in votes.T], axis=1)
        silent = np.maximum(features.counts @ labels - cast + self.smoothing, LEAST)
        weights = np.log(counts / silent[features.column])
        return weights, np.log(silent / (total + silent)).sum(axis=0)

    def _warn_of_one_sided(self, signals: WeakSignals, features: VoteFeatures) -> None:
        """A signal with one vote has a confusion matrix of one column, all ones."""
        sided = one_sided(features)
        share = share_of(features, sided)
        if share >= MOSTLY:
            warn_user(
                f"{share:.0%} of the votes are of signals that only ever say one thing "
                f"({list_names(signals, sided)}). Such a vote is as likely whatever the "
                "class is, to this model, so it tells nothing, and the labels are of "
                "little worth. Take `ConstrainedLabeler`, `MeTaL` or `MajorityVote`, or "
                f"`{type(self).__name__}(abstains='answer')`.",
                SignalsWarning,
            )

    def _take(self, signals: WeakSignals, fits: list[ClassFit], *found: Any) -> None:
        super()._take(signals, fits, *found)
        answers = [fit.found.abstains_are_answers_ for fit in fits]
        self.abstains_are_answers_ = any(answers)

    @property
    def confusion_(self) -> FloatArray:
        """(m, k, v) how often every signal casts a vote, given the class.

        Class votes: v is the class said. Where abstains are answers, a line adds up to
        how often the signal votes. One-vs-rest signals: a matrix for every stored
        column (see `WeakSignals.columns`), with the votes "no" and "yes". A signal that
        never votes has NaN.
        """
        check_is_fitted(self)
        if self.multilabel:
            raise AttributeError(
                "what votes are worth is pooled over the classes of a multi-label task, so "
                "there are no confusions; see accuracies_, one per signal and class."
            )
        model, like = self.model_, self._like_
        k, columns = len(model.bias), like.columns.tolist()
        place = {tuple(pair): c for c, pair in enumerate(columns)}
        pairs = zip(model.signal.tolist(), model.label.tolist(), strict=True)
        column = [place[pair] for pair in pairs]
        table = np.full((len(columns), k, like.n_choices), np.nan)
        table[column] = 0
        table[column, :, model.vote] = np.exp(model.weights)
        if self.abstains_are_answers_:  # the weights are less that of an abstain
            table /= 1 + table.sum(axis=2, keepdims=True)
        return table


def positive_shares(shares: FloatArray) -> FloatArray:
    """Shares (k,) of the classes, none of them zero."""
    shares = np.maximum(shares / shares.sum(), LEAST)
    return shares / shares.sum()
