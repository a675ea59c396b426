"""Labelers that learn how good signals are from votes alone, by EM or matrix completion.

Independent signals make every posterior log-linear in the votes, however the weights are
found. Dawid and Skene's model, its one-coin form and data programming are one EM whose
weights are free (a confusion matrix per signal) or tied (one accuracy per signal).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from corral._types import BoolArray, FloatArray
from corral.checks import check_choice, check_number, check_positive, require_votes
from corral.errors import ConvergenceWarning, ParameterError, SignalsWarning, warn_user
from corral.labelers.base import Labeler
from corral.labelers.simple import by_question
from corral.model import LogLinear, posterior
from corral.progress import progress
from corral.rates import check_balance, signal_numbers
from corral.votes import WeakSignals

MIN_SIGNALS = 3
"""Two signals that disagree do not say which of them is wrong."""
MIN_ONE_SIDED_SHARE = 0.5
"""Share of the votes from which one-sided signals are worth a warning."""
MIN_PROBABILITY = 1e-10
"""Least probability of a vote given the class."""
MIN_ACCURACY = 1e-6
"""Accuracies of data programming are kept this far from 0 and 1."""
TINY = 1e-300


@dataclass(eq=False, repr=False, kw_only=True)
class LearnedLabeler(Labeler):
    """Base of labelers that learn how good signals are from votes alone.

    A subclass implements `_learn`, which sets the other attributes, too.

    Attributes
    ----------
    accuracies_ : (m,) array of float, or (m, k) for one-vs-rest signals
        How often every signal is right, by the model; NaN where it never votes.
    error_rates_ : array of float of the same shape
        One minus `accuracies_`.
    class_balance_ : (k,) array of float
        Shares of the classes, the labels of examples without votes.
    n_iter_ : int
        Rounds or steps taken.
    converged_ : bool
        Whether more of them would change nothing.
    history_ : array of float
        What was maximised or minimised, from the start on.
    """

    uses_hard_votes = True
    saved_attributes: ClassVar[tuple[str, ...]] = (
        *("accuracies_", "class_balance_", "n_iter_", "converged_", "history_"),
    )

    class_balance: ArrayLike | None = None
    max_iter: int = 100

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("max_iter", self.max_iter)
        if self.multilabel:
            name = type(self).__name__
            raise ParameterError(
                f"must be False: {name} gives an example one class. Fit one class at a "
                f"time, {name}().fit(signals.for_class(...)), or use ConstrainedLabeler.",
                parameter="multilabel",
            )

    @abstractmethod
    def _learn(self, signals: WeakSignals) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights (f, k) or (f,) of hard votes, bias and shares (k,) of the classes."""

    def _find_model(self, signals: WeakSignals) -> LogLinear:
        cast = signals.schema.by_column(signals.cast)
        require_votes(cast.any())
        if (cast > 0).sum() < MIN_SIGNALS:
            warn_user(
                f"fewer than {MIN_SIGNALS} signals vote. Where two disagree, nothing says "
                "which is wrong, so what is learned is arbitrary. Use MajorityVote, or "
                "ConstrainedLabeler with given error rates.",
                SignalsWarning,
            )
        weights, bias, self.class_balance_ = self._learn(signals)
        heard = (signals.cast > 0).astype(float)
        return LogLinear(weights, bias, self.class_balance_, voice=heard)

    def _keep_history(
        self, history: list[float], rounds: int, settled: bool, last: str
    ) -> None:
        """Note how learning went; warn if it has not settled: what the `last` round did."""
        self.history_, self.n_iter_ = np.array(history), rounds
        self.converged_ = settled
        if not settled:
            warn_user(
                f"{type(self).__name__} had not settled after {rounds} rounds; the last "
                f"{last}. Give a larger `max_iter`.",
                ConvergenceWarning,
            )

    @property
    def error_rates_(self) -> FloatArray:
        """How often every signal is wrong, by the model."""
        self._check_fitted()
        rates: FloatArray = 1 - vars(self)["accuracies_"]  # which `_learn` sets
        return rates

    @property
    def note_(self) -> str:
        self._check_fitted()
        end = "settled" if self.converged_ else "stopped before they settled"
        return f"accuracies learned from the votes, {end} after {self.n_iter_} rounds"


def right_shares(signals: WeakSignals, right: FloatArray) -> FloatArray:
    """(m,) or (m, k) shares of votes that are right, from how many of each (f,) are."""
    schema = signals.schema
    cast = schema.by_column(signals.cast)
    never = np.full(len(cast), np.nan)
    shares = np.divide(schema.by_column(right), cast, out=never, where=cast > 0)
    return schema.by_signal(shares)


def warn_if_one_sided(signals: WeakSignals, advice: str) -> BoolArray:
    """(c,) which questions only ever get one answer; warn if they get most votes."""
    schema = signals.schema
    table = signals.cast.reshape(schema.n_columns, -1)
    sided: BoolArray = (table > 0).sum(axis=1) == 1
    share = table[sided].sum() / table.sum()
    if share >= MIN_ONE_SIDED_SHARE:
        per_signal = schema.n_columns // schema.n_signals
        found = list(dict.fromkeys((np.flatnonzero(sided) // per_signal).tolist()))
        names = ", ".join(signals.names[i] for i in found[:5])
        names += ", ..." if len(found) > 5 else ""
        warn_user(
            f"{share:.0%} of the votes are of signals that only ever say one thing "
            f"({names}), so votes do not tell how often they are right. {advice}",
            SignalsWarning,
        )
    return sided


def positive_shares(shares: FloatArray) -> FloatArray:
    """Shares (k,) of the classes, all above zero."""
    shares = np.maximum(shares / shares.sum(), MIN_PROBABILITY)
    return shares / shares.sum()


def coin_shares(signals: WeakSignals, accuracies: FloatArray) -> FloatArray:
    """(f, k) how often votes are cast, given the class, if questions (c,) are coins.

    A question is answered right with one probability; all wrong answers are as likely.
    """
    schema = signals.schema
    right = accuracies[schema.column][:, None]
    wrong = (1 - right) / (schema.n_features // schema.n_columns - 1)
    return np.where(schema.supports > 0, right, wrong)


@dataclass(eq=False, repr=False, kw_only=True)
class DawidSkene(LearnedLabeler):
    """Dawid and Skene's model of raters: one confusion matrix each.

    Signals err independently of each other; how often one says ``v`` where the class is
    ``c`` is learned for every pair, as are the shares of the classes. The classic for
    crowds: workers who name all classes and meet many others on their examples.

    A rule only ever says one thing, so only *whether* it votes can tell anything: for
    rules an abstain is one more answer. A worker does not choose which examples to see, so
    an abstain of a worker tells nothing.

    Parameters
    ----------
    class_balance : (k,) array of float, optional
        Shares of the classes, kept fixed; default: learned.
    abstains : "auto", "answer" or "ignore"
        Whether an abstain is an answer that depends on the class, learned from the
        examples with a vote. "auto": if no signal ever says two things.
    smoothing : float
        Votes added to every entry of a confusion matrix, so that a signal that was
        never wrong can be.
    max_iter : int
        Rounds at most.
    tolerance : float
        Stop when a round raises the log-likelihood per vote by less.
    ties, uncovered, answers, random_state : as for `MajorityVote`

    Attributes
    ----------
    confusion_ : (m, k, k) array of float
        ``confusion_[i, c, v]``: how often signal i says v where the class is c; NaN for a
        signal that never votes. Where abstains are answers, a line adds up to how often it
        votes. One-vs-rest signals: (c, k, 2), "no" and "yes" for every signal and class.
    abstains_are_answers_ : bool
        Whether abstains were taken as answers.
    accuracies_, error_rates_, class_balance_, n_iter_, converged_ : see `LearnedLabeler`
    history_ : array of float
        Log-likelihood per vote, by round.

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
    >>> DawidSkene().fit(votes).accuracies_.round(1).tolist()
    [0.9, 0.8, 0.7, 0.6]
    """

    saved_attributes = (
        *LearnedLabeler.saved_attributes,
        *("abstains_are_answers_", "confusion_"),
    )
    one_coin: ClassVar[bool] = False

    abstains: Literal["auto", "answer", "ignore"] = "auto"
    smoothing: float = 0.01
    tolerance: float = 1e-5

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("abstains", self.abstains, ("auto", "answer", "ignore"))
        check_number("smoothing", self.smoothing, zero=True)
        check_number("tolerance", self.tolerance, zero=True)

    def _learn(self, signals: WeakSignals) -> tuple[FloatArray, FloatArray, FloatArray]:
        given = self.class_balance
        fixed = None if given is None else check_balance(given, signals.n_classes)
        spoken = (signals.cast > 0).reshape(signals.schema.n_columns, -1).sum(axis=1)
        rules = bool((spoken <= 1).all())
        answers = self.abstains == "answer" or (self.abstains == "auto" and rules)
        self.abstains_are_answers_ = answers
        if not answers:
            warn_if_one_sided(
                signals,
                'Use DawidSkene(abstains="answer"), ConstrainedLabeler or MajorityVote.',
            )
        counts = np.where(signals.covered_rows, signals.counts, 0.0)
        said = signals.F @ signals.schema.supports
        labels = said / np.maximum(said.sum(axis=1, keepdims=True), TINY)
        history: list[float] = []
        votes, gain = signals.cast.sum(), np.inf
        with progress("learning confusion matrices", self.max_iter) as bar:
            while len(history) < self.max_iter and gain >= self.tolerance:
                balance = positive_shares(counts @ labels if fixed is None else fixed)
                shares, silence = self._find_shares(signals, labels, answers)
                weights = np.log(np.where(shares > 0, shares, 1.0))
                if answers:  # less that of an abstain: all silence is in the bias
                    weights -= np.log(silence)[signals.schema.column] * (shares > 0)
                bias = np.log(balance) + np.log(silence).sum(axis=0)
                labels, evidence = posterior(signals.scores(weights, bias))
                history.append(float(counts @ evidence / votes))
                gain = history[-1] - history[-2] if len(history) > 1 else np.inf
                bar.advance()
        self.accuracies_ = right_shares(signals, signals.hits(labels))
        heard = np.where(signals.cast[:, None] > 0, shares, 0.0)
        self.confusion_ = by_question_and_class(heard, signals)
        self.confusion_[~self.confusion_.any(axis=(1, 2))] = np.nan
        last = f"raised the log-likelihood by {gain:.2g} per vote"
        self._keep_history(history, len(history), gain < self.tolerance, last)
        return weights, bias, balance

    def _find_shares(
        self, signals: WeakSignals, labels: FloatArray, answers: bool
    ) -> tuple[FloatArray, FloatArray]:
        """How often votes (f, k) and abstains (c, k) are cast, given the class.

        Where abstains are not answers, the second is one.
        """
        schema, cast = signals.schema, signals.cast
        if self.one_coin:
            extra = self.smoothing * (schema.n_features // schema.n_columns)
            right = schema.by_column(signals.hits(labels)) + self.smoothing
            shares = right / np.maximum(schema.by_column(cast) + extra, MIN_PROBABILITY)
            shares = np.clip(shares, MIN_PROBABILITY, 1 - MIN_PROBABILITY)
            return coin_shares(signals, shares), np.ones((schema.n_columns, 1))
        votes = signals.moments(labels)
        seen = np.maximum(votes + self.smoothing, MIN_PROBABILITY)
        seen[cast == 0] = 0.0
        total, silence = schema.by_column(seen), np.ones((schema.n_columns, 1))
        if answers:
            counts = np.where(signals.covered_rows, signals.counts, 0.0)
            silent = counts @ labels - schema.by_column(votes) + self.smoothing
            silent = np.maximum(silent, MIN_PROBABILITY)
            total = total + silent
            silence = silent / total
        return seen / np.maximum(total, TINY)[schema.column], silence


def by_question_and_class(table: FloatArray, signals: WeakSignals) -> FloatArray:
    """(c, k, v) numbers (f, k) of votes, by question, class and what is said."""
    shape = (signals.schema.n_columns, -1, table.shape[1])
    found: FloatArray = table.reshape(shape).transpose(0, 2, 1)
    return found


@dataclass(eq=False, repr=False, kw_only=True)
class OneCoinDawidSkene(DawidSkene):
    """Dawid and Skene's model with a single accuracy per signal.

    Whatever the class is, a signal is right with one probability, and every wrong class
    is as likely. With few votes per signal this is learned more surely than a whole
    confusion matrix. Signals err independently of each other.

    It takes the options of `DawidSkene`, but for `abstains`, and has the same attributes;
    `smoothing` votes count for every class.
    """

    one_coin = True
    # One coin says nothing about when a signal votes.
    abstains: Literal["auto", "answer", "ignore"] = field(default="ignore", init=False)


@dataclass(eq=False, repr=False, kw_only=True)
class DataProgramming(LearnedLabeler):
    """Data programming (Ratner et al. 2016): signals that are right at one rate each.

    Signals err independently of each other and of the class. Their accuracies are those
    under which the votes are likeliest, found by expectation and maximisation (EM).
    One-vs-rest signals: one such model per class, as in the paper, joined as if exactly
    one class were true.

    Votes do not tell how good a signal is that only ever votes one way: "all examples are
    positive" explains positive rules perfectly. Its accuracy stays at `prior_accuracy`,
    and a warning names such signals if they cast most votes.

    Parameters
    ----------
    prior_accuracy : float, array or mapping
        How often signals are right at the start: one number, or one per signal by
        position or by name.
    class_balance : (k,) array of float, optional
        Shares of the classes; default even. They are not learned.
    max_iter : int
        Rounds at most.
    tolerance : float
        Stop when no accuracy changes by more.
    ties, uncovered, answers, random_state : as for `MajorityVote`

    Attributes
    ----------
    accuracies_, error_rates_, class_balance_, n_iter_, converged_ : see `LearnedLabeler`
    history_ : array of float
        Log-likelihood of the votes that were cast, from the start on.

    References
    ----------
    A. Ratner, C. De Sa, S. Wu, D. Selsam and C. Ré, Data programming: creating large
    training sets, quickly. NeurIPS 2016.

    Examples
    --------
    >>> from corral import DataProgramming
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(5_000, [0.9, 0.8, 0.7, 0.6], coverage=0.9)
    >>> DataProgramming().fit(votes).accuracies_.round(1).tolist()
    [0.9, 0.8, 0.7, 0.6]
    """

    prior_accuracy: Any = 0.7
    max_iter: int = 500
    tolerance: float = 1e-6

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("tolerance", self.tolerance, zero=True)

    def _learn(self, signals: WeakSignals) -> tuple[FloatArray, FloatArray, FloatArray]:
        balance = check_balance(self.class_balance, signals.n_classes, positive=True)
        given = self.prior_accuracy
        given = signal_numbers("prior_accuracy", given, signals, within=True)
        prior = by_question(given, signals)
        cast = signals.schema.by_column(signals.cast)
        sided = warn_if_one_sided(signals, "Their accuracies stay at `prior_accuracy`.")
        learned = (cast > 0) & ~sided
        accuracies, change = prior, np.inf
        history: list[float] = []
        with progress("learning accuracies", self.max_iter) as bar:
            while len(history) < self.max_iter and change >= self.tolerance:
                right, evidence = self._expect(signals, balance, accuracies)
                history.append(evidence)
                new = np.where(learned, right / np.maximum(cast, TINY), accuracies)
                new = np.clip(new, MIN_ACCURACY, 1 - MIN_ACCURACY)
                change = float(np.abs(new - accuracies).max())
                accuracies = new
                bar.advance()
        history.append(self._expect(signals, balance, accuracies)[1])
        known = np.where(cast > 0, accuracies, np.nan)
        self.accuracies_ = signals.schema.by_signal(known)
        last = f"moved an accuracy by {change:.2g}"
        self._keep_history(history, len(history) - 1, change < self.tolerance, last)
        return np.log(coin_shares(signals, accuracies)), np.log(balance), balance

    def _expect(
        self, signals: WeakSignals, balance: FloatArray, accuracies: FloatArray
    ) -> tuple[FloatArray, float]:
        """Right votes (c,) expected under accuracies, and the log-likelihood of these."""
        schema, cast = signals.schema, signals.cast
        voted = signals.counts * signals.covered_rows
        if schema.names_classes:
            shares = coin_shares(signals, accuracies)
            scores = signals.scores(np.log(shares), np.log(balance))
            labels, evidence = posterior(scores)
            return schema.by_column(signals.hits(labels)), float(voted @ evidence)
        # "Yes" and "no", with one independent model per class.
        own, shares = accuracies[schema.column], balance
        if self.class_balance is None:
            shares = np.full(len(balance), 0.5)
        scores = signals.scores(scipy.special.logit(own), scipy.special.logit(shares))
        # Log-likelihood of being outside of every class, and what being inside adds.
        outside = cast @ np.log(np.where(schema.negated, own, 1 - own))
        outside += voted.sum() * np.log1p(-shares).sum()
        inside = voted @ np.logaddexp(0, scores).sum(axis=1)
        return schema.by_column(signals.hits(scipy.special.expit(scores))), float(
            outside + inside
        )
