"""The workbench: rows, rules, and labels that follow every keystroke.

Large data: a sample answers at once, and a thread evaluates all rows afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event, RLock
from typing import Any

import numpy as np

from corral._types import IntArray
from corral.checks import check_choice
from corral.errors import ParameterError, StaleVersionError, StorageError
from corral.progress import heed_interrupts
from corral.results import as_plain
from corral.storage import check_output, reading
from corral.workbench import exports
from corral.workbench.labels import (
    FunctionRules,
    Snapshot,
    run_functions,
    take_snapshot,
)
from corral.workbench.next_rules import find_topics, train_quickly
from corral.workbench.project import (
    Actions,
    Project,
    ProjectFile,
    Rule,
    check_row,
    require,
)
from corral.workbench.rows import RowStore
from corral.workbench.search import (
    PreviewCancelled,
    TextSearch,
    cut,
    find_spans,
    quote_text,
    stop_if,
)
from corral.workbench.views import describe, find_matches, measure, select, show_rules

SAMPLE_ROWS = 100_000
"""Rows that answer at once; of larger data, a sample."""
MAX_SECONDS_TO_GIVE_WAY = 1.0
"""Seconds that work in the background waits for a user who types."""
MAX_ROWS = 1000
"""Rows in one answer."""
MAX_MATCHES = 12
"""Matching rows that a preview shows."""
MAX_TEXT_LENGTH, MAX_CELL_LENGTH = 200_000, 200
"""Characters of the text of a single row, and of its other cells."""
MAX_SELECTED_LENGTH = 200
"""Characters that a rule is proposed from."""


class Workbench:
    r"""Rules written on raw rows, and the labels that follow, at the speed of typing.

    Open one by `Workbench.open`. ``corral serve`` shows it as a page; whatever that page
    does is a call of a method here. Several threads may call them.
    """

    def __init__(
        self,
        store: RowStore,
        file: ProjectFile,
        classes: Sequence[str] | None,
        functions: str | os.PathLike[str] | None,
    ) -> None:
        self._store, self._file, self._functions_file = store, file, functions
        saved = file.read()
        project = saved or Project()
        with reading(file.path, "rules for these rows"):
            for rule in project.rules.values():
                store.check_column(rule)
        known = classes or project.classes
        self._functions = run_functions(functions, store, known)
        self._actions = Actions(store, self._functions)
        named = list(known or self._functions.classes)
        if named != list(project.classes):
            act = {"what": "set_classes", "classes": named}
            project = self._actions.do(project, act)
            # In a new project there is nothing to go back to.
            project = project if saved else Project(project.entries)
        rows = None
        if store.n_rows > SAMPLE_ROWS:
            rng = np.random.default_rng(0)
            rows = np.sort(rng.choice(store.n_rows, SAMPLE_ROWS, replace=False))
        self._search = TextSearch(store, rows)
        self._snapshot = take_snapshot(project, self._search, self._functions)
        if project is not saved:
            file.write(project)
        self._lock, self._idle = RLock(), Event()
        self._idle.set()  # until a user types
        self._full: FullEvaluation | None = None
        if rows is not None:
            self._full = FullEvaluation(store, self._functions, self._idle)
            self._full.request(project)

    @classmethod
    def open(
        cls,
        data: str | os.PathLike[str],
        *,
        text: str | None = None,
        project: str | os.PathLike[str] | None = None,
        classes: Sequence[str] | None = None,
        functions: str | os.PathLike[str] | None = None,
    ) -> Workbench:
        """Read a file of rows, and go on with its project if there is one.

        Parameters
        ----------
        data : path
            CSV, TSV, JSON lines or Parquet. It is never written to.
        text : str, optional
            The column with the texts; needed only if several may be it.
        project : path, optional
            Where the project is kept; default: beside the data, ``reviews.corral.json``
            for ``reviews.csv``.
        classes : sequence of str, optional
            All classes in order. They can be named later, too.
        functions : path, optional
            A Python file of functions of corral. The page shows them as rules that it
            cannot edit.
        """
        with heed_interrupts():
            store = RowStore(data, text)
            beside = store.path.with_name(f"{_stem(store.path)}.corral.json")
            file = ProjectFile(project or beside, store.describe())
            return cls(store, file, classes, functions)

    @property
    def name(self) -> str:
        """The name of the data, without its ending."""
        return _stem(self._store.path)

    def close(self) -> None:
        """End the work in the background."""
        if self._full is not None:
            self._full.close()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait, at most so many seconds, until all rows are evaluated; whether they are.

        Above 100,000 rows, answers come from a sample of so many until a thread has
        evaluated all rows. Then `state` and `rows` speak of all.
        """
        return self._complete(seconds) is not None

    def _complete(self, seconds: float | None = None) -> Snapshot | None:
        """The present state, or a later one, on all rows; None if that takes longer."""
        return self._snapshot if self._full is None else self._full.wait(seconds)

    def _current(self) -> Snapshot:
        """The present state: on all rows, or until that is known on the sample."""
        return self._complete(0) or self._snapshot

    # -- looking --------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All there is to show beside rows, as JSON has it."""
        return self._show_state(self._current())

    def _show_state(self, snapshot: Snapshot) -> dict[str, Any]:
        project, search = snapshot.project, snapshot.search
        covered = snapshot.covers("covered")
        return {
            "data": {
                "rows": self._store.n_rows,
                "columns": [c for c in self._store.columns if c != self._store.text],
                "sampled": search.sampled,
            },
            "project": str(self._file.path),
            "version": project.version,
            "classes": list(project.classes),
            "rules": show_rules(snapshot),
            "totals": {
                "rows": len(covered),
                "covered": int(covered.sum()),
                "uncovered": int((~covered).sum()),
                "conflicting": int(snapshot.covers("conflicting").sum()),
                "changed": sum(move["rows"] for move in snapshot.moves()),
            },
            "shares": snapshot.shares(snapshot.decided),
            "majority_shares": snapshot.shares(snapshot.majority),
            "balance": {c: dict(v) for c, v in project.entries["balance"].items()},
            "feasibility": snapshot.find_clash(),
            "hand_labels": measure(snapshot),
            "notes": [*snapshot.notes, *snapshot.unmet_shares()],
            "can_undo": project.undo_steps[-1].what if project.undo_steps else None,
            "can_redo": project.redo_steps[-1].what if project.redo_steps else None,
            "working": search.sampled is not None,
        }

    def preview(
        self,
        rule: Rule | Mapping[str, Any],
        *,
        replaces: str | None = None,
        cancel: Event | None = None,
    ) -> dict[str, Any]:
        """What a rule would do; nothing is changed.

        That is: how many rows it covers, contradicts others on and has alone; labels that
        would change; some of the rows, with the places of the matches.

        Parameters
        ----------
        rule : Rule or mapping
        replaces : str, optional
            The id of the rule in whose place it would be.
        cancel : Event, optional
            Once it is set, `PreviewCancelled` is raised as soon as possible.
        """
        given = rule.to_dict() if isinstance(rule, Rule) else rule
        action: dict[str, Any] = {"what": "add_rule", "rule": given}
        if replaces is not None:
            action = {"what": "edit_rule", "rule": replaces, "to": given}
        snapshot, search = self._snapshot, self._search
        draft = self._actions.do(snapshot.project, action)
        at = draft.undo_steps[-1].changes[0].key
        self._idle.clear()
        try:
            after = take_snapshot(
                draft, search, self._functions, snapshot, cancel=cancel
            )
            stop_if(cancel)
            moves = after.moves()
        finally:
            self._idle.set()
        some = np.flatnonzero(after.votes[at] >= 0)
        if len(some):  # from all over the file
            shown = np.linspace(0, len(some) - 1, MAX_MATCHES).astype(int)
            some = some[np.unique(shown)]
        rows = search.rows[some]
        texts = [text or "" for text in self._store.texts_of(rows)]
        names = (*after.classes, None)  # -1 is the last
        labels = [names[k] for k in snapshot.decided[some].tolist()]
        spans = find_spans(self._store, draft.rules[at], texts)
        return {
            "rows": search.n_rows,
            "sampled": search.sampled,
            **after.rule_counts(at),
            "changed": sum(move["rows"] for move in moves),
            "moves": moves,
            "matching": [
                {"row": row, "label": label, **cut(text, own)}
                for row, label, text, own in zip(
                    rows.tolist(), labels, texts, spans, strict=True
                )
            ],
        }

    def rows(
        self, selection: Mapping[str, Any], offset: int = 0, limit: int = 50
    ) -> dict[str, Any]:
        """The rows behind a number.

        Parameters
        ----------
        selection : mapping
            ``{"what": ...}``: "all", "covered", "uncovered", "conflicting", "wrong"
            (against hand labels), "changed" (by the last act), "uncertain", "labelled",
            "search" with "words", or "listed" with "rows", a list of numbers. With a
            "rule" (its id): the rows that it covers, contradicts others on, covers alone
            ("only") or has wrong.
        offset, limit : int
        """
        require(isinstance(selection, Mapping), "selection", "an object", selection)
        snapshot, store = self._current(), self._store
        what, sought = selection.get("what", "all"), None
        if what == "search":
            words = _read_words(selection.get("words"))
            sought = Rule("words", "any", words=(words,))
            places = np.flatnonzero(snapshot.search.find(sought))
        elif what == "listed":
            places = self._find_places(snapshot, selection.get("rows"))
        else:
            places = select(snapshot, what, selection.get("rule"))
        part = places[offset : offset + min(limit, MAX_ROWS)]
        numbers = snapshot.search.rows[part]
        texts = [text or "" for text in store.texts_of(numbers)]
        spans: Any = find_spans(store, sought, texts) if sought else None
        if spans is None:
            spans = find_matches(snapshot, store, part, texts)
        return {
            "total": len(places),
            "rows": [
                {**describe(snapshot, place), **cut(text, own)}
                for place, text, own in zip(part.tolist(), texts, spans, strict=True)
            ],
        }

    def _find_places(self, snapshot: Snapshot, rows: Any) -> IntArray:
        """From numbers of rows to places in what is searched."""
        require(isinstance(rows, list | tuple), "rows", "a list of numbers", rows)
        numbers = [check_row(row, self._store.n_rows) for row in rows]
        places = snapshot.search.places(np.array(numbers, np.int64))
        return places[places >= 0]

    def row(self, row: int) -> dict[str, Any]:
        """One row in full, with the part of every rule in its label."""
        return self._show_row(self._current(), check_row(row, self._store.n_rows))

    def _show_row(self, snapshot: Snapshot, row: int) -> dict[str, Any]:
        store = self._store
        (cells,) = store.cells_of(np.array([row]), store.columns)
        by_name = dict(zip(store.columns, cells, strict=True))
        text = by_name.pop(store.text) or ""
        for name, cell in by_name.items():
            by_name[name] = cell[:MAX_CELL_LENGTH] if isinstance(cell, str) else cell
        (place,) = snapshot.search.places(np.array([row])).tolist()
        spans: list[Any] = []
        shown: dict[str, Any] = {"row": row}
        if place >= 0:  # else it is not in the sample, and has no label yet
            (spans,) = find_matches(snapshot, store, np.array([place]), [text])
            shown = describe(snapshot, place)
            shown["explanation"] = snapshot.explain(place)
        return {
            **shown,
            **cut(text, spans, MAX_TEXT_LENGTH),
            "length": len(text),
            "cells": as_plain(by_name),
        }

    def ask(self, how: str = "suggested", skip: Sequence[int] = ()) -> dict[str, Any]:
        """The row to label next, in full.

        Parameters
        ----------
        how : {"suggested", "random"}
            The row that rules doubt most, of those the one with the commonest votes, or
            one that is drawn by lot. Only random rows tell how right the labels are.
        skip : sequence of int
            Rows to leave out. Do not skip random rows because they are hard: the rest
            would look too good.
        """
        check_choice("how", how, ("suggested", "random"))
        snapshot, search = self._snapshot, self._search
        skipped = self._find_places(snapshot, skip)
        known = np.union1d(snapshot.hand_labelled[0], skipped)
        if how == "random":  # in the same order whenever a project is opened
            order = np.random.default_rng(0).permutation(search.n_rows)
            found: Any = order[~np.isin(order, known)]
            problem = "every row has a hand label."
        else:
            labeler, found = snapshot.labeler, ()
            if labeler is not None:
                signals: Any = snapshot.signals
                left = signals.covered & ~np.isin(np.arange(len(signals)), known)
                common = np.bincount(signals.row_of, left)[signals.row_of]
                doubt = 1 - labeler.predict_proba(signals).max(axis=1).round(9)
                mixed = np.random.default_rng().permutation(np.flatnonzero(left))
                found = mixed[np.lexsort([-common[mixed], -doubt[mixed]])]
            problem = (
                "cannot be 'suggested': no rule votes on a row without a hand label. "
                "Add a rule, or ask for random rows."
            )
        if not len(found):
            raise ParameterError(problem, parameter="how")
        (row,) = search.rows[found[:1]].tolist()
        return {**self._show_row(snapshot, row), "how": how}

    def propose(self, words: str) -> dict[str, Any]:
        """A rule from words that were selected in a text.

        It comes with the class that its rows have more often than others, by the present
        labels (None if they cannot tell), with the number of rows that it covers, and with
        its precision if the present labels are right (``estimated_precision``). That is
        not a measurement: labels come from the rules that are there.
        """
        sought, snapshot = _read_words(words), self._snapshot
        classes = snapshot.classes
        require(len(classes) > 0, "classes", "named first", [])
        rule = Rule("words", classes[0], words=(sought,))
        matches = self._search.find(rule)
        if not matches.any():  # a part of a word: as a pattern, whatever the case
            rule = Rule("regex", classes[0], pattern=f"(?i){quote_text(sought)}")
            matches = self._search.find(rule)
        class_, precision = None, None
        covered = snapshot.covers("covered")
        told = matches & covered
        if snapshot.signals is not None and told.any():
            labels = snapshot.row_labels
            mean = labels[snapshot.row_of[told]].mean(axis=0)
            lift = mean - labels[snapshot.row_of[covered]].mean(axis=0)
            best = int(lift.argmax())
            class_, precision = classes[best], float(mean[best])
        return {
            "rule": {**rule.to_dict(), "class": class_},
            "covered": int(matches.sum()),
            "estimated_precision": precision,
        }

    def columns(self) -> dict[str, dict[str, int]]:
        """Columns with few values, which may be votes: how many rows have each value."""
        return self._store.few_values()

    def topics(self) -> dict[str, Any]:
        """Of a sample of the rows without a vote: common words, and groups of like rows.

        A group has its telling words, its share of the sample, and its most typical rows.
        """
        return find_topics(self._current(), self._store)

    def train(self) -> dict[str, Any]:
        """A classifier trained on the labels of a sample: what `corral.train` says of it.

        That is: how right it is on random rows with a hand label, the rules that it
        contradicts most, and the rows whose label it contradicts most surely. Every row was
        predicted by a classifier that had not seen it.
        """
        return train_quickly(self._current(), self._store)

    def export(self, what: str, path: str | os.PathLike[str]) -> Path:
        """Write something to a file, which is replaced if it is there.

        Parameters
        ----------
        what : {"functions", "votes", "labels", "report"}
            A Python file of functions of corral with exactly the same votes, which can be
            opened again; all rows with the votes of every rule, and hand labels; all rows
            with labels, which are hand labels where there are any; the report of
            `corral.report`.
        path : path
            Its ending is "py" for functions, "csv" or "parquet" for votes and labels,
            "html" for the report.
        """
        check_choice("what", what, exports.FORMATS)
        target, kinds = Path(path), exports.FORMATS[what]
        wanted = f"a name that ends in .{' or .'.join(kinds)}"
        good = target.suffix.removeprefix(".").lower() in kinds
        require(good, "path", wanted, target.name)
        used = (self._store.path, self._file.path, self._functions_file)
        check_output(path, inputs=[p for p in used if p is not None], overwrite=True)
        complete = self._complete()
        if complete is None:
            raise StorageError("the workbench was closed; nothing was exported.")
        exports.write(what, target, complete, self._store, self._functions_file)
        return target

    # -- changing ---------------------------------------------------------------------

    def act(self, action: Mapping[str, Any], version: int) -> dict[str, Any]:
        """Change something, save the project, and give the new state.

        Parameters
        ----------
        action : mapping
            One of

            - ``{"what": "add_rule", "rule": {...}}``, a rule as `Rule.to_dict` writes it;
            - ``{"what": "edit_rule", "rule": id, "to": {...}}``;
            - ``{"what": "remove_rule", "rule": id}``;
            - ``{"what": "set_rate", "rule": id, "rate": 0.1}``, or ``"at_most"``, or
              neither: as estimated;
            - ``{"what": "set_balance", "class": name, "at_least": 0.05, "at_most": 0.2}``,
              one, both or neither;
            - ``{"what": "label_row", "row": number, "class": name, "how": "random"}``, a
              label by hand; without a class it is taken back. How the row was found is
              "random", "suggested" or "chosen";
            - ``{"what": "set_classes", "classes": [...]}``;
            - ``{"what": "undo"}`` and ``{"what": "redo"}``.
        version : int
            The version of the state that the action belongs to.

        Raises
        ------
        StaleVersionError
            If another tab or program changed something meanwhile.
        """
        with self._lock:
            before = self._snapshot
            project = before.project
            if version != project.version or type(version) is not int:
                raise StaleVersionError(
                    "something was changed meanwhile, so nothing was done. Look at the "
                    f"state as it is now, version {project.version}, and act on that."
                )
            after = self._actions.do(project, action)
            snapshot = take_snapshot(after, self._search, self._functions, before)
            # Before it is saved: this may be refused.
            state = self._show_state(snapshot)
            self._file.write(after)
            if self._full is not None:
                self._full.request(after)
            self._snapshot = snapshot
            return state


def _read_words(given: Any) -> str:
    good = isinstance(given, str) and 0 < len(given.strip()) <= MAX_SELECTED_LENGTH
    require(good, "words", f"1 to {MAX_SELECTED_LENGTH} characters", given)
    return str(given).strip()


def _stem(path: Path) -> str:
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return plain.stem or plain.name


# -- work in the background ---------------------------------------------------------


class PatientEvent(Event):
    """An event that is asked for between two pieces of work, and gives way to users."""

    def __init__(self, idle: Event) -> None:
        super().__init__()
        self._idle = idle

    def is_set(self) -> bool:
        self._idle.wait(MAX_SECONDS_TO_GIVE_WAY)
        return super().is_set()


class FullEvaluation:
    """Evaluates the latest project on all rows, in a thread that gives way to users."""

    def __init__(self, store: RowStore, functions: FunctionRules, idle: Event) -> None:
        self._functions, self._idle = functions, idle
        self._thread = ThreadPoolExecutor(1, "corral workbench")
        self._closed, self._overtaken = PatientEvent(idle), Event()
        self._search = self._thread.submit(TextSearch, store, cancel=self._closed)
        self._last: Snapshot | None = None
        self._latest: Future[Snapshot]

    def request(self, project: Project) -> None:
        """Evaluate a project in the place of the one that was requested before."""
        overtaken, self._overtaken = self._overtaken, PatientEvent(self._idle)
        self._latest = self._thread.submit(self._evaluate, project, self._overtaken)
        overtaken.set()

    def _evaluate(self, project: Project, cancel: Event) -> Snapshot:
        search = self._search.result()
        given = project, search, self._functions, self._last
        self._last = take_snapshot(*given, cancel=cancel)
        return self._last

    def wait(self, seconds: float | None = None) -> Snapshot | None:
        """The latest project on all rows; None if it takes longer, or is closed."""
        while True:
            try:
                return self._latest.result(seconds)
            except TimeoutError:
                return None
            except (PreviewCancelled, CancelledError):
                if self._closed.is_set():
                    return None  # else a later project took its place

    def close(self) -> None:
        """End the thread."""
        self._closed.set()
        self._overtaken.set()
        self._thread.shutdown(cancel_futures=True)
