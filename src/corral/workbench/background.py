"""Large data: a sample answers at once, and a thread looks at all rows afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Event, Thread

from corral.workbench.function_rules import FunctionRules
from corral.workbench.project import Project
from corral.workbench.row_store import RowStore
from corral.workbench.snapshot import Snapshot, take_snapshot
from corral.workbench.text_search import PreviewCancelled, TextSearch

PATIENCE = 1.0
"""Seconds that work in the background waits for an answer that somebody else wants."""


class Quiet:
    """Whether nobody waits for an answer just now.

    Examples
    --------
    >>> from corral.workbench.background import Quiet
    >>> quiet = Quiet()
    >>> with quiet.broken():
    ...     quiet.wait(0)
    False
    >>> quiet.wait(0)
    True
    """

    def __init__(self) -> None:
        self._news = Condition()
        self._waiting = 0

    @contextmanager
    def broken(self) -> Iterator[None]:
        """Somebody waits, as long as this lasts."""
        with self._news:
            self._waiting += 1
        try:
            yield
        finally:
            with self._news:
                self._waiting -= 1
                self._news.notify_all()

    def wait(self, seconds: float = PATIENCE) -> bool:
        """Wait until nobody does; whether that is so."""
        with self._news:
            return self._news.wait_for(lambda: not self._waiting, seconds)


class PatientEvent(Event):
    """An event that is asked for between two pieces of work, and gives way to others."""

    def __init__(self, quiet: Quiet) -> None:
        super().__init__()
        self._quiet = quiet

    def is_set(self) -> bool:
        self._quiet.wait()
        return super().is_set()


class Completion:
    """Evaluates the latest project on all rows, in a thread of its own.

    Parameters
    ----------
    store : RowStore
    functions : FunctionRules or None
    quiet : Quiet
        It gives way to whoever breaks it.
    """

    def __init__(
        self, store: RowStore, functions: FunctionRules | None, quiet: Quiet
    ) -> None:
        self._store, self._functions, self._quiet = store, functions, quiet
        self._news = Condition()
        self._wanted: Project | None = None
        self._found: Snapshot | None = None
        self._failure: BaseException | None = None
        self._stop: Event = Event()  # what is being done is not wanted any more
        self._closed = Event()
        self._abandon = PatientEvent(quiet)  # the texts are not wanted any more
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
                    self._news.wait_for(self._has_work)
                    if self._closed.is_set():
                        return
                    project, self._wanted = self._wanted, None
                    self._stop = stop = PatientEvent(self._quiet)
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

    def _has_work(self) -> bool:
        return self._closed.is_set() or self._wanted is not None
