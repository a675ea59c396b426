"""The workbench: rows, rules and labels that follow as one types.

Large data: a sample answers at once, and a thread looks at all rows afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Event, RLock, Thread
from typing import Any

import numpy as np

from corral.errors import StaleVersionError, StorageError
from corral.storage import check_output
from corral.workbench.exports import check_export, export
from corral.workbench.labels import (
    FunctionRules,
    Snapshot,
    run_functions,
    take_snapshot,
)
from corral.workbench.project import (
    Actions,
    Project,
    ProjectFile,
    check_id,
    check_row,
)
from corral.workbench.rows import RowStore
from corral.workbench.rules import Rule, require
from corral.workbench.search import PreviewCancelled, TextSearch
from corral.workbench.views import (
    choose_row,
    list_rows,
    preview_rule,
    propose_rule,
    show_row,
    show_state,
)

SAMPLE_ROWS = 100_000
"""Rows that are looked at before an answer; of larger data, a sample."""
MAX_SECONDS_TO_GIVE_WAY = 1.0
"""Seconds that work in the background waits for an answer that somebody else wants."""


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

    def __init__(
        self,
        store: RowStore,
        file: ProjectFile,
        classes: Sequence[str] | None,
        functions: str | os.PathLike[str] | None,
    ) -> None:
        self._store, self._file, self._functions_file = store, file, functions
        self._data = store.describe()
        saved, start = file.read(), Project()
        if saved is not None:
            start = saved[0]
            self._check_read(*saved)
        self._functions = run_functions(functions, store, classes or start.classes)
        self._actions = Actions(store, self._functions)
        named = classes or start.classes or self._functions.classes
        project = start
        if named:
            step = self._actions.set_classes(start, {"classes": list(named)})
            if tuple(named) != start.classes:
                project = start.take(step)
            if saved is None:  # nothing to go back to
                project = Project(project.entries)
        self._lock = RLock()
        self._users = UserActivity()
        self._completion: FullEvaluation | None = None
        rows = None
        if store.n_rows > SAMPLE_ROWS:
            rng = np.random.default_rng(0)
            rows = np.sort(rng.choice(store.n_rows, SAMPLE_ROWS, replace=False))
        self._search = TextSearch(store, rows)
        self._snapshot = take_snapshot(project, self._search, self._functions)
        if saved is None or project is not start:
            file.write(project, self._data)
        if rows is not None:
            self._completion = FullEvaluation(store, self._functions, self._users)
            self._completion.request(project)

    def _check_read(self, project: Project, data: Mapping[str, Any]) -> None:
        """Refuse a project of other rows."""
        name, now = self._file.path.name, self._data
        if data["hash"] != now["hash"]:
            raise StorageError(
                f"the project {name!r} belongs to other rows: {data['rows']:,} of "
                f"{data['name']!r}, column {data['text']!r}; these are {now['rows']:,} of "
                f"{now['name']!r}, column {now['text']!r}. Name another project; to use "
                "its rules on these rows, export them as functions and open that file, too."
            )
        for rule in project.rules.values():
            if rule.kind == "threshold" and rule.column not in self._store.numbers:
                raise StorageError(
                    f"the rule {rule.title!r} of the project {name!r} needs the numbers of "
                    f"a column {rule.column!r}, which {now['name']!r} has not. Rename a "
                    "column, or open the old file and remove the rule."
                )

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
            A Python file of functions of corral, whose votes count as votes of
            rules that cannot be edited.
        """
        store = RowStore(data, text)
        beside = store.path.with_name(f"{_stem(store.path)}.corral.json")
        file = ProjectFile(beside if project is None else project)
        try:
            return cls(store, file, classes, functions)
        except BaseException:
            file.close()
            raise

    @property
    def name(self) -> str:
        """The name of the data, without its ending."""
        return _stem(self._store.path)

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
        """Wait, at most so many seconds, until all rows were looked at; whether they were.

        Above 100,000 rows, answers come from a sample of so many until a thread has
        looked at all of them. Then `state` and `rows` speak of all.
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
        path = str(self._file.path)
        return {"name": self.name, **show_state(self._current(), self._store, path)}

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
        snapshot = self._snapshot
        if replaces is not None:
            check_id(snapshot.project, replaces, "replaces")
        given = rule if isinstance(rule, Rule) else Rule.from_dict(rule)
        checked = self._actions.check_rule(snapshot.project, given, replaces)
        with self._users.waiting():
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
        return list_rows(self._current(), self._store, selection, offset, limit)

    def row(self, row: int) -> dict[str, Any]:
        """One row in full, with the part of every rule in its label."""
        number = check_row(row, self._store.n_rows)
        return show_row(self._current(), self._store, number)

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
        (row,) = snapshot.search.row_numbers(np.array([place])).tolist()
        return {**show_row(snapshot, self._store, row), "how": how}

    def propose(self, words: str) -> dict[str, Any]:
        """A rule from words that were selected in a text.

        It comes with the class that its rows have more often than others, by the present
        labels (None if these say nothing); how many rows it covers and how many of them
        no rule covers yet; its precision as the present labels see it
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
            project = before.project
            if version != project.version or type(version) is not int:
                since = project.version - version if isinstance(version, int) else 0
                steps = project.undo_steps[-since:] if since > 0 else ()
                said = (
                    f" ({', '.join(step.what for step in steps[-3:])})" if steps else ""
                )
                raise StaleVersionError(
                    f"something was changed meanwhile{said}; nothing was done. Look at the "
                    f"state as it is now, version {project.version}, and act on that."
                )
            what = action.get("what") if isinstance(action, Mapping) else None
            if what in ("undo", "redo"):
                after = project.undo() if what == "undo" else project.redo()
                for name in self._functions.classes:  # those loaded later may need more
                    wanted = f"such that {name!r} is among them, which a function needs"
                    require(name in after.classes, "classes", wanted, after.classes)
            else:
                after = project.take(self._actions.make_step(project, action))
            snapshot = take_snapshot(after, self._search, self._functions, before)
            self._file.write(after, self._data)
            self._snapshot = snapshot
            if self._completion is not None:
                self._completion.request(after)
            return self.state()


def _stem(path: Path) -> str:
    plain = path.with_suffix("") if path.suffix.lower() in (".gz", ".zst") else path
    return plain.stem or plain.name


# -- work in the background ---------------------------------------------------------


class UserActivity:
    """How many users wait for an answer just now."""

    def __init__(self) -> None:
        self._news = Condition()
        self._waiting = 0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A user waits, as long as this lasts."""
        with self._news:
            self._waiting += 1
        try:
            yield
        finally:
            with self._news:
                self._waiting -= 1
                self._news.notify_all()

    def give_way(self) -> None:
        """Wait until no user waits, but at most `MAX_SECONDS_TO_GIVE_WAY`."""
        with self._news:
            self._news.wait_for(lambda: not self._waiting, MAX_SECONDS_TO_GIVE_WAY)


class PatientEvent(Event):
    """An event that is asked for between two pieces of work, and gives way to others."""

    def __init__(self, users: UserActivity) -> None:
        super().__init__()
        self._users = users

    def is_set(self) -> bool:
        self._users.give_way()
        return super().is_set()


class FullEvaluation:
    """Evaluates the latest project on all rows, in a thread that gives way to users."""

    def __init__(
        self, store: RowStore, functions: FunctionRules, users: UserActivity
    ) -> None:
        self._store, self._functions, self._users = store, functions, users
        self._news = Condition()
        self._wanted: Project | None = None
        self._found: Snapshot | None = None
        self._failure: BaseException | None = None
        self._stop: Event = Event()  # set when the current work is not wanted any more
        self._closed = Event()
        self._abandon = PatientEvent(
            users
        )  # set when the texts are not wanted any more
        self._thread = Thread(target=self._run, daemon=True, name="corral workbench")
        self._thread.start()

    def request(self, project: Project) -> None:
        """Evaluate a project; what was requested before is not wanted any more."""
        with self._news:
            self._wanted = project
            self._stop.set()
            self._news.notify_all()

    def find(self, version: int) -> Snapshot | None:
        """The project of a version on all rows; None as long as that is not there."""
        if self._failure is not None:
            raise self._failure
        found = self._found
        return found if found is not None and found.project.version == version else None

    def wait(self, version: int, seconds: float | None = None) -> Snapshot | None:
        """The project of a version, or a later one, on all rows; None if it takes longer.

        The version itself may never be there: a later one takes its place.
        """

        def is_over() -> bool:
            return self._closed.is_set() or find() is not None

        def find() -> Snapshot | None:
            if self._failure is not None:
                raise self._failure
            found = self._found
            late = found is None or found.project.version < version
            return None if late else found

        with self._news:
            self._news.wait_for(is_over, seconds)
            return find()

    def close(self) -> None:
        """End the thread."""
        with self._news:
            self._closed.set()
            self._abandon.set()
            self._stop.set()
            self._news.notify_all()
        self._thread.join()

    def _run(self) -> None:
        try:
            search = TextSearch(self._store, cancel=self._abandon)
            while True:
                with self._news:
                    self._news.wait_for(
                        lambda: self._closed.is_set() or self._wanted is not None
                    )
                    if self._closed.is_set():
                        return
                    project, self._wanted = self._wanted, None
                    self._stop = stop = PatientEvent(self._users)
                assert project is not None
                try:
                    found = take_snapshot(
                        project, search, self._functions, self._found, cancel=stop
                    )
                except PreviewCancelled:
                    continue
                with self._news:
                    self._found = found
                    self._news.notify_all()
        except PreviewCancelled:
            return
        except BaseException as error:  # told to whoever asks next
            with self._news:
                self._failure = error
                self._news.notify_all()
