"""From a project to votes and labels, and what there is to count.

`ConstrainedLabeler` makes the labels; what users ask of them are its constraints. All is
counted by distinct row of votes, of which there are few.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Event, Lock
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from corral._types import BoolArray, FloatArray, IntArray
from corral.constraints import ClassBalance, ErrorRate
from corral.decisions import TIE
from corral.errors import CorralWarning, FunctionError, ParameterError, SignalsError
from corral.functions import Row, apply, load_functions
from corral.labelers import ConstrainedLabeler
from corral.rates import FromLabels
from corral.rates.default import default_model, find_informedness
from corral.results import as_plain
from corral.solvers.feasibility import feasibility
from corral.votes import Kind, Schema, WeakSignals
from corral.votes.patterns import find_patterns
from corral.workbench.project import Project, require
from corral.workbench.rows import RowStore
from corral.workbench.search import TextSearch

MIN_TEACHING_ROWS = 20
"""Hand labels from which on labels are learned from them; fewer may do harm."""
INTERVAL_LEVEL = 0.9
"""Probability of intervals."""
SHARE_TOLERANCE = 0.02
"""How far answers may miss a share that is asked for before that is told."""
ONE_FIT = Lock()  # warnings are caught for the whole process, so one fit at a time


@contextmanager
def catch_notes() -> Iterator[list[str]]:
    """The warnings of corral in this block; read them after it."""
    notes: list[str] = []
    with ONE_FIT, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    notes += [str(w.message) for w in caught if issubclass(w.category, CorralWarning)]


# -- rules of a Python file ---------------------------------------------------------


@dataclass(frozen=True)
class FunctionRules:
    """The votes of the functions of a file on all rows."""

    names: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()  # all classes, as the functions have them
    codes: Any = None  # (n, m) positions in `values`, -1 where a function abstains

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes that they vote for, which may be numbers."""
        return tuple(map(str, self.values))

    @property
    def ids(self) -> dict[str, str]:
        """Name by id."""
        return {f"f:{name}": name for name in self.names}

    def votes(self, classes: Sequence[str], rows: IntArray) -> dict[str, Any]:
        """By id: votes on some rows, as positions in `classes`."""
        for name in self.classes:
            wanted = f"a list with {name!r}, which a function votes for"
            require(name in classes, "classes", wanted, list(classes))
        to = np.array(
            [*map(classes.index, self.classes), -1], np.int8
        )  # -1 is the last
        return {name: to[self.codes[rows, j]] for j, name in enumerate(self.ids)}


def run_functions(
    path: str | os.PathLike[str] | None, store: RowStore, classes: Sequence[str]
) -> FunctionRules:
    """Apply the functions of a file to all rows; `classes` are those known before."""
    if path is None:
        return FunctionRules()
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


# -- a project on some rows -----------------------------------------------------------


@dataclass(frozen=True)
class Snapshot:
    """A project, its votes on the rows that are searched, and the labels that follow.

    There are no signals and no labeler while no rule votes, or fewer than two classes are
    named.
    """

    project: Project
    search: TextSearch  # of all rows, or of a sample
    functions: FunctionRules
    votes: Mapping[str, Any]  # by rule (n,): the position of a class, -1 for an abstain
    before: IntArray | None  # (n,) `decided` before the last act

    @property
    def classes(self) -> tuple[str, ...]:
        return self.project.classes

    @cached_property
    def names(self) -> dict[str, str]:
        """The name of every rule, by its id: functions first."""
        written = self.project.rules.items()
        return self.functions.ids | {rule: made.title for rule, made in written}

    @cached_property
    def _patterns(self) -> tuple[Any, IntArray]:
        """Distinct rows of votes (u, m), and the distinct row of every row (n,)."""
        n = self.search.n_rows
        if not self.votes:
            return np.empty((1, 0), np.int8), np.zeros(n, np.int64)
        return find_patterns(np.column_stack([*self.votes.values()]), len(self.classes))

    @property
    def codes(self) -> Any:
        return self._patterns[0]

    @property
    def row_of(self) -> IntArray:
        return self._patterns[1]

    # -- counts

    @cached_property
    def _tallies(self) -> IntArray:
        """(u, k) votes for every class."""
        k = len(self.classes)
        each = np.array([(self.codes == c).sum(axis=1) for c in range(k)], int)
        return each.reshape(k, len(self.codes)).T

    @cached_property
    def _coverage(self) -> dict[str, BoolArray]:
        """(u, m) distinct rows on which a rule votes, contradicts others, votes alone."""
        said = self.codes >= 0
        clash = (self._tallies > 0).sum(axis=1, keepdims=True) > 1
        alone = self._tallies.sum(axis=1, keepdims=True) == 1
        return {"covered": said, "conflicting": said & clash, "only_this": said & alone}

    def rule_counts(self, rule: str) -> dict[str, int]:
        """Rows on which a rule votes, contradicts others, and votes alone."""
        counts, at = np.bincount(self.row_of), [*self.votes].index(rule)
        found = self._coverage.items()
        return {what: int(counts @ which[:, at]) for what, which in found}

    def covers(self, what: str, rule: str | None = None) -> BoolArray:
        """(n,) the rows behind a number of `rule_counts`, of one rule or of any."""
        found = self._coverage[what]
        if rule is not None:
            found = found[:, [[*self.votes].index(rule)]]
        rows: Any = found.any(axis=1)
        return rows[self.row_of]

    # -- labels by hand

    @cached_property
    def hand_labelled(self) -> tuple[IntArray, IntArray, BoolArray]:
        """Places of the rows with a hand label, its class, and whether it was drawn by lot.

        Without rows outside the sample, if there is one.
        """
        entries = self.project.entries["hand_labels"]
        labels = entries.values()
        codes = np.array([self.classes.index(e["class"]) for e in labels], int)
        drawn = np.array([e["how"] == "random" for e in labels], bool)
        places = self.search.places(np.array([int(row) for row in entries], np.int64))
        here = places >= 0
        return places[here], codes[here], drawn[here]

    @property
    def taught(self) -> tuple[IntArray, IntArray]:
        """Places and classes of the rows to learn from, once there are enough.

        Rows that were drawn by lot never teach: they measure how right the labels are.
        """
        places, codes, drawn = self.hand_labelled
        enough = np.count_nonzero(~drawn) >= MIN_TEACHING_ROWS
        return places[~drawn & enough], codes[~drawn & enough]

    # -- labels

    @cached_property
    def voting(self) -> list[str]:
        """Ids of the rules that vote: the signals."""
        heard = (self.codes >= 0).any(axis=0).tolist()
        return [rule for rule, votes in zip(self.votes, heard, strict=True) if votes]

    @cached_property
    def signals(self) -> WeakSignals | None:
        """The votes of the rules that vote."""
        if not self.voting or len(self.classes) < 2:
            return None
        return self._make_signals(self.voting)

    def _make_signals(self, rules: Sequence[str]) -> WeakSignals:
        codes = self.codes[:, [rule in rules for rule in self.votes]]
        names, k = tuple(self.names[rule] for rule in rules), len(self.classes)
        schema = Schema(Kind.CLASS_VOTES, np.array(self.classes), len(rules), names)
        row, at = np.nonzero(codes >= 0)
        feature = at * k + codes[row, at]
        shape = len(codes), len(rules) * k
        F = csr_array((np.ones(len(row)), (row, feature)), shape)
        return WeakSignals(schema, F, self.row_of)

    def constraints(self, rules: Sequence[str]) -> list[Any]:
        """What a user asks of the labels; `rules` are the signals."""
        entries = self.project.entries
        made: list[Any] = [
            ErrorRate(at, equal=asked.get("rate"), at_most=asked.get("at_most"))
            for at, rule in enumerate(rules)
            if (asked := entries["rates"].get(rule)) is not None
        ]
        return made + [ClassBalance(c, **b) for c, b in entries["balance"].items()]

    @cached_property
    def _fit(self) -> tuple[ConstrainedLabeler | None, list[str]]:
        """What labels the rows, and what corral warned of while it was fitted."""
        if self.signals is None:
            return None, []
        source: Any = "auto"
        places, codes = self.taught
        if len(places):
            known = np.array(self.classes, object)[codes]
            source = FromLabels(known, self.signals.take(places))
        with catch_notes() as notes:
            asked = self.constraints(self.voting)
            labeler = ConstrainedLabeler(source, constraints=asked, ties="abstain")
            labeler.fit(self.signals)
        return labeler, notes

    @property
    def labeler(self) -> ConstrainedLabeler | None:
        return self._fit[0]

    @property
    def notes(self) -> list[str]:
        return self._fit[1]

    @cached_property
    def row_labels(self) -> FloatArray:
        """(u, k) labels of the distinct rows: a probability for every class."""
        if self.signals is None:
            k = max(len(self.classes), 1)
            return np.full((len(self.codes), k), 1 / k)
        if not len(self.taught[0]) and not self.constraints(self.voting):
            # The labeler gives the same labels, but also error rates, which take longer.
            model = default_model(self.signals, find_informedness(self.signals))
            return model.row_labels(self.signals)
        labeler: Any = self.labeler
        found = np.empty((len(self.codes), len(self.classes)))
        found[self.row_of] = labeler.labels_
        return found

    @cached_property
    def decided(self) -> IntArray:
        """(n,) position of the likeliest class; -1 without votes, and where tied."""
        return self._choose(self.row_labels, TIE)

    @cached_property
    def majority(self) -> IntArray:
        """(n,) position of the class with most votes; -1 without votes, and where tied."""
        return self._choose(self._tallies, 0)

    def _choose(self, scores: Any, tie: float) -> IntArray:
        """(n,) position of the class with the best score (u, k); -1 without a vote."""
        if not self.classes:
            return np.full(len(self.row_of), -1)
        best = scores >= scores.max(axis=1, keepdims=True) - tie
        sure = (best.sum(axis=1) == 1) & (self._tallies.sum(axis=1) > 0)
        chosen: IntArray = np.where(sure, best.argmax(axis=1), -1)
        return chosen[self.row_of]

    def shares(self, decided: IntArray) -> dict[str, float]:
        """Of the rows with an answer, the share of every class."""
        counts = np.bincount(decided + 1, minlength=len(self.classes) + 1)[1:]
        total = max(int(counts.sum()), 1)
        return {c: int(n) / total for c, n in zip(self.classes, counts, strict=True)}

    def unmet_shares(self) -> list[str]:
        """Least and greatest shares that labels have on average, but not the answers."""
        notes, answers = [], self.shares(self.decided)
        for name, asked in self.project.entries["balance"].items():
            low, high = asked.get("at_least", 0), asked.get("at_most", 1)
            if (
                low - SHARE_TOLERANCE <= answers[name] <= high + SHARE_TOLERANCE
                or not self.voting
            ):
                continue
            at = self.classes.index(name)
            mean = float(self.row_labels[:, at] @ np.bincount(self.row_of))
            held = f"{mean / len(self.row_of):.0%}"
            notes.append(
                f"The share of {name} that you ask for holds for the mean of the "
                f"probabilities ({held}). But {name} is the likeliest class of "
                f"{answers[name]:.0%} of the rows with an answer: add rules that tell its "
                "rows from others."
            )
        return notes

    def moves(self) -> list[dict[str, Any]]:
        """How many labels the last act changed, from which class to which, most first."""
        if self.before is None:
            return []
        k = len(self.classes) + 1
        pair = (self.before + 1) * k + self.decided + 1
        counts = np.bincount(pair, minlength=k * k).reshape(k, k)
        np.fill_diagonal(counts, 0)
        names = [None, *self.classes]
        moves = [
            {"from": names[a], "to": names[b], "rows": int(counts[a, b])}
            for a, b in zip(*np.nonzero(counts), strict=True)
        ]
        return sorted(moves, key=lambda move: -move["rows"])

    def errors(self) -> dict[str, dict[str, Any]]:
        """By rule: the error under the labels, and the estimate with its interval."""
        if self.labeler is None:
            return {}
        rates, implied = self.labeler.rates_, self.labeler.implied_error_rates_
        ends = rates.intervals(INTERVAL_LEVEL)
        each = zip(
            self.voting, implied, rates.error_rates, ends, rates.sources, strict=True
        )
        found = {}
        for rule, now, rate, (low, high), source in each:
            estimated = {"rate": rate, "low": low, "high": high, "source": source}
            found[rule] = as_plain({"error": now, "estimated": estimated})
        return found

    def explain(self, place: int) -> list[dict[str, Any]]:
        """The part of every rule and constraint in a label, largest first."""
        if self.labeler is None or (self.codes[self.row_of[place]] < 0).all():
            return []
        told = self.labeler.explain(place, self.signals)
        shares, m = told.shares.tolist(), len(self.voting)
        votes = zip(self.voting, told.votes, shares[:m], strict=True)
        parts = [{"rule": i, "vote": vote, "share": x} for i, vote, x in votes if vote]
        others = zip(told.constraints, shares[m:], strict=True)
        parts += [{"rule": None, "constraint": c, "share": x} for c, x in others if x]
        return sorted(parts, key=lambda part: -abs(part["share"]))

    def find_clash(self) -> dict[str, Any]:
        """What a user asks of the labels that cannot hold together: in words, and rules."""
        none: dict[str, Any] = {"message": "", "rules": []}
        names, entries = self.names, self.project.entries
        # Only rules with a rate matter, which leaves few distinct rows.
        rules = [i for i in self.voting if i in entries["rates"]] or self.voting[:1]
        constraints = self.constraints(rules)
        if self.signals is None or not constraints:
            return none
        with catch_notes():
            try:
                labeler = ConstrainedLabeler(None, "entropy", constraints=constraints)
                result = feasibility(labeler, self._make_signals(rules))
            except ParameterError as error:  # such as shares that add up to 1.2
                return none | {"message": str(error)}
        if result.feasible:
            return none
        subjects = {names[i]: f"error of {names[i]!r}" for i in rules}
        subjects |= {f"ClassBalance({c})": f"share of {c}" for c in entries["balance"]}
        clashing = {}
        for row in np.flatnonzero(result.conflict).tolist():
            name, nearest = result.names[row], f"nearest {result.nearest[row]:.1%}"
            least, most = max(result.lower[row], 0), min(result.upper[row], 1)
            asked = f"{least:.4g}" if least == most else f"{least:.4g} to {most:.4g}"
            clashing[name] = f"{subjects[name]} {asked} ({nearest})"
        message = f"These cannot hold together: {'; '.join(clashing.values())}."
        return {"message": message, "rules": [i for i in rules if names[i] in clashing]}


def take_snapshot(
    project: Project,
    search: TextSearch,
    functions: FunctionRules,
    last: Snapshot | None = None,
    *,
    cancel: Event | None = None,
) -> Snapshot:
    """Find the votes of a project; those that `last` has are not searched for again."""
    votes = functions.votes(project.classes, search.rows)
    if last is not None and last.classes != project.classes:
        last = None
    for name, rule in project.rules.items():
        if last is not None and last.project.rules.get(name) == rule:
            votes[name] = last.votes[name]
        else:
            votes[name] = search.votes(rule, project.classes, cancel)
    before = None if last is None else last.decided
    return Snapshot(project, search, functions, votes, before)
