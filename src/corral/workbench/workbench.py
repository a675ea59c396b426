"""The workbench: rows, rules and labels that follow as one types."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event, RLock
from typing import Any

import numpy as np

from corral.errors import ParameterError, StaleVersionError, StorageError
from corral.storage import check_output
from corral.workbench.actions import check_row, check_rule, plan
from corral.workbench.asking import choose_row, propose_rule
from corral.workbench.background import Completion, Quiet
from corral.workbench.exports import check_export, export
from corral.workbench.opening import (
    Opened,
    check_step,
    draw_sample,
    open_project,
    stem_of,
)
from corral.workbench.previews import preview_rule
from corral.workbench.project import Project
from corral.workbench.row_lists import select, show_row, show_rows, sought_words
from corral.workbench.rules import Rule
from corral.workbench.snapshot import Snapshot, take_snapshot
from corral.workbench.state_view import show_state
from corral.workbench.text_search import TextSearch

MOST_ROWS = 1000
"""Rows in one answer."""
SAMPLE = 100_000
"""Rows that are looked at before an answer; of larger data, a sample."""


class Workbench:
    r"""Rules written on raw rows, and the labels that follow, at the speed of typing.

    Open one by `Workbench.open`. ``corral serve`` shows it as a page; whatever that page
    does is a call of a method here. All methods may be called from several threads.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from corral.workbench import Rule, Workbench
    >>> file = Path(tempfile.mkdtemp()) / "messages.csv"
    >>> _ = file.write_text("text\nwin a free prize\nlunch at noon?\nfree for lunch?\n")
    >>> bench = Workbench.open(file, text="text", classes=("ham", "spam"))
    >>> free = Rule("words", "spam", words=("free",))
    >>> bench.preview(free)["covered"]
    2
    >>> state = bench.act({"what": "add_rule", "rule": free.to_dict()}, version=0)
    >>> state["totals"]["covered"], state["rules"][0]["name"]
    (2, 'free')
    >>> bench.close()
    """

    def __init__(self, opened: Opened) -> None:
        self._store, self._functions = opened.store, opened.functions
        self._file, self._data = opened.file, opened.data
        self._functions_file = opened.functions_file
        self._facts = opened.facts
        self._lock = RLock()
        self._recent: list[tuple[int, str]] = []  # what was done, by version before it
        self._quiet = Quiet()
        self._completion: Completion | None = None
        try:
            rows = draw_sample(self._store.n_rows, SAMPLE)
            self._search = TextSearch(self._store, rows)
            project, functions = opened.project, opened.functions
            self._snapshot = take_snapshot(project, self._search, functions)
            if not opened.is_saved:
                self._file.write(project, self._data)
            if rows is not None:
                self._completion = Completion(self._store, functions, self._quiet)
                self._completion.request(project)
        except BaseException:
            self._file.close()
            raise

    @classmethod
    def open(
        cls,
        data: str | os.PathLike[str],
        *,
        text: str,
        project: str | os.PathLike[str] | None = None,
        classes: Sequence[str] | None = None,
        functions: str | os.PathLike[str] | None = None,
    ) -> Workbench:
        """Read a file of rows, and go on with its project if there is one.

        Parameters
        ----------
        data : path
            CSV, TSV, JSON lines or Parquet. It is never written to.
        text : str
            The column with the texts.
        project : path, optional
            Where the project is kept; default: beside the data, ``reviews.corral.json``
            for ``reviews.csv``.
        classes : sequence of str, optional
            All classes in order. They can be named later, too.
        functions : path, optional
            A Python file of functions of corral, whose votes count as those of rules
            that cannot be edited.
        """
        return cls(open_project(data, text, project, classes, functions))

    @property
    def name(self) -> str:
        """The name of the data, without its ending."""
        return stem_of(self._store.path)

    def close(self) -> None:
        """End what runs in the background; let another process open the project."""
        if self._completion is not None:
            self._completion.close()
        self._file.close()

    def _current(self) -> Snapshot:
        """The present state on all rows, or on the sample as long as that takes."""
        snapshot = self._snapshot
        if self._completion is None:
            return snapshot
        return self._completion.find(snapshot.project.version) or snapshot

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until all rows were looked at; whether they were.

        Above 100,000 rows, answers come from a sample of so many until a thread has
        looked at all of them. Then `state` and `rows` speak of all.

        Parameters
        ----------
        seconds : float, optional
            The longest time to wait; default: as long as it takes.
        """
        return self._complete(seconds) is not None

    def _complete(self, seconds: float | None = None) -> Snapshot | None:
        """The present state, or a later one, on all rows; None if that takes longer."""
        if self._completion is None:
            return self._snapshot
        return self._completion.wait(self._snapshot.project.version, seconds)

    # -- looking --------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All there is to show beside rows, as JSON has it."""
        return self._show(self._current())

    def _show(self, snapshot: Snapshot) -> dict[str, Any]:
        search = snapshot.search
        return {
            "name": self.name,
            "data": {
                "file": self._store.path.name,
                "rows": self._store.n_rows,
                "columns": self._store.columns,
                "numbers": self._store.numbers,
                "text": self._store.text,
                "sampled": None if search.rows is None else search.n_rows,
            },
            **show_state(snapshot),
            "saved": {
                "path": str(self._file.path),
                "version": snapshot.project.version,
            },
            "working": search.rows is not None,
        }

    def preview(
        self,
        rule: Rule | Mapping[str, Any],
        *,
        replaces: str | None = None,
        cancel: Event | None = None,
    ) -> dict[str, Any]:
        """What a rule would do; nothing is changed.

        Parameters
        ----------
        rule : Rule or mapping
        replaces : str, optional
            The id of the rule in whose place it would be.
        cancel : Event, optional
            Once it is set, `PreviewCancelled` is raised as soon as possible.

        Returns
        -------
        dict
            How many rows it covers, contradicts others on and has alone; labels that would
            change; some of the rows, with the places of the matches.
        """
        snapshot = self._snapshot
        known = snapshot.project.section("rules")
        if replaces is not None and not (
            isinstance(replaces, str) and replaces in known
        ):
            raise ParameterError(
                f"must be the id of a rule that was written here; {replaces!r:.80} came.",
                parameter="replaces",
            )
        given = rule if isinstance(rule, Rule) else Rule.from_dict(rule)
        checked = check_rule(snapshot.project, given, self._facts, replaces)
        with self._quiet.broken():
            return preview_rule(snapshot, self._store, checked, replaces, cancel)

    def rows(
        self, selection: Mapping[str, Any], offset: int = 0, limit: int = 50
    ) -> dict[str, Any]:
        """The rows behind a number.

        Parameters
        ----------
        selection : mapping
            ``{"what": ...}``: "all", "covered", "uncovered", "conflicting", "wrong"
            (against hand labels), "changed" (by the last act), "uncertain",
            "undecided", "labelled", or "search" with "words". With a "rule" (its id):
            what it covers, contradicts others on, has alone ("only") or has wrong.
        offset, limit : int
        """
        for name, value in (("offset", offset), ("limit", limit)):
            if type(value) is not int or value < 0:
                raise ParameterError(
                    f"must be a whole number from 0; {value!r:.80} came.",
                    parameter=name,
                )
        snapshot = self._current()
        places = select(snapshot, selection)
        sought = (
            sought_words(snapshot, selection)
            if selection.get("what") == "search"
            else None
        )
        part = places[offset : offset + min(limit, MOST_ROWS)]
        return {
            "version": snapshot.project.version,
            "total": len(places),
            "offset": offset,
            "sampled": None if snapshot.search.rows is None else snapshot.search.n_rows,
            "rows": show_rows(snapshot, self._store, part, sought),
        }

    def row(self, row: int) -> dict[str, Any]:
        """One row in full, with the part of every rule in its label."""
        snapshot = self._current()
        number = check_row(row, self._store.n_rows)
        return show_row(snapshot, self._store, number)

    def ask(self, how: str = "suggested", skip: Sequence[int] = ()) -> dict[str, Any]:
        """The row to label next, in full.

        Parameters
        ----------
        how : {"suggested", "random"}
            The row that would teach most about the rules (`corral.suggest_labels`), or
            one that is drawn by lot. Only the latter tell how right the labels are.
        skip : sequence of int
            Rows that are not wanted. Do not skip random rows because they are hard: what
            is left would look too good.
        """
        snapshot = self._snapshot
        for row in skip:
            check_row(row, self._store.n_rows)
        place = choose_row(snapshot, how, skip)
        (row,) = snapshot.row_numbers(np.array([place])).tolist()
        return {**show_row(snapshot, self._store, row), "how": how}

    def propose(self, words: str) -> dict[str, Any]:
        """A rule from words that were selected in a text.

        Parameters
        ----------
        words : str

        Returns
        -------
        dict
            The rule; the class that its rows have more often than others, by the present
            labels, None if these say nothing; how many rows it covers and how many of
            them no rule covers yet; its precision as the present labels see it
            (``estimated_precision``, on so many rows, ``estimated_on``). That is no
            measurement: labels come from the rules that are there.
        """
        return propose_rule(self._snapshot, words)

    def export(
        self,
        what: str,
        path: str | os.PathLike[str],
        format: str | None = None,
    ) -> Path:
        """Write something to a file, which is replaced if it is there.

        Parameters
        ----------
        what : {"functions", "votes", "labels", "report"}
            A Python file of functions of corral with exactly the same votes, which can be
            opened again; all rows with the votes of every rule, and hand labels; all rows
            with labels, which are those given by hand where there are any; the report of
            `corral.report`.
        path : path
        format : str, optional
            "py" of functions, "csv" or "parquet" of votes and labels, "html" of the
            report; default: by the ending of `path`.

        Returns
        -------
        Path
        """
        check_export(what, path, format)
        used = (self._store.path, self._file.path, self._functions_file)
        check_output(path, inputs=[p for p in used if p is not None], overwrite=True)
        complete = self._complete()
        if complete is None:
            raise StorageError("the workbench was closed; nothing was exported.")
        return export(what, path, complete, self._store, self._functions_file)

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
              label by hand; no class: none any more. How the row was found is "random",
              "suggested" or "chosen";
            - ``{"what": "set_classes", "classes": [...]}``;
            - ``{"what": "undo"}`` and ``{"what": "redo"}``.
        version : int
            The version of the state that the action is meant for.

        Raises
        ------
        StaleVersionError
            If another tab or program changed something meanwhile.
        """
        with self._lock:
            before = self._snapshot
            self._refuse_stale(version, before.project)
            what = action.get("what") if isinstance(action, Mapping) else None
            if what == "undo":
                after, said = before.project.undo(), "undo"
            elif what == "redo":
                after, said = before.project.redo(), "redo"
            else:
                step = plan(before.project, action, self._facts)
                after, said = before.project.take(step), step.what
            if what in ("undo", "redo"):
                check_step(after, self._store, self._file.path.name)
            self._refuse_missing_classes(after)
            snapshot = take_snapshot(after, self._search, self._functions, before)
            self._file.write(after, self._data)
            self._recent = [*self._recent, (before.project.version, said)][-50:]
            self._snapshot = snapshot
            if self._completion is not None:
                self._completion.request(after)
            return self._show(snapshot)

    def _refuse_missing_classes(self, project: Project) -> None:
        """Refuse to go back to before functions were loaded that need other classes."""
        for name in self._facts.function_classes:
            if name not in project.classes:
                raise ParameterError(
                    f"must have {name!r}, which a function needs.", parameter="classes"
                )

    def _refuse_stale(self, version: Any, project: Project) -> None:
        if version == project.version and type(version) is int:
            return
        known = isinstance(version, int)
        since = [said for at, said in self._recent if known and at >= version]
        listed = f" ({', '.join(since[-3:])})" if since else ""
        raise StaleVersionError(
            f"something was changed meanwhile{listed}; nothing was done. Look at the state "
            f"as it is now, version {project.version}, and act on that."
        )
