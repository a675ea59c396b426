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
from numpy.typing import ArrayLike
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from corral._types import BoolArray, FloatArray
from corral.checks import (
    check_choice,
    check_flag,
    check_number,
    check_positive,
    require_votes,
)
from corral.errors import ConvergenceWarning, SignalsWarning, warn_user
from corral.labelers.base import Labeler
from corral.labelers.multilabel import fit_classes, join_classes
from corral.labelers.simple import by_question, signal_numbers
from corral.model import LogLinear, posterior
from corral.progress import progress
from corral.rates import check_balance
from corral.votes import WeakSignals

MIN_SIGNALS = 3
"""Two signals that disagree do not say which of them is wrong."""
COLLAPSED_SHARE = 0.995
"""Share of the examples in one class from which labels may say nothing."""
CONTRARY_SHARE = 0.1
"""Share of the votes for other classes from which that is a collapse."""
MOST_VOTES = 0.5
"""Share of the votes from which one-sided signals are worth a warning."""
MIN_PROBABILITY = 1e-10
"""Least probability of a vote given the class."""
MIN_ACCURACY = 1e-6
"""Accuracies of data programming are kept this far from 0 and 1."""
TINY = 1e-300


@dataclass(frozen=True)
class Learned:
    """What a method found out about the votes.

    Attributes
    ----------
    weights : (f, k) array of float, or (f,)
        As for `LogLinear`.
    balance : (k,) array of float
        Shares of the classes, the labels of examples without votes.
    accuracies : (c,) array of float
        How often every question is answered right; NaN where it never is.
    history : (rounds,) array of float
        What was maximised or minimised, from the start on.
    iterations : int
    converged : bool
    bias : (k,) array of float, optional
        The log-odds of the classes before any vote, where they are not those of the
        balance.
    """

    weights: FloatArray
    balance: FloatArray
    accuracies: FloatArray
    history: FloatArray
    iterations: int
    converged: bool
    bias: FloatArray | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class LearnedLabeler(Labeler):
    """Base of labelers that learn how good signals are from votes alone.

    A subclass implements `_learn`. With more distinct rows of votes than `max_patterns`,
    it gets a sample of so many examples.

    Attributes
    ----------
    accuracies_ : (m,) array of float, or (m, k) for one-vs-rest signals
        How often every signal is right, by the model; NaN where it never votes.
    error_rates_ : array of float of the same shape
        The rest to one.
    class_balance_ : (k,) array of float
        Shares of the classes, the labels of examples without votes.
    n_iter_ : int
        Rounds or steps taken.
    converged_ : bool
        Whether more of them would change nothing.
    history_ : array of float
        What was maximised or minimised, from the start on; multi-label: one class after
        the other.
    """

    uses_hard_votes = True
    saved_attributes: ClassVar[tuple[str, ...]] = (
        "accuracies_",
        "class_balance_",
        "n_iter_",
        "converged_",
        "history_",
    )
    numbers_of_signals: ClassVar[tuple[str, ...]] = ()
    """Options that have one number per signal, or one per signal and class."""

    class_balance: ArrayLike | None = None
    max_patterns: int = 5_000_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("max_patterns", self.max_patterns)

    @abstractmethod
    def _learn(self, signals: WeakSignals) -> Learned:
        """Find the weights of hard votes."""

    def _find_model(self, signals: WeakSignals) -> LogLinear:
        if self.multilabel:
            return self._find_by_class(signals)
        if signals.n_rows > self.max_patterns:
            signals = signals.sample(self.max_patterns, self._fixed_rng())
        cast = signals.schema.by_column(signals.cast)
        require_votes(cast.any())
        if (cast > 0).sum() < MIN_SIGNALS:
            warn_user(
                f"fewer than {MIN_SIGNALS} signals vote, so nothing says which of them is "
                "wrong where they disagree; what is learned of them is arbitrary. "
                "MajorityVote, or ConstrainedLabeler with given error rates, takes any "
                "number.",
                SignalsWarning,
            )
        found = self._learn(signals)
        bias = np.log(found.balance) if found.bias is None else found.bias
        heard = (signals.cast > 0).astype(float)
        model = LogLinear(found.weights, bias, found.balance, voice=heard)
        _warn_of_collapse(signals, model)
        self.accuracies_ = signals.schema.by_signal(found.accuracies)
        self.class_balance_, self.history_ = found.balance, found.history
        self.n_iter_, self.converged_ = found.iterations, found.converged
        return model

    def _find_by_class(self, signals: WeakSignals) -> LogLinear:
        k, balance = signals.n_classes, None
        if self.class_balance is not None:
            balance = check_balance(self.class_balance, k, multilabel=True)

        def find(at: int, view: WeakSignals) -> tuple[Any, LogLinear]:
            own: dict[str, Any] = {"multilabel": False}
            for name in self.numbers_of_signals:
                given = signal_numbers(name, getattr(self, name), signals)
                speakers = signals.speakers(at)
                own[name] = given[speakers] if given.ndim == 1 else given[speakers, at]
            if balance is not None:
                own["class_balance"] = [1 - balance[at], balance[at]]
            alone = clone(self).set_params(**own)
            return alone, alone._find_model(view)

        fits = fit_classes(signals, find)
        model = join_classes(signals, fits, balance)
        labels = model.row_labels(signals)
        self.accuracies_ = 1 - signals.error_rates(labels)
        self.class_balance_ = np.full(k, 0.5)
        each = [fit.found for fit in fits]
        for fit in fits:
            self.class_balance_[fit.position] = fit.found.class_balance_[1]
        self.n_iter_ = max(one.n_iter_ for one in each)
        self.converged_ = all(one.converged_ for one in each)
        self.history_ = np.concatenate([one.history_ for one in each])
        self._take(each)
        return model

    def _take(self, each: list[Any]) -> None:
        """Keep what else the labelers of the classes learned."""

    @property
    def error_rates_(self) -> FloatArray:
        """How often every signal is wrong, by the model."""
        check_is_fitted(self)
        return 1 - self.accuracies_

    @property
    def note_(self) -> str:
        check_is_fitted(self)
        end = "settled" if self.converged_ else "stopped before they settled"
        return f"accuracies learned from the votes, {end} after {self.n_iter_} rounds"


def one_sided(signals: WeakSignals) -> tuple[BoolArray, float]:
    """(c,) which questions only ever get one answer, and their share of the votes."""
    table = signals.cast.reshape(signals.schema.n_columns, -1)
    sided: BoolArray = (table > 0).sum(axis=1) == 1
    return sided, float(table[sided].sum() / table.sum())


def list_names(signals: WeakSignals, columns: BoolArray, most: int = 5) -> str:
    """The first few signals among the questions, to be read by a person."""
    per_signal = signals.schema.n_columns // signals.n_signals
    found = list(dict.fromkeys((np.flatnonzero(columns) // per_signal).tolist()))
    shown = ", ".join(signals.names[i] for i in found[:most])
    return shown + (", ..." if len(found) > most else "")


def _warn_of_collapse(signals: WeakSignals, model: LogLinear) -> None:
    """Tell the user if nearly all examples ended in a class that votes contradict."""
    schema, voted = signals.schema, signals.covered_rows
    counts = signals.counts[voted]
    shares = counts @ model.row_labels(signals)[voted] / counts.sum()
    k = int(shares.argmax())
    said = signals.cast @ schema.shares
    contrary = 1 - said[k] / said.sum()
    sided, share = one_sided(signals)
    if shares[k] < COLLAPSED_SHARE or contrary < CONTRARY_SHARE or share < MOST_VOTES:
        return
    warn_user(
        f"the labels collapsed: {shares[k]:.1%} of the examples are "
        f"{signals.classes[k]!s}, though {contrary:.0%} of the votes say otherwise. "
        f"{int(sided.sum())} of {schema.n_columns} signals only ever say one thing; one "
        "class for all explains them perfectly, and nothing in the votes is against "
        "it. Use ConstrainedLabeler, MeTaL or MajorityVote for such signals.",
        SignalsWarning,
    )


def positive_shares(shares: FloatArray) -> FloatArray:
    """Shares (k,) of the classes, none of them zero."""
    shares = np.maximum(shares / shares.sum(), MIN_PROBABILITY)
    return shares / shares.sum()


def coin_weights(signals: WeakSignals, accuracies: FloatArray) -> FloatArray:
    """(f,) weights of votes that are right with one probability per question (c,).

    All wrong answers are as likely.
    """
    schema = signals.schema
    right = accuracies[schema.column]
    wrong = (1 - right) / (schema.n_features // schema.n_columns - 1)
    return np.log(right / wrong)


def _share_of_votes(signals: WeakSignals) -> FloatArray:
    """(u, k) shares of the votes for every class, where there are any."""
    said = signals.F @ signals.schema.supports
    return said / np.maximum(said.sum(axis=1, keepdims=True), TINY)


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
    multilabel, ties, uncovered, answers
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
        "_confusion_",
    )
    one_coin: ClassVar[bool] = False

    abstains: Literal["auto", "answer", "ignore"] = "auto"
    smoothing: float = 0.01
    max_iter: int = 100
    tolerance: float = 1e-5

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("abstains", self.abstains, ("auto", "answer", "ignore"))
        check_positive("max_iter", self.max_iter)
        check_number("smoothing", self.smoothing, zero=True)
        check_number("tolerance", self.tolerance, zero=True)

    def _learn(self, signals: WeakSignals) -> Learned:
        fixed = None
        if self.class_balance is not None:
            fixed = check_balance(self.class_balance, signals.n_classes)
        sided, share = one_sided(signals)
        voted = signals.schema.by_column(signals.cast) > 0
        rules = bool(sided[voted].all())
        answers = self.abstains == "answer" or (self.abstains == "auto" and rules)
        self.abstains_are_answers_ = answers
        if not answers and not self.one_coin and share >= MOST_VOTES:
            warn_user(
                f"{share:.0%} of the votes are of signals that only ever say one thing "
                f"({list_names(signals, sided)}). Such a vote is as likely whatever the "
                "class is, to this model, so it tells nothing, and the labels are of "
                'little worth. Give `DawidSkene(abstains="answer")`, or take '
                "ConstrainedLabeler, MeTaL or MajorityVote.",
                SignalsWarning,
            )
        counts = np.where(signals.covered_rows, signals.counts, 0.0)
        labels = _share_of_votes(signals)
        history: list[float] = []
        votes, gain = signals.cast.sum(), np.inf
        with progress("learning confusion matrices", self.max_iter) as bar:
            while len(history) < self.max_iter and gain >= self.tolerance:
                shares = counts @ labels if fixed is None else fixed
                balance = positive_shares(shares)
                if self.one_coin:
                    weights, silence = self._coins(signals, labels)
                else:
                    weights, silence = self._confusions(
                        signals, labels, counts, answers
                    )
                bias = np.log(balance) + silence
                labels, evidence = posterior(signals.scores(weights, bias))
                if self.one_coin:  # weights are less the logarithm of a wrong vote
                    evidence = evidence + self._wrong(signals)
                history.append(float(counts @ evidence / votes))
                gain = history[-1] - history[-2] if len(history) > 1 else np.inf
                bar.advance()
        if gain >= self.tolerance:
            warn_user(
                f"{type(self).__name__} had not settled after {self.max_iter} "
                f"rounds; the last raised the log-likelihood by {gain:.2g} per vote. "
                "Give a larger `max_iter`.",
                ConvergenceWarning,
            )
        right = signals.schema.by_column(signals.hits(labels))
        cast = signals.schema.by_column(signals.cast)
        never = np.full(len(cast), np.nan)
        return Learned(
            weights,
            balance,
            np.divide(right, cast, out=never, where=cast > 0),
            np.array(history),
            iterations=len(history),
            converged=gain < self.tolerance,
            bias=bias,
        )

    def _confusions(
        self,
        signals: WeakSignals,
        labels: FloatArray,
        counts: FloatArray,
        answers: bool,
    ) -> tuple[FloatArray, FloatArray]:
        """Weights (f, k) of votes under labels, and what it adds that all abstain (k,).

        Log-probabilities given the class; where abstains are answers, less that of an
        abstain, so that the sum over all signals is there once and votes correct it.
        """
        schema, k = signals.schema, labels.shape[1]
        voted = signals.cast > 0
        votes = signals.moments(labels)
        seen = np.where(
            voted[:, None], np.maximum(votes + self.smoothing, MIN_PROBABILITY), 0
        )
        total = schema.by_column(seen)
        log_seen = np.log(np.where(voted[:, None], seen, 1.0))
        if not answers:
            weights = log_seen - np.log(np.maximum(total, TINY))[schema.column]
            self._confusion_ = _by_class(
                np.where(voted[:, None], np.exp(weights), 0), schema
            )
            return np.where(voted[:, None], weights, 0.0), np.zeros(k)
        cast = schema.by_column(votes)
        silent = np.maximum(counts @ labels - cast + self.smoothing, MIN_PROBABILITY)
        speaks = schema.by_column(signals.cast) > 0
        ever = np.where(speaks[:, None], silent / (total + silent), 1.0)
        weights = np.where(
            voted[:, None], log_seen - np.log(silent)[schema.column], 0.0
        )
        share = np.where(voted[:, None], seen / (total + silent)[schema.column], 0.0)
        self._confusion_ = _by_class(share, schema)
        return weights, np.log(ever).sum(axis=0)

    def _coins(
        self, signals: WeakSignals, labels: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Weights (f,) of votes that are right with one probability per question."""
        schema = signals.schema
        right = schema.by_column(signals.hits(labels))
        values = schema.n_features // schema.n_columns
        cast = schema.by_column(signals.cast) + self.smoothing * values
        accuracy = (right + self.smoothing) / np.maximum(cast, MIN_PROBABILITY)
        self._accuracy = np.clip(accuracy, MIN_PROBABILITY, 1 - MIN_PROBABILITY)
        own = self._accuracy[schema.column][:, None]
        table = np.where(schema.supports > 0, own, (1 - own) / (values - 1))
        self._confusion_ = _by_class(table, schema)
        return coin_weights(signals, self._accuracy), np.zeros(signals.n_classes)

    def _wrong(self, signals: WeakSignals) -> FloatArray:
        """(u,) the log-probability of the votes on a row, were they all wrong."""
        schema = signals.schema
        others = schema.n_features // schema.n_columns - 1
        each = np.log((1 - self._accuracy) / others)[schema.column]
        # "No" is right for all other classes: its weight was taken off the one it denies.
        each = each + np.where(
            schema.negated, coin_weights(signals, self._accuracy), 0.0
        )
        found: FloatArray = signals.F @ each
        return found

    def _take(self, each: list[Any]) -> None:
        self.abstains_are_answers_ = any(one.abstains_are_answers_ for one in each)
        self._confusion_ = np.empty((0, 0, 0))

    @property
    def confusion_(self) -> FloatArray:
        """(m, k, v) how often every signal casts a vote, given the class.

        Class votes: v is the class said. Where abstains are answers, a line adds up to
        how often the signal votes. One-vs-rest signals: a matrix for every signal and
        class, with the votes "no" and "yes". A signal that never votes has NaN.
        """
        check_is_fitted(self)
        if not self._confusion_.size:
            raise AttributeError(
                "what votes are worth is pooled over the classes of a multi-label task, so "
                "there are no confusions; see accuracies_, one per signal and class."
            )
        table: FloatArray = self._confusion_.copy()
        table[~table.any(axis=(1, 2))] = np.nan
        return table


def _by_class(table: FloatArray, schema: Any) -> FloatArray:
    """(c, k, v) numbers (f, k) of votes, by question, class and what is said."""
    shape = (schema.n_columns, -1, table.shape[1])
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

    Examples
    --------
    >>> from corral import OneCoinDawidSkene
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(5_000, [0.9, 0.8, 0.7, 0.6], coverage=0.9)
    >>> labeler = OneCoinDawidSkene().fit(votes)
    >>> labeler.confusion_[0].round(1).tolist()
    [[0.9, 0.1], [0.1, 0.9]]
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
    max_patterns, multilabel, ties, uncovered, answers, random_state
        As for `DawidSkene`.

    Attributes
    ----------
    accuracies_ : (m,) array of float, or (m, k) for one-vs-rest signals
    class_balance_ : (k,) array of float
    n_iter_, converged_
        Rounds taken, and whether they settled.
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

    def _learn(self, signals: WeakSignals) -> Learned:
        balance = check_balance(self.class_balance, signals.n_classes, positive=True)
        given = signal_numbers(
            "prior_accuracy", self.prior_accuracy, signals, within=True
        )
        prior = by_question(given, signals)
        cast = signals.schema.by_column(signals.cast)
        held = cast == 0
        if self.hold_one_sided:
            sided, share = one_sided(signals)
            held |= sided
            if share >= MOST_VOTES:
                warn_user(
                    f"{share:.0%} of the votes are of signals that only ever vote one way "
                    f"({list_names(signals, sided)}), so votes do not say how often they "
                    "are right, and one class for all would explain them perfectly. Their "
                    "accuracies stay at `prior_accuracy`; `hold_one_sided=False` learns "
                    "them all the same.",
                    SignalsWarning,
                )
        size, extra = cast + self.prior_votes, self.prior_votes * prior
        accuracies, change = prior, np.inf
        history: list[float] = []
        with progress("learning accuracies", self.max_iter) as bar:
            while len(history) < self.max_iter and change >= self.tolerance:
                right, evidence = self._expect(signals, balance, accuracies)
                history.append(evidence)
                shares = (right + extra) / np.maximum(size, TINY)
                new = np.where(held, accuracies, shares)
                new = np.clip(new, MIN_ACCURACY, 1 - MIN_ACCURACY)
                change = float(np.abs(new - accuracies).max())
                accuracies = new
                bar.advance()
        history.append(self._expect(signals, balance, accuracies)[1])
        if change >= self.tolerance:
            warn_user(
                f"DataProgramming had not settled after {self.max_iter} rounds; "
                f"the last moved an accuracy by {change:.2g}. Give a larger `max_iter`.",
                ConvergenceWarning,
            )
        return Learned(
            coin_weights(signals, accuracies),
            balance,
            np.where(cast == 0, np.nan, accuracies),
            np.array(history),
            iterations=len(history) - 1,
            converged=change < self.tolerance,
        )

    def _expect(
        self, signals: WeakSignals, balance: FloatArray, accuracies: FloatArray
    ) -> tuple[FloatArray, float]:
        """Right votes (c,) expected under accuracies, and the log-likelihood of these."""
        schema, counts = signals.schema, signals.counts
        own = accuracies[schema.column]
        cast = signals.cast
        if schema.names_classes:
            others = schema.n_features // schema.n_columns - 1
            scores = signals.scores(coin_weights(signals, accuracies), np.log(balance))
            labels, evidence = posterior(scores)
            wrong = cast @ np.log((1 - own) / others)
            voted = counts * signals.covered_rows
            return schema.by_column(signals.hits(labels)), float(
                voted @ evidence + wrong
            )
        # "Yes" and "no", with one independent model per class.
        shares = balance
        if self.class_balance is None:
            shares = np.full(len(balance), 0.5)
        scores = signals.scores(logit(own), logit(shares))
        # Log-likelihood of being outside of every class, and what being inside adds.
        outside = cast @ np.log(np.where(schema.negated, own, 1 - own))
        voted = counts * signals.covered_rows
        outside += voted.sum() * np.log1p(-shares).sum()
        inside = voted @ np.logaddexp(0, scores).sum(axis=1)
        return schema.by_column(signals.hits(expit(scores))), float(outside + inside)
