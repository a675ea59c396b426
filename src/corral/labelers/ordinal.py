"""Classes that have an order, such as one to five stars.

All raters together show how a grade is mistaken for others, ``Q(v | c)``; where votes are
few, neighbouring grades are the likelier mistakes. A rater is a member of a family around
it, sharper or vaguer, more severe or more lenient than the others:

    P(v | c)  in proportion to  Q(v | c)^sharpness exp( bias (v - c) )

How common every sharpness and bias is, is learned from all raters, so a rater with few
votes is like the others. The votes of a rater who is not of this family correct it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from corral._types import FloatArray
from corral.checks import check_number, check_share
from corral.constraints.system import read_example_facts
from corral.errors import SignalsError, SignalsWarning, warn_user
from corral.labelers.em import (
    LearnedLabeler,
    by_question_and_class,
    positive_shares,
    right_shares,
)
from corral.model import LogLinear, softmax
from corral.progress import progress
from corral.rates import Accuracy, check_balance
from corral.rates.default import CORRELATION, FLOOR
from corral.rates.from_labels import learn_from
from corral.results import Part, Result, Table
from corral.votes import WeakSignals

ANCHOR = 0.5
"""Part of the labels, while confusions are learned, that stays that of the vote."""
SHARPNESS = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.35, 1.8, 2.5])
"""Zero is a rater who does not look; one is like the others."""
BIASES = np.array([-1.5, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0, 1.5])
"""In log-odds per grade; above zero is lenient."""
MEMBER_VOTES = np.geomspace(1, 300, 12)
"""Votes, per true grade, that membership in the family may be worth."""
NEIGHBOURS = 1.0
"""Log-odds per grade by which mistakes get rarer, before any vote was seen."""
PRIOR_VOTES = 5.0
"""Votes, per true grade, that this is worth."""
MIN_VOTE_SHARE = 1e-6
"""Least probability of a vote given the grade."""
FAMILY_ROUNDS = 3
"""Updates of how common members of the family are, each time."""
ROUNDING = 1e-9


@dataclass(eq=False, repr=False, kw_only=True)
class OrdinalLabeler(LearnedLabeler):
    """Raters who grade: mistakes among neighbouring classes are likelier than others.

    The classes have an order, from the lowest to the highest. Numbers are sorted; list text
    in order: ``WeakSignals.from_votes(votes, classes=["bad", "fair", "good"])``.

    A rater has a confusion matrix, as in `DawidSkene`: a sharper or vaguer, more severe or
    more lenient variant of what all raters have in common, corrected by the rater's own
    votes. Labels stay near the vote, and are less sure than they would be of votes that
    err independently.

    Parameters
    ----------
    class_balance : (k,) array of float, optional
        Shares of the classes, kept fixed until true labels move them; default: learned.
    max_iter : int
        Rounds at most.
    tolerance : float
        Stop where a round changes labels by less on average.
    ties, uncovered, answers, random_state : as for `MajorityVote`

    Attributes
    ----------
    confusion_ : (m, k, k) array of float
        ``confusion_[i, c, v]``: how often signal i says v where the class is c.
    biases_ : (m,) array of float
        By how many grades a signal is above the truth on average.
    accuracies_, error_rates_, class_balance_, n_iter_, converged_ : see `LearnedLabeler`
    history_ : array of float
        Mean change of a label, by round.
    accuracy_ : Accuracy or None
        How often labels are right on examples with a true label that were left out.

    Examples
    --------
    >>> from corral import OrdinalLabeler
    >>> votes = [[1, 2, 1], [3, 4, 3], [5, 5, 4], [2, 3, 2], [4, 4, 4], [1, 1, 1]] * 9
    >>> labeler = OrdinalLabeler().fit(votes)
    >>> labeler.predict(votes)[:6].tolist()
    [1, 3, 5, 2, 4, 1]
    >>> found = labeler.summarise(votes[:2])
    >>> found.mean.round(1).tolist(), found.low.tolist(), found.high.tolist()
    ([1.1, 3.1], [1, 3], [2, 4])
    """

    saved_attributes = (*LearnedLabeler.saved_attributes, "accuracy_", "confusion_")
    stored_types = (LogLinear, Accuracy)

    tolerance: float = 1e-4

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("tolerance", self.tolerance, zero=True)

    def fit(
        self,
        signals: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        gold: Any = None,
    ) -> Self:
        """Learn from signals, and from the true grades of some examples if there are any.

        `gold` is as for `ConstrainedLabeler.fit`: its examples keep their grades. Labels
        that the votes alone give are the reference, and the labels of all other examples
        are the nearest to it under what the labelled examples show, as in `FromLabels`.
        """
        return self._fit(signals, y, sample_weight, gold=gold)

    def _find_model(self, signals: WeakSignals, gold: Any = None) -> LogLinear:
        if not signals.schema.names_classes:
            raise SignalsError(
                "OrdinalLabeler takes signals that give a grade; these are one-vs-rest."
            )
        named = signals.classes.tolist()
        text = signals.classes.dtype.kind not in "biuf"
        if text and len(named) > 2 and named == sorted(named):
            warn_user(
                "the classes are text in alphabetical order, and are taken to rise from "
                f"{named[0]!s} to {named[-1]!s}. If they do not, list them from the lowest "
                "to the highest with `classes=`.",
                SignalsWarning,
            )
        self.accuracy_ = None
        model = super()._find_model(signals)
        model = replace(model, tempering=CORRELATION, floor=FLOOR)
        if gold is None:
            return model
        learned = learn_from(model, signals, gold, model.voice)
        facts = read_example_facts((), signals, gold)
        votes = signals if facts is None else signals.split_by(facts.key)
        labels = learned.model.row_labels(votes)
        labels = self._keep_labels(learned.model, votes, labels, facts)
        seen = by_question_and_class(votes.moments(labels), votes)
        self.confusion_ = find_confusions(seen)
        self.accuracies_ = right_shares(votes, votes.hits(labels))
        self.class_balance_ = positive_shares(votes.counts @ labels)
        self.accuracy_ = learned.accuracy
        return learned.model

    def _learn(self, signals: WeakSignals) -> tuple[FloatArray, FloatArray, FloatArray]:
        given = self.class_balance
        fixed = None if given is None else check_balance(given, signals.n_classes)
        said = signals.F @ signals.schema.supports
        vote = said / np.maximum(said.sum(axis=1, keepdims=True), 1e-300)
        counts = np.where(signals.covered_rows, signals.counts, 0.0)
        labels, history = vote, [np.inf]
        with progress("learning confusion matrices", self.max_iter) as bar:
            while len(history) <= self.max_iter and history[-1] >= self.tolerance:
                used = ANCHOR * vote + (1 - ANCHOR) * labels
                balance = positive_shares(counts @ used if fixed is None else fixed)
                seen = by_question_and_class(signals.moments(used), signals)
                confusion = find_confusions(seen)
                table = confusion.transpose(0, 2, 1).reshape(-1, said.shape[1])
                weights = np.log(table)
                new = softmax(signals.scores(weights, np.log(balance)))
                change = counts @ np.abs(new - labels).max(axis=1)
                history.append(float(change / counts.sum()))
                labels = new
                bar.advance()
        self.confusion_ = confusion
        self.accuracies_ = right_shares(signals, signals.hits(labels))
        settled = history[-1] < self.tolerance
        last = f"changed labels by {history[-1]:.2g} on average"
        self._keep_history(history[1:], len(history) - 1, settled, last)
        return weights, np.log(balance), balance

    @property
    def note_(self) -> str:
        if self.accuracy_ is None:
            return super().note_
        return (
            f"{super().note_}; true grades, each left out in turn, are found on "
            f"{self.accuracy_} of their examples"
        )

    @property
    def biases_(self) -> FloatArray:
        """(m,) by how many grades a signal is above the truth on average."""
        self._check_fitted()
        grades = np.arange(len(self.classes_))
        said: FloatArray = self.confusion_ @ grades - grades
        return said @ self.class_balance_

    def summarise(self, signals: Any = None, level: float = 0.9) -> OrdinalSummary:
        """Mean and median grade of every example, and the grades that it may have.

        The true grade is from `low` to `high` with at least probability `level`. Without
        `signals`, of the examples fitted on.
        """
        labels = self.labels_ if signals is None else self.predict_proba(signals)
        return summarise_grades(labels, self.classes_, level)

    def grade_columns(self, labels: FloatArray) -> dict[str, NDArray[Any]]:
        """What a table of labels (n, k) has beside them."""
        found = summarise_grades(labels, self.classes_, 0.9)
        names = ("mean", "median", "low", "high")
        return {name: getattr(found, name) for name in names}


def make_family(counts: FloatArray) -> FloatArray:
    """(g, k, k) confusions of the members, around what raters (m, k, k) have in common."""
    total = counts.sum(axis=0)
    grades = np.arange(len(total))
    step = grades - grades[:, None]
    near = _normalise(np.exp(-NEIGHBOURS * np.abs(step)))
    common = _normalise(total + PRIOR_VOTES * near)
    logs = np.log(np.maximum(common, MIN_VOTE_SHARE))
    bent = SHARPNESS[:, None, None, None] * logs + BIASES[:, None, None] * step
    bent -= bent.max(axis=-1, keepdims=True)
    return _normalise(np.exp(bent.reshape(-1, *common.shape)) + MIN_VOTE_SHARE)


def fit_members(counts: FloatArray, family: FloatArray) -> FloatArray:
    """(m, k, k) the confusion that a rater has as a member of the family.

    The mean over members, by how well each explains the votes of the rater (m, k, k) and
    how common it is among all.
    """
    m, g = len(counts), len(family)
    likely = counts.reshape(m, -1) @ np.log(family).reshape(g, -1).T
    common = np.full(g, 1 / g)
    for _ in range(FAMILY_ROUNDS):
        share = softmax(likely + np.log(common))
        common = (share.sum(axis=0) + 1 / g) / (m + 1)
    found: FloatArray = np.tensordot(share, family, 1)
    return found


def find_member_votes(counts: FloatArray, members: FloatArray) -> float:
    """How many votes membership is worth: under which the votes of all are likeliest."""
    gammaln = scipy.special.gammaln
    seen = counts.sum(axis=2)

    def likelihood(a: float) -> float:
        cells = gammaln(counts + a * members) - gammaln(a * members)
        return float((gammaln(a) - gammaln(seen + a) + cells.sum(axis=2)).sum())

    return float(max(MEMBER_VOTES, key=likelihood))


def find_confusions(counts: FloatArray) -> FloatArray:
    """(m, k, k) how often every rater says v where the grade is c."""
    members = fit_members(counts, make_family(counts))
    return _normalise(counts + find_member_votes(counts, members) * members)


def _normalise(values: FloatArray) -> FloatArray:
    shares: FloatArray = values / values.sum(axis=-1, keepdims=True)
    return shares


@dataclass(frozen=True, eq=False, repr=False)
class OrdinalSummary(Result):
    """What the labels of examples with ordered classes say; print it."""

    mean: FloatArray  # (n,) grade: class values if they are numbers, else places from 1
    deviation: FloatArray  # (n,) standard deviation of the true grade around it
    median: NDArray[Any]  # (n,) grade with the least expected distance
    low: NDArray[Any]  # (n,) the true grade is from `low` to `high` ...
    high: NDArray[Any]
    level: float  # ... with at least this probability

    title = "Grades of examples"

    def parts(self) -> Iterator[Part]:
        interval = f"{self.level:.0%} of it"
        yield Table(
            {
                "example": range(len(self.mean)),
                "mean": self.mean,
                "deviation": self.deviation,
                "median": self.median,
                interval: list(zip(self.low, self.high, strict=True)),
            },
            formats={"mean": ".2f", "deviation": ".2f"},
        )


def summarise_grades(
    labels: FloatArray, classes: NDArray[Any], level: float
) -> OrdinalSummary:
    """Mean, median and interval of labels (n, k), classes in order."""
    check_share("level", level, "between 0 and 1")
    numbers = classes.dtype.kind in "biuf"
    grades = classes.astype(float) if numbers else np.arange(1.0, len(classes) + 1)
    total = labels.cumsum(axis=1)

    def quantile(share: float) -> NDArray[Any]:
        at = (total >= share - ROUNDING).argmax(axis=1)
        found: NDArray[Any] = classes[at]
        return found

    mean = labels @ grades
    spread = labels @ grades**2 - mean**2
    rest = (1 - level) / 2
    return OrdinalSummary(
        mean,
        np.sqrt(np.maximum(spread, 0)),
        quantile(0.5),
        quantile(rest),
        quantile(1 - rest),
        level,
    )
