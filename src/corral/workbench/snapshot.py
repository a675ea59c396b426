"""One state of the workbench: project, votes and labels that belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from typing import Any

import numpy as np

from corral._types import IntArray
from corral.workbench.evaluation import Demands, Evaluation, evaluate
from corral.workbench.function_rules import FunctionRules
from corral.workbench.project import Project
from corral.workbench.rules import Rule
from corral.workbench.text_search import TextSearch

FEWEST_TAUGHT = 20
"""Hand labels from which on labels are learned from them; fewer may do harm."""


@dataclass(frozen=True)
class Snapshot:
    """A project and what follows from it.

    Attributes
    ----------
    project : Project
    search : TextSearch
        The rows that are looked at: all, or a sample.
    functions : FunctionRules or None
    votes : (n, m) array of int8
    evaluation : Evaluation
    before : (n,) array of int or None
        The labels before the last act, as `Evaluation.decided`.
    """

    project: Project
    search: TextSearch
    functions: FunctionRules | None
    evaluation: Evaluation
    before: IntArray | None = None

    @cached_property
    def ids(self) -> dict[str, int]:
        """The column of every rule, by id: functions first."""
        own = [] if self.functions is None else list(self.functions.ids)
        return {name: at for at, name in enumerate([*own, *self.project.rules])}

    @cached_property
    def names(self) -> dict[str, str]:
        """The name of every rule, by id, in the order of `ids`."""
        own = {} if self.functions is None else self.functions.ids
        return own | {name: rule.title for name, rule in self.rules.items()}

    @cached_property
    def rules(self) -> dict[str, Rule]:
        """Rules that were written on the page, by id."""
        return self.project.rules

    def row_numbers(self, places: IntArray) -> IntArray:
        """From places among the rows that are looked at to numbers of rows."""
        rows = self.search.rows
        return places if rows is None else rows[places]

    def places(self, rows: IntArray) -> IntArray:
        """The way back; -1 for rows that are not looked at."""
        return self.search.places(rows)


def take_snapshot(
    project: Project,
    search: TextSearch,
    functions: FunctionRules | None,
    before: Snapshot | None = None,
    *,
    cancel: Event | None = None,
) -> Snapshot:
    """Evaluate a project; columns that `before` has are not searched for again."""
    votes = _find_votes(project, search, functions, before, cancel)
    demands = find_demands(project, search, functions)
    names = [] if functions is None else list(functions.names)
    names += [rule.title for rule in project.rules.values()]
    evaluation = evaluate(votes, project.classes, demands, names)
    old = None
    if before is not None and before.project.classes == project.classes:
        old = before.evaluation.decided
    return Snapshot(project, search, functions, evaluation, old)


def _find_votes(
    project: Project,
    search: TextSearch,
    functions: FunctionRules | None,
    before: Snapshot | None,
    cancel: Event | None,
) -> Any:
    """(n, m) votes of all rules on the rows that are looked at."""
    known: dict[str, Rule] = {}
    if before is not None and before.project.classes == project.classes:
        known = before.rules
    columns = []
    if functions is not None:
        coded = functions.coded(project.classes)
        columns.append(coded if search.rows is None else coded[search.rows])
    for name, rule in project.rules.items():
        if before is not None and known.get(name) == rule:
            old = before.evaluation.votes[:, before.ids[name]]
            columns.append(old[:, None])
        else:
            found = vote_column(search, rule, project.classes, cancel)
            columns.append(found[:, None])
    if not columns:
        return np.empty((search.n_rows, 0), np.int8)
    return np.concatenate(columns, axis=1)


def vote_column(
    search: TextSearch,
    rule: Rule,
    classes: tuple[str, ...],
    cancel: Event | None = None,
) -> Any:
    """(n,) what a rule says of every row."""
    found = search.find(rule, cancel)
    return np.where(found, np.int8(classes.index(rule.class_)), np.int8(-1))


def find_demands(
    project: Project, search: TextSearch, functions: FunctionRules | None
) -> Demands:
    """What the project asks of the labels of the rows that are looked at."""
    own = [] if functions is None else list(functions.ids)
    at = {name: i for i, name in enumerate([*own, *project.rules])}
    rates = {at[k]: v for k, v in project.section("rates").items() if k in at}
    taught: dict[int, int] = {}
    lessons = teaching_rows(project)
    if len(lessons) >= FEWEST_TAUGHT:
        places = search.places(np.fromiter(lessons, np.int64, len(lessons)))
        taught = {
            place: project.classes.index(lessons[row])
            for row, place in zip(lessons, places.tolist(), strict=True)
            if place >= 0
        }
    return Demands(rates, dict(project.section("balance")), taught)


def teaching_rows(project: Project) -> dict[int, str]:
    """Hand labels that labels may be learned from: those of rows not drawn by lot.

    Rows that were drawn by lot measure how right the labels are. They could not if the
    labels had been learned from them.
    """
    entries: Mapping[str, Any] = project.section("hand_labels")
    return {int(row): e["class"] for row, e in entries.items() if e["how"] != "random"}
