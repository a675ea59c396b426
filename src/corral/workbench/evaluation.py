"""From votes to labels, and what there is to count: all by pattern, so it takes little.

Labels are those of `ConstrainedLabeler`. Where nothing is asked of them they come with the
estimated error rates. What users ask (error rates, shares of classes) is added as
constraints once these labels do not meet it already.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from corral._types import BoolArray, FloatArray, IntArray
from corral.constraints import ClassBalance, ErrorRate
from corral.error_rates import FromLabels, Rates
from corral.errors import CorralWarning
from corral.labelers import ConstrainedLabeler
from corral.labelers.probabilities import choose_classes
from corral.signals import WeakSignals
from corral.signals.coding import ABSTAIN
from corral.signals.patterns import Patterns, find_patterns
from corral.signals.signal_data import class_vote_data

NEARLY = 1e-3
"""How far labels may be from what is asked and still meet it."""
ONE_FIT = Lock()  # warnings are caught for the whole process, so one fit at a time


@dataclass(frozen=True)
class Demands:
    """What users ask of the labels.

    Attributes
    ----------
    rates : mapping
        By position of the rule: ``{"rate": x}`` or ``{"at_most": x}``.
    balance : mapping
        By class: ``{"at_least": x, "at_most": y}``, one or both.
    taught : mapping
        By row: the position of its class; what labels are learned from.
    """

    rates: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    balance: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    taught: Mapping[int, int] = field(default_factory=dict)

    def constraints(self, at: Mapping[int, int] | None = None) -> list[Any]:
        """The same as constraints of corral; rules are at other places, `at`."""
        rates = [
            ErrorRate(
                i if at is None else at[i],
                equal=asked.get("rate"),
                at_most=asked.get("at_most"),
            )
            for i, asked in self.rates.items()
            if at is None or i in at
        ]
        shares = [ClassBalance(c, **asked) for c, asked in self.balance.items()]
        return [*rates, *shares]


@dataclass(frozen=True)
class Evaluation:
    """Votes of rules on some rows, and the labels that follow.

    Attributes
    ----------
    votes : (n, m) array of int8
        Positions of classes, -1 where a rule abstains.
    patterns : Patterns
        Of all rules.
    classes, names : tuples of str
    labeler : ConstrainedLabeler or None
        None as long as no rule votes, or there are fewer than two classes.
    columns : (c,) array of int
        The rules that the labeler knows: those that vote.
    notes : tuple of str
        What the fit warned of.
    """

    votes: Any
    patterns: Patterns
    classes: tuple[str, ...]
    names: tuple[str, ...]
    labeler: ConstrainedLabeler | None
    columns: IntArray
    notes: tuple[str, ...] = ()

    @property
    def _codes(self) -> Any:
        """(p, m) distinct rows of votes."""
        return self.patterns.codes

    @cached_property
    def _tallies(self) -> IntArray:
        """(p, k) votes for every class."""
        codes = self._codes
        each = [(codes == k).sum(axis=1) for k in range(len(self.classes))]
        return np.stack(each, 1) if each else np.zeros((len(codes), 0), int)

    @cached_property
    def covered(self) -> BoolArray:
        """(n,) whether any rule votes."""
        some: BoolArray = (self._tallies.sum(axis=1) > 0)[self.patterns.inverse]
        return some

    @cached_property
    def conflicting(self) -> BoolArray:
        """(n,) whether rules contradict each other."""
        some: BoolArray = ((self._tallies > 0).sum(axis=1) > 1)[self.patterns.inverse]
        return some

    @cached_property
    def rule_counts(self) -> dict[str, IntArray]:
        """(m,) rows that every rule votes on: all, contradicted, those of it alone."""
        codes, counts = self._codes, self.patterns.counts
        said = codes >= 0
        total = self._tallies.sum(axis=1)
        other = ((self._tallies > 0).sum(axis=1) > 1)[:, None]
        alone = (total == 1)[:, None]
        return {
            "covered": _count(counts, said),
            "conflicting": _count(counts, said & other),
            "only_this": _count(counts, said & alone),
        }

    def rule_rows(self, rule: int, what: str) -> BoolArray:
        """(n,) the rows behind a number of `rule_counts`."""
        said = self._codes[:, rule] >= 0
        if what == "conflicting":
            said = said & ((self._tallies > 0).sum(axis=1) > 1)
        elif what == "only_this":
            said = said & (self._tallies.sum(axis=1) == 1)
        rows: BoolArray = said[self.patterns.inverse]
        return rows

    # -- labels -------------------------------------------------------------------

    @cached_property
    def labels(self) -> FloatArray:
        """(n, k) a probability for every class; even without rules."""
        if self.labeler is None:
            k = max(len(self.classes), 1)
            return np.full((len(self.votes), k), 1 / k)
        return self.labeler.labels_

    @cached_property
    def decided(self) -> IntArray:
        """(n,) position of the likeliest class; -1 without votes, and where tied."""
        if self.labeler is None:
            return np.full(len(self.votes), ABSTAIN)
        labels, inverse = self.labeler._labels_, self.labeler._inverse_
        chosen, tied = choose_classes(labels)
        chosen = np.where(tied, ABSTAIN, chosen)
        every = chosen if inverse is None else chosen[inverse]
        return np.where(self.labeler.covered_, every, ABSTAIN)

    @cached_property
    def majority(self) -> IntArray:
        """(n,) position of the class with most votes; -1 without votes, and where tied."""
        tallies = self._tallies
        if not len(self.classes):
            return np.full(len(self.votes), ABSTAIN)
        best = tallies.max(axis=1, keepdims=True)
        sure = ((tallies == best).sum(axis=1) == 1) & (best[:, 0] > 0)
        every: IntArray = np.where(sure, tallies.argmax(axis=1), ABSTAIN)
        return every[self.patterns.inverse]

    @cached_property
    def uncertain(self) -> IntArray:
        """Covered rows, the least certain first."""
        rows = np.flatnonzero(self.covered)
        sure = np.sort(self.labels[rows], axis=1)
        margin = sure[:, -1] - sure[:, -2] if sure.shape[1] > 1 else sure[:, -1]
        return rows[np.argsort(margin, kind="stable")]

    def shares(self, decided: IntArray) -> dict[str, float]:
        """Of the rows with an answer, the share of every class."""
        counts = np.bincount(decided + 1, minlength=len(self.classes) + 1)[1:]
        total = max(int(counts.sum()), 1)
        return {c: int(n) / total for c, n in zip(self.classes, counts, strict=True)}

    @cached_property
    def rates(self) -> Rates | None:
        """Estimated error rates of the rules that vote."""
        return None if self.labeler is None else getattr(self.labeler, "rates_", None)


def _count(counts: FloatArray, which: BoolArray) -> IntArray:
    """(m,) examples of the patterns (p, m) that are meant."""
    return np.rint(counts @ which).astype(np.int64)


def make_signals(
    votes: Any, classes: Sequence[str], names: Sequence[str]
) -> WeakSignals:
    """Coded votes (n, m) as signals."""
    return WeakSignals(class_vote_data(votes, np.array(classes)), names)


def evaluate(
    votes: Any,
    classes: Sequence[str],
    demands: Demands,
    names: Sequence[str],
    patterns: Patterns | None = None,
) -> Evaluation:
    """Label rows by the votes of rules.

    Parameters
    ----------
    votes : (n, m) array of int8
        Positions of classes, -1 where a rule abstains. Not changed afterwards.
    classes : sequence of str
    demands : Demands
    names : sequence of str
        One per rule.
    patterns : Patterns, optional
        Of the votes, where they are known.
    """
    if patterns is None:
        patterns = _group(votes, len(classes))
    codes: Any = patterns.codes
    columns = np.flatnonzero((codes >= 0).any(axis=0))
    given = votes, patterns, tuple(classes), tuple(names)
    if not len(columns) or len(classes) < 2:
        return Evaluation(*given, None, columns)
    signals = make_signals(
        votes[:, columns], classes, [names[i] for i in columns.tolist()]
    )
    # Without rules that never vote, rows are as different as with them.
    heard = Patterns(codes[:, columns], patterns.counts, patterns.inverse)
    signals.__dict__["patterns"] = heard
    at = {int(i): j for j, i in enumerate(columns)}
    with ONE_FIT, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labeler = _fit(signals, demands, at)
    notes = [str(w.message) for w in caught if issubclass(w.category, CorralWarning)]
    return Evaluation(*given, labeler, columns, tuple(notes))


def _group(votes: Any, n_classes: int) -> Patterns:
    """The distinct rows of votes; without rules, they are all alike."""
    if votes.shape[1]:
        return find_patterns(votes, n_classes)
    n = len(votes)
    return Patterns(votes[:1], np.array([float(n)]), np.zeros(n, np.int64))


def add_column(patterns: Patterns, column: Any) -> Patterns:
    """The patterns with the votes (n,) of one more rule, without sorting the rows again.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.signals.patterns import Patterns
    >>> from corral.workbench.evaluation import add_column
    >>> one = Patterns(np.array([[0]], np.int8), np.array([3.0]), np.zeros(3, int))
    >>> two = add_column(one, np.array([1, -1, 1], np.int8))
    >>> two.codes.tolist(), two.counts.tolist(), two.inverse.tolist()
    ([[0, -1], [0, 1]], [1.0, 2.0], [1, 0, 1])
    """
    codes: Any = patterns.codes
    choices = int(column.max()) + 2
    key = patterns.inverse * choices + (column + 1)
    counts = np.bincount(key, minlength=len(codes) * choices)
    there = np.flatnonzero(counts)
    place = np.zeros(len(counts), np.int64)
    place[there] = np.arange(len(there))
    old, vote = np.divmod(there, choices)
    joined = np.column_stack([codes[old], (vote - 1).astype(codes.dtype)])
    return Patterns(joined, counts[there].astype(float), place[key])


def _fit(
    signals: WeakSignals, demands: Demands, at: Mapping[int, int]
) -> ConstrainedLabeler:
    source: Any = "auto"
    if demands.taught:
        known: list[Any] = [None] * len(signals)
        for row, k in demands.taught.items():
            known[row] = signals.classes[k]
        source = FromLabels(known)
    labeler = ConstrainedLabeler(source, ties="abstain").fit(signals)
    asked = demands.constraints(at)
    if not asked or _meets(labeler, demands, at):
        return labeler
    return ConstrainedLabeler(source, constraints=asked, ties="abstain").fit(signals)


def _meets(
    labeler: ConstrainedLabeler, demands: Demands, at: Mapping[int, int]
) -> bool:
    """Whether labels are as asked anyway."""
    errors = labeler.implied_error_rates_
    found = [(float(errors[at[i]]), a) for i, a in demands.rates.items() if i in at]
    shares = labeler.labels_.mean(axis=0)
    names = labeler.classes_.tolist()
    found += [(float(shares[names.index(c)]), a) for c, a in demands.balance.items()]
    for value, asked in found:
        least = asked.get("at_least", asked.get("rate", 0.0))
        most = asked.get("at_most", asked.get("rate", 1.0))
        if not least - NEARLY <= value <= most + NEARLY:
            return False
    return True
