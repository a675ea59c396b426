"""From a project to votes and labels, and what there is to count.

`ConstrainedLabeler` makes the labels, with estimated error rates. What users wish (error
rates, shares of classes) are its constraints. All is counted by pattern of votes, so it
takes little time. Only this module knows how corral stores votes and labels.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Event, Lock
from typing import Any

import numpy as np

from corral._types import BoolArray, FloatArray, IntArray
from corral.constraints import ClassBalance, ErrorRate
from corral.errors import CorralWarning, FunctionError, ParameterError, SignalsError
from corral.functions import Row, apply, load_functions
from corral.labelers import ConstrainedLabeler
from corral.labelers.base import choose_classes
from corral.rates import FromLabels
from corral.results import as_plain
from corral.solvers.feasibility import feasibility
from corral.study import suggest_labels
from corral.votes import Kind, Schema, WeakSignals
from corral.workbench.project import Project
from corral.workbench.rows import RowStore
from corral.workbench.rules import Rule
from corral.workbench.search import TextSearch, stop_if

MIN_TEACHING_ROWS = 20
"""Hand labels from which on labels are learned from them; fewer may do harm."""
ONE_FIT = Lock()  # warnings are caught for the whole process, so one fit at a time


@contextmanager
def catch_notes() -> Iterator[list[str]]:
    """What corral warns of while this lasts, to be read afterwards."""
    notes: list[str] = []
    with ONE_FIT, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    notes += [str(w.message) for w in caught if issubclass(w.category, CorralWarning)]


# -- rules of a Python file ---------------------------------------------------------


@dataclass(frozen=True)
class FunctionRules:
    """What the functions of a file say of all rows."""

    names: tuple[str, ...]
    values: tuple[Any, ...]  # all classes, as the functions have them: texts or numbers
    votes: Any  # (n, m) positions in `values`, -1 where a function abstains

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes that they vote for."""
        return tuple(map(str, self.values))

    @property
    def ids(self) -> dict[str, str]:
        """Name by id."""
        return {f"f:{name}": name for name in self.names}

    def coded(self, classes: Sequence[str]) -> Any:
        """(n, m) the same votes as positions in other classes, which have all of these."""
        to = np.array([*(classes.index(c) for c in self.classes), -1], np.int8)
        return to[self.votes]  # -1 is the last


def run_functions(
    path: str | os.PathLike[str] | None, store: RowStore, classes: Sequence[str]
) -> FunctionRules:
    """Apply the functions of a file to all rows; `classes` are those known before."""
    if path is None:
        return FunctionRules((), (), np.empty((store.n_rows, 0), np.int8))
    functions = load_functions(path)
    rows = [Row(cells) for cells in store.all_rows()]
    try:
        signals = apply(functions, rows)
    except SignalsError:  # they may speak of one class only
        if not classes:
            raise
        signals = apply(functions, rows, classes=classes)
    if not signals.is_hard:
        raise FunctionError(
            f"{Path(path).name!r} has functions that give probabilities; the workbench "
            "takes votes. Let them answer with a class, or None."
        )
    values = tuple(signals.classes.tolist())
    return FunctionRules(signals.names, values, signals.votes)


# -- from votes to labels -----------------------------------------------------------


@dataclass(frozen=True)
class Wishes:
    """What users ask of the labels.

    Attributes
    ----------
    rates : mapping
        By column of the rule: "rate" or "at_most".
    balance : mapping
        By class: "at_least", "at_most" or both.
    taught : mapping
        By place of the row: the position of its class, to learn from.
    """

    rates: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    balance: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    taught: Mapping[int, int] = field(default_factory=dict)

    def constraints(self, columns: Sequence[int]) -> list[Any]:
        """Constraints on signals that are these columns."""
        made: list[Any] = [
            ErrorRate(j, equal=asked.get("rate"), at_most=asked.get("at_most"))
            for j, i in enumerate(columns)
            if (asked := self.rates.get(i)) is not None
        ]
        return made + [ClassBalance(c, **asked) for c, asked in self.balance.items()]


@dataclass(frozen=True)
class Evaluation:
    """Votes of rules on some rows, and the labels that follow.

    There is no labeler as long as no rule votes, or there are fewer than two classes.
    """

    codes: Any  # (u, m) distinct rows: positions of classes, -1 where a rule abstains
    row_of: IntArray  # (n,) the distinct row of every row
    classes: tuple[str, ...]
    columns: IntArray  # (c,) the rules that vote: those that the labeler knows
    signals: WeakSignals | None = None  # their votes
    labeler: ConstrainedLabeler | None = None
    notes: tuple[str, ...] = ()  # what the fit warned of

    @cached_property
    def votes(self) -> Any:
        """(n, m) positions of classes, -1 where a rule abstains."""
        return self.codes[self.row_of]

    @cached_property
    def _tallies(self) -> IntArray:
        """(u, k) votes for every class."""
        k = len(self.classes)
        each = np.array([(self.codes == c).sum(axis=1) for c in range(k)], int)
        return each.reshape(k, len(self.codes)).T

    @cached_property
    def _of_rules(self) -> dict[str, BoolArray]:
        """(u, m) distinct rows that every rule votes on; the same as in `rule_counts`."""
        said = self.codes >= 0
        clash = (self._tallies > 0).sum(axis=1, keepdims=True) > 1
        alone = self._tallies.sum(axis=1, keepdims=True) == 1
        return {
            "covered": said,
            "conflicting": said & clash,
            "only_this": said & alone,
        }

    @cached_property
    def covered(self) -> BoolArray:
        """(n,) whether any rule votes."""
        some: Any = self._of_rules["covered"].any(axis=1)
        return some[self.row_of]

    @cached_property
    def conflicting(self) -> BoolArray:
        """(n,) whether rules contradict each other."""
        some: Any = self._of_rules["conflicting"].any(axis=1)
        return some[self.row_of]

    @cached_property
    def rule_counts(self) -> dict[str, IntArray]:
        """(m,) rows that every rule votes on: all, contradicted, with no other vote."""
        counts = np.bincount(self.row_of, minlength=len(self.codes))
        return {what: counts @ which for what, which in self._of_rules.items()}

    def rule_rows(self, rule: int, what: str) -> BoolArray:
        """(n,) the rows behind a number of `rule_counts`."""
        return self._of_rules[what][:, rule][self.row_of]

    @cached_property
    def labels(self) -> FloatArray:
        """(n, k) a probability for every class; even without rules."""
        if self.labeler is None:
            k = max(len(self.classes), 1)
            return np.full((len(self.row_of), k), 1 / k)
        return self.labeler.labels_

    @cached_property
    def decided(self) -> IntArray:
        """(n,) position of the likeliest class; -1 without votes, and where tied."""
        if self.labeler is None:
            return np.full(len(self.row_of), -1)
        example = np.zeros(len(self.codes), np.int64)
        example[self.row_of] = np.arange(len(self.row_of))
        chosen, tied = choose_classes(self.labels[example])
        silent = self._tallies.sum(axis=1) == 0
        return np.where(tied | silent, -1, chosen)[self.row_of]

    @cached_property
    def majority(self) -> IntArray:
        """(n,) position of the class with most votes; -1 without votes, and where tied."""
        if not self.classes:
            return np.full(len(self.row_of), -1)
        best = self._tallies.max(axis=1, keepdims=True)
        sure = ((self._tallies == best).sum(axis=1) == 1) & (best[:, 0] > 0)
        every: IntArray = np.where(sure, self._tallies.argmax(axis=1), -1)
        return every[self.row_of]

    def shares(self, decided: IntArray) -> dict[str, float]:
        """Of the rows with an answer, the share of every class."""
        counts = np.bincount(decided + 1, minlength=len(self.classes) + 1)[1:]
        total = max(int(counts.sum()), 1)
        return {c: int(n) / total for c, n in zip(self.classes, counts, strict=True)}

    def errors(self) -> dict[int, dict[str, Any]]:
        """By column: the error under the labels, and the estimate with its interval."""
        rates = getattr(self.labeler, "rates_", None)
        if self.labeler is None or rates is None:
            return {}
        now, ends = self.labeler.implied_error_rates_, rates.intervals(0.9)
        found = {}
        for j, at in enumerate(self.columns.tolist()):
            low, high = ends[j]
            estimated = {"rate": rates.error_rates[j], "low": low, "high": high}
            estimated["source"] = rates.sources[j]
            found[at] = as_plain({"error": now[j], "estimated": estimated})
        return found

    def explain(self, place: int) -> list[dict[str, Any]]:
        """The part of every rule (by column) and constraint in a label, largest first."""
        if self.labeler is None or not self.covered[place]:
            return []
        told = self.labeler.explain(place, self.signals)
        shares = told.shares.tolist()
        parts: list[dict[str, Any]] = [
            {"rule": column, "vote": vote, "share": share}
            for column, vote, share in zip(
                self.columns.tolist(), told.votes, shares, strict=False
            )
            if vote
        ]
        parts += [
            {"rule": None, "constraint": name, "share": share}
            for name, share in zip(
                told.constraints, shares[len(told.signals) :], strict=False
            )
            if share
        ]
        return sorted(parts, key=lambda part: -abs(part["share"]))

    def suggest(self, known: IntArray) -> IntArray:
        """The row to label next that would teach most about the rules, if there is one."""
        labeler: Any = self.labeler
        return suggest_labels(labeler, self.signals, 1, known=known, by="doubt")


def evaluate(
    codes: Any,
    row_of: IntArray,
    classes: Sequence[str],
    wishes: Wishes,
    names: Sequence[str],
) -> Evaluation:
    """Label rows by the votes of named rules; see `Evaluation`."""
    columns: Any = np.flatnonzero((codes >= 0).any(axis=0))
    given = codes, row_of, tuple(classes), columns
    if not len(columns) or len(classes) < 2:
        return Evaluation(*given)
    heard = codes[:, columns], row_of
    signals = _make_signals(*heard, classes, [names[i] for i in columns])
    source: Any = "auto"
    if wishes.taught:
        known: list[Any] = [None] * len(row_of)
        for row, k in wishes.taught.items():
            known[row] = classes[k]
        source = FromLabels(known)
    with catch_notes() as notes:
        asked = wishes.constraints(columns.tolist())
        labeler = ConstrainedLabeler(source, constraints=asked, ties="abstain")
        labeler.fit(signals)
    return Evaluation(*given, signals, labeler, tuple(notes))


def _make_signals(
    codes: Any, row_of: IntArray, classes: Sequence[str], names: Sequence[str]
) -> WeakSignals:
    """The signals whose rows (n,) are some of other rows of votes (u, m)."""
    schema = Schema(Kind.CLASS_VOTES, np.array(classes), len(names), tuple(names))
    made = WeakSignals.from_codes(codes, schema)
    return made._with(row_of=made.row_of[row_of])


def distinct_rows(columns: Iterable[Any], n: int) -> tuple[Any, IntArray]:
    """Distinct rows (u, m) of the votes (n,) of rules, and the one of every row (n,)."""
    codes, row_of = np.empty((1, 0), np.int8), np.zeros(n, np.int64)
    for column in columns:
        codes, row_of = add_column(codes, row_of, column)
    return codes, row_of


def add_column(codes: Any, row_of: IntArray, column: Any) -> tuple[Any, IntArray]:
    """Distinct rows with the votes (n,) of one more rule."""
    choices = int(column.max()) + 2
    key = row_of * choices + (column + 1)
    there = np.flatnonzero(np.bincount(key))
    place = np.zeros(there[-1] + 1, np.int64)
    place[there] = np.arange(len(there))
    old, vote = np.divmod(there, choices)
    return np.column_stack([codes[old], (vote - 1).astype(codes.dtype)]), place[key]


# -- one state of the workbench -----------------------------------------------------


@dataclass(frozen=True)
class Snapshot:
    """A project and what follows from it."""

    project: Project
    search: TextSearch  # of the rows that are looked at: all, or a sample
    functions: FunctionRules
    names: Mapping[str, str]  # of every rule, by id, in the order of columns
    wishes: Wishes
    evaluation: Evaluation
    before: IntArray | None = None  # (n,) `Evaluation.decided` before the last act

    @cached_property
    def ids(self) -> dict[str, int]:
        """The column of every rule, by id: functions first."""
        return {name: at for at, name in enumerate(self.names)}

    def with_rule(
        self, rule: Rule, replaces: str | None, cancel: Event | None
    ) -> tuple[Evaluation, int]:
        """What follows from one more rule, or another in place of one; and its column."""
        found, names = self.evaluation, list(self.names.values())
        column = _vote(self.search, rule, self.project.classes, cancel)
        codes, row_of = add_column(found.codes, found.row_of, column)
        at = len(names)
        if replaces is None:
            names.append(rule.title)
        else:
            at = self.ids[replaces]
            codes[:, at], names[at] = codes[:, -1], rule.title
            codes = codes[:, :-1]
        stop_if(cancel)
        classes = self.project.classes
        return evaluate(codes, row_of, classes, self.wishes, names), at


def take_snapshot(
    project: Project,
    search: TextSearch,
    functions: FunctionRules,
    before: Snapshot | None = None,
    *,
    cancel: Event | None = None,
) -> Snapshot:
    """Evaluate a project; columns that `before` has are not searched for again."""
    classes, asked = project.classes, project.entries["rates"]
    if before is not None and before.project.classes != classes:
        before = None
    coded = functions.coded(classes)
    columns = list(coded.T if search.rows is None else coded[search.rows].T)
    for name, rule in project.rules.items():
        if before is not None and before.project.rules.get(name) == rule:
            column = before.evaluation.votes[:, before.ids[name]]
        else:
            column = _vote(search, rule, classes, cancel)
        columns.append(column)
    codes, row_of = distinct_rows(columns, search.n_rows)
    names = functions.ids | {i: rule.title for i, rule in project.rules.items()}
    lessons, taught = teaching_rows(project), {}
    if len(lessons) >= MIN_TEACHING_ROWS:
        places = search.places(np.fromiter(lessons, np.int64, len(lessons))).tolist()
        taught = {
            place: classes.index(said)
            for place, said in zip(places, lessons.values(), strict=True)
            if place >= 0
        }
    rates = {at: asked[i] for at, i in enumerate(names) if i in asked}
    wishes = Wishes(rates, project.entries["balance"], taught)
    evaluation = evaluate(codes, row_of, classes, wishes, list(names.values()))
    old = None if before is None else before.evaluation.decided
    return Snapshot(project, search, functions, names, wishes, evaluation, old)


def _vote(
    search: TextSearch, rule: Rule, classes: Sequence[str], cancel: Event | None
) -> Any:
    """(n,) what a rule says of every row."""
    found = search.find(rule, cancel)
    return np.where(found, np.int8(classes.index(rule.class_)), np.int8(-1))


def teaching_rows(project: Project) -> dict[int, str]:
    """Hand labels that corral may learn from: of all rows that were not drawn by lot.

    Rows that were drawn by lot measure how right the labels are. They could not if the
    labels had been learned from them.
    """
    entries = project.entries["hand_labels"]
    return {int(row): e["class"] for row, e in entries.items() if e["how"] != "random"}


def find_feasibility(snapshot: Snapshot) -> dict[str, Any]:
    """Whether some labels grant all wishes; if not, the wishes that clash.

    Only the rules with a wish matter, which leaves few patterns.
    """
    answer: dict[str, Any] = {"ok": True, "message": "", "rules": [], "classes": []}
    found, balance = snapshot.evaluation, snapshot.wishes.balance
    ids, names = list(snapshot.names), list(snapshot.names.values())
    voting = found.columns.tolist()
    rates = {i: rate for i, rate in snapshot.wishes.rates.items() if i in voting}
    if found.labeler is None or not (rates or balance):
        return answer
    columns = sorted(rates) or voting[:1]
    heard = found.codes[:, columns], found.row_of
    signals = _make_signals(*heard, found.classes, [names[i] for i in columns])
    wanted = Wishes(rates, balance).constraints(columns)
    with catch_notes():
        try:
            labeler = ConstrainedLabeler(None, "entropy", constraints=wanted)
            result = feasibility(labeler, signals)
        except ParameterError as error:  # such as shares that add up to more than one
            return answer | {"ok": False, "message": str(error)}
    if result.feasible:
        return answer
    known: dict[str, tuple[str, str, str, Mapping[str, float]]] = {
        names[i]: ("rules", ids[i], "wrong", asked) for i, asked in rates.items()
    }
    for class_, asked in balance.items():
        known[f"ClassBalance({class_})"] = ("classes", class_, "of the rows", asked)
    words = {"rate": "exactly", "at_most": "at most", "at_least": "at least"}
    said = []
    for row in np.flatnonzero(result.conflict).tolist():
        kind, key, what, asked = known[result.names[row]]
        answer[kind].append(key)
        subject = key if kind == "classes" else repr(result.names[row])
        bounds = " and ".join(f"{words[k]} {v:.4g}" for k, v in asked.items())
        said.append(f"{subject} {bounds} {what} (nearest {result.nearest[row]:.1%})")
    message = f"These cannot hold together: {'; '.join(said)}."
    return answer | {"ok": False, "message": message}
