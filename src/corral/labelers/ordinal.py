"""Classes that have an order, such as one to five stars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from corral._types import FloatArray, IntArray
from corral.checks import check_number, check_positive
from corral.error_rates.auto import ANCHOR, FLOOR, TEMPERING
from corral.error_rates.independence import find_evidence, find_independence
from corral.error_rates.rates import column_errors
from corral.error_rates.vote_features import VoteFeatures, softmax
from corral.errors import (
    ConvergenceWarning,
    ParameterError,
    SignalsWarning,
    warn_user,
)
from corral.labelers.dawid_skene import positive_shares
from corral.labelers.graded_confusions import find_confusions, find_yes_shares
from corral.labelers.learned_labeler import LearnedLabeler, LearnedWeights
from corral.labelers.ordinal_summary import OrdinalSummary, summarise_grades
from corral.labelers.probabilities import check_balance
from corral.model import Model
from corral.progress import progress
from corral.signals import WeakSignals


@dataclass(eq=False, repr=False, kw_only=True)
class OrdinalLabeler(LearnedLabeler):
    """Raters who grade: mistakes among neighbouring classes are the likelier ones.

    A rater has a confusion matrix, as in `DawidSkene`. Raters are sharper or vaguer, more
    severe or more lenient variants of what all have in common, and as far as their own
    votes say otherwise, these are believed; so raters with few votes are learned, too. As
    the default does, it stays near the vote, and is less sure of its labels, as far as
    votes show that raters err together.

    Parameters
    ----------
    order : sequence of class values, optional
        From the lowest to the highest; default: that of the classes. Those are sorted
        unless they were listed, so text wants either of the two.
    class_balance : (k,) array of float, optional
        Shares of the classes, kept fixed; default: learned.
    max_iter : int
        Rounds at most.
    tolerance : float
        Stop where a round changes labels by less on average.
    max_patterns : int
        With more distinct rows of votes, learn from a sample of so many examples.
    ties, uncovered
        As for `MajorityVote`.
    random_state : int, optional
        For random ties and that sample.

    Attributes
    ----------
    confusion_ : (m, k, k) array of float
        ``confusion_[i, c, v]``: how often signal i says v where the class is c, classes as
        in `classes_`. One-vs-rest signals: (c, k, 2), "no" and "yes" of every column.
    biases_ : (m,) array of float
        By how many grades a signal is above the truth on average.
    independence_ : float
        How far votes show that raters err independently, from 0 to 1.
    accuracies_, class_balance_, n_iter_, converged_
        As for `DawidSkene`.
    history_ : array of float
        Mean change of a label, by round.

    Examples
    --------
    >>> from corral import OrdinalLabeler
    >>> votes = [[1, 2, 1], [3, 4, 3], [5, 5, 4], [2, 3, 2], [4, 4, 4], [1, 1, 1]] * 9
    >>> labeler = OrdinalLabeler().fit(votes)
    >>> labeler.predict(votes)[:6].tolist()
    [1, 3, 5, 2, 4, 1]
    >>> found = labeler.summarise(votes[:2])
    >>> found.mean.round(1).tolist(), found.low.tolist(), found.high.tolist()
    ([1.2, 3.1], [1, 3], [2, 4])
    """

    saved_attributes: ClassVar[tuple[str, ...]] = (
        *LearnedLabeler.saved_attributes,
        "confusion_",
        "independence_",
    )

    order: Sequence[Any] | None = None
    max_iter: int = 100
    tolerance: float = 1e-4

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("max_iter", self.max_iter)
        check_number("tolerance", self.tolerance, zero=True)
        if self.multilabel:
            raise ParameterError(
                "is for classes without order; an example has one grade.",
                parameter="multilabel",
            )

    def _find_model(self, signals: WeakSignals, weights: FloatArray | None) -> Model:
        self._ranks(signals.classes)  # refused before anything is learned
        if self.order is None and _is_alphabetical(signals.classes):
            # It may be that someone listed them so: nothing here tells.
            warn_user(
                "the classes are text in alphabetical order, and taken to rise from "
                f"{signals.classes[0]!s} to {signals.classes[-1]!s}. If they do not, list "
                f"them from the lowest to the highest with `classes=`; "
                "`OrdinalLabeler(order=...)` says that they do.",
                SignalsWarning,
            )
        model: Any = super()._find_model(signals, weights)
        held = 1 - self.independence_
        return replace(model, tempering=TEMPERING * held, floor=FLOOR * held)

    def _learn(
        self, signals: WeakSignals, features: VoteFeatures, _: float
    ) -> LearnedWeights:
        fixed = None
        if self.class_balance is not None:
            fixed = positive_shares(
                check_balance(self.class_balance, signals.n_classes)
            )
        ranks = self._ranks(signals.classes)
        said = features.matrix @ features.member
        vote = said / said.sum(axis=1, keepdims=True)
        free = self._settle(features, ranks, vote, fixed, 0.0)
        every = np.ones(features.n_columns)
        evidence = find_evidence(features, every)
        self.independence_ = 0.0
        if evidence > 0:
            self.independence_ = evidence * find_independence(
                features, free.labels, every
            )
        held = 1 - self.independence_
        found = self._settle(features, ranks, vote, fixed, ANCHOR * held)
        self.confusion_ = found.confusion
        if found.history[-1] >= self.tolerance:
            warn_user(
                f"`OrdinalLabeler` had not settled after {self.max_iter} rounds; "
                f"the last changed labels by {found.history[-1]:.2g} on average. "
                "Give a larger `max_iter`.",
                ConvergenceWarning,
            )
        return LearnedWeights(
            found.weights,
            found.balance,
            1 - column_errors(features, found.labels),
            np.array(found.history),
            iterations=len(found.history),
            converged=found.history[-1] < self.tolerance,
        )

    def _settle(
        self,
        features: VoteFeatures,
        ranks: IntArray,
        vote: FloatArray,
        fixed: FloatArray | None,
        anchor: float,
    ) -> Settled:
        """Confusions and labels in turn; `anchor` of the labels stays that of the vote."""
        labels, history = vote, [np.inf]
        with progress("learning confusion matrices", self.max_iter) as bar:
            while len(history) <= self.max_iter and history[-1] >= self.tolerance:
                used = anchor * vote + (1 - anchor) * labels
                shares = features.counts @ used
                balance = positive_shares(shares) if fixed is None else fixed
                confusion = _confuse(features, used, ranks)
                weights = np.log(confusion[features.column, :, features.vote])
                new = softmax(features.matrix @ weights + np.log(balance))
                change = features.counts @ np.abs(new - labels).max(axis=1)
                history.append(float(change / features.counts.sum()))
                labels = new
                bar.advance()
        return Settled(labels, weights, balance, confusion, history[1:])

    def _ranks(self, classes: NDArray[Any]) -> IntArray:
        """(k,) the place of every class in the order."""
        named = classes.tolist()
        order = named if self.order is None else list(self.order)
        if sorted(map(str, order)) != sorted(map(str, named)):
            raise ParameterError(
                f"must list every class once, of {named}; {order} was given.",
                parameter="order",
            )
        place = {str(value): at for at, value in enumerate(order)}
        return np.array([place[str(value)] for value in named])

    @property
    def biases_(self) -> FloatArray:
        """(m,) by how many grades a signal is above the truth on average."""
        check_is_fitted(self)
        if not self._like_.names_classes:
            raise AttributeError(
                "signals about one class at a time give no grade, so they have no bias."
            )
        ranks = self._ranks(self.classes_)
        said: FloatArray = self.confusion_ @ ranks - ranks
        return said @ self.class_balance_

    def summarise(self, signals: Any = None, level: float = 0.9) -> OrdinalSummary:
        """Mean and median grade of every example, and the grades that it may have.

        Parameters
        ----------
        signals : as for `fit`, optional
            Default: those fitted on.
        level : float
            Probability that the true grade is from `low` to `high`, at least.
        """
        labels = self.labels_ if signals is None else self.predict_proba(signals)
        return self._summarise(labels, level)

    def grade_columns(self, labels: FloatArray) -> dict[str, NDArray[Any]]:
        """What a table of labels (n, k) has beside them."""
        found = self._summarise(labels, 0.9)
        names = ("mean", "median", "low", "high")
        return {name: getattr(found, name) for name in names}

    def _summarise(self, labels: FloatArray, level: float) -> OrdinalSummary:
        order = np.argsort(self._ranks(self.classes_))
        return summarise_grades(labels[:, order], self.classes_[order], level)


@dataclass(frozen=True)
class Settled:
    """What rounds of confusions and labels ended in."""

    labels: FloatArray
    weights: FloatArray
    balance: FloatArray
    confusion: FloatArray
    history: list[float]


def _confuse(features: VoteFeatures, labels: FloatArray, ranks: IntArray) -> FloatArray:
    """Confusions of all columns under labels (p, k), by class."""
    by_class = features.weighted @ labels
    c, k = features.n_columns, features.n_classes
    order = np.argsort(ranks)
    if (features.about >= 0).any():
        counts = np.zeros((c, k, 2))
        counts[features.column, :, features.vote] = by_class[:, order]
        return find_yes_shares(counts, ranks[features.about])[:, ranks]
    counts = np.zeros((c, k, k))
    counts[features.column, :, ranks[features.vote]] = by_class[:, order]
    return find_confusions(counts)[:, ranks][:, :, ranks]


def _is_alphabetical(classes: NDArray[Any]) -> bool:
    named = classes.tolist()
    return (
        classes.dtype.kind not in "biuf" and len(named) > 2 and named == sorted(named)
    )
