"""Large data: a sample answers at once, and a thread looks at all rows afterwards."""

from __future__ import annotations

from threading import Condition, Event, Thread

from corral.workbench.function_rules import FunctionRules
from corral.workbench.project import Project
from corral.workbench.row_store import RowStore
from corral.workbench.snapshot import Snapshot, take_snapshot
from corral.workbench.text_search import PreviewCancelled, TextSearch


class Completion:
    """Evaluates the latest project on all rows, in a thread of its own.

    Parameters
    ----------
    store : RowStore
    functions : FunctionRules or None
    """

    def __init__(self, store: RowStore, functions: FunctionRules | None) -> None:
        self._store, self._functions = store, functions
        self._news = Condition()
        self._wanted: Project | None = None
        self._found: Snapshot | None = None
        self._failure: BaseException | None = None
        self._stop = Event()  # what is being done is not wanted any more
        self._closed = Event()
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
        """The same, once it is there; None if it takes longer."""

        def is_over() -> bool:
            return self._closed.is_set() or self.find(version) is not None

        with self._news:
            self._news.wait_for(is_over, seconds)
        return self.find(version)

    def close(self) -> None:
        """End the thread."""
        with self._news:
            self._closed.set()
            self._stop.set()
            self._news.notify_all()
        self._thread.join()

    def _run(self) -> None:
        try:
            search = TextSearch(self._store, cancel=self._closed)
            while True:
                with self._news:
                    self._news.wait_for(self._has_work)
                    if self._closed.is_set():
                        return
                    project, self._wanted = self._wanted, None
                    self._stop = stop = Event()
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
