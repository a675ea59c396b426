"""Labelers that learn nothing: counting, averaging, and votes with given weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.errors import ParameterError
from corral.labelers.base import Labeler
from corral.model import Link, LogLinear
from corral.rates import signal_numbers
from corral.votes import WeakSignals

NOTHING_LEARNED = "every example is labelled by its own votes; nothing was learned"


def _counting_model(signals: WeakSignals, link: Link, multilabel: bool) -> LogLinear:
    """A vote counts one for what it says; for a mean, a "no" counts nothing."""
    schema, k = signals.schema, signals.n_classes
    weights = np.ones(schema.n_features)
    if link == "mean":
        weights = np.where(schema.negated, 0.0, 1.0)
    prior = np.full(k, 0.5 if multilabel else 1 / k)
    return LogLinear(weights, np.zeros(k), prior, link=link, multilabel=multilabel)


@dataclass(eq=False, repr=False, kw_only=True)
class MajorityVote(Labeler):
    """The class with the most votes.

    Class votes: plurality. One-vs-rest signals: votes for less votes against. Soft
    signals are rounded first; one half is no vote. Tied winners share the probability.

    Parameters
    ----------
    multilabel : bool
        Whether an example may have any number of classes. Signals are one-vs-rest, every
        class has a vote of its own, and `predict` says 1 or 0 for each.
    ties : "first", "random" or "abstain"
        What `predict` does when classes are equally likely.
    uncovered : "abstain" or "prior"
        Whether `predict` answers where no signal votes.
    answers : "likeliest" or "balanced"
        What `predict` says: the likeliest class, or the one whose probability is largest
        when divided by the root of the share of the class. That finds more examples of rare
        classes, for a little accuracy; probabilities stay what they are.
    random_state : int, Generator or None
        For random ties.

    Examples
    --------
    >>> from corral import MajorityVote
    >>> votes = [["cat", "cat", "dog"], ["dog", None, None], [None, None, None]]
    >>> MajorityVote().fit_predict(votes).tolist()
    ['cat', 'dog', None]
    """

    uses_hard_votes = True
    note_ = NOTHING_LEARNED

    def _find_model(self, signals: WeakSignals) -> LogLinear:
        return _counting_model(signals, "plurality", self.multilabel)


@dataclass(eq=False, repr=False, kw_only=True)
class Averaging(Labeler):
    """Mean probability over the signals that vote on an entry.

    Entries that no signal votes on share what the others leave.

    Parameters
    ----------
    multilabel, ties, uncovered, answers, random_state : as for `MajorityVote`

    Examples
    --------
    >>> import numpy as np
    >>> from corral import Averaging, WeakSignals
    >>> signals = WeakSignals.from_probabilities([[0.9, 0.6], [0.2, np.nan]])
    >>> Averaging().fit(signals).labels_.round(2).tolist()
    [[0.25, 0.75], [0.8, 0.2]]
    """

    note_ = NOTHING_LEARNED

    def _find_model(self, signals: WeakSignals) -> LogLinear:
        return _counting_model(signals, "mean", self.multilabel)


@dataclass(eq=False, repr=False, kw_only=True)
class WeightedVote(Labeler):
    """Every vote adds the weight of its signal, in log-odds.

    The best rule for independent signals whose accuracies are known. A class
    vote of a signal with accuracy ``a`` weighs ``log(a (k - 1) / (1 - a))``; "yes" of a
    one-vs-rest signal weighs ``log(a / (1 - a))``, and "no" the same against the class.
    Soft signals vote for every class in proportion to its probability.

    Parameters
    ----------
    weights : float, array (m,), array (m, k) or mapping, optional
        Weight of the votes of every signal (and class, for one-vs-rest signals): one
        number for all, one per signal by position or by name. Negative: votes count
        against what they say.
    accuracies : float, array or mapping, optional
        How often every signal is right, instead of weights.
    multilabel, ties, uncovered, answers, random_state : as for `MajorityVote`

    Attributes
    ----------
    weights_ : (m,) or (m, k) array of float
        Weights in log-odds.

    Examples
    --------
    >>> from corral import WeightedVote
    >>> votes = [["cat", "dog", "dog"], ["cat", None, "dog"]]
    >>> labeler = WeightedVote(accuracies=[0.9, 0.6, 0.7]).fit(votes)
    >>> labeler.labels_.round(2).tolist()
    [[0.72, 0.28], [0.79, 0.21]]
    """

    saved_attributes = ("weights_",)
    note_ = "votes count as their weights say; nothing was learned"

    weights: Any = field(default=None, kw_only=False)
    accuracies: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if (self.weights is None) is (self.accuracies is None):
            raise ParameterError(
                "give weights= or accuracies= of the signals, one of the two."
            )

    def _find_model(self, signals: WeakSignals) -> LogLinear:
        k = signals.n_classes
        if self.accuracies is None:
            self.weights_ = signal_numbers("weights", self.weights, signals)
        else:
            right = signal_numbers("accuracies", self.accuracies, signals, within=True)
            others = k - 1 if signals.schema.names_classes else 1
            self.weights_ = np.log(right * others / (1 - right))
        each = by_question(self.weights_, signals)[signals.schema.column]
        prior = np.full(k, 0.5 if self.multilabel else 1 / k)
        return LogLinear(each, np.zeros(k), prior, multilabel=self.multilabel)


def by_question(numbers: FloatArray, signals: WeakSignals) -> FloatArray:
    """(c,) a number per question, from one per signal or one per signal and class."""
    questions = signals.schema.n_columns // signals.n_signals
    if numbers.ndim == 1:
        return np.repeat(numbers, questions)
    return numbers.ravel()
