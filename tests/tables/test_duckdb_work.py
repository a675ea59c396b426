"""Work of DuckDB stops at Ctrl-C, also before it has begun."""

import contextlib
import signal
import threading
import time
from functools import partial

import pytest

from corral.tables.duckdb_work import run_interruptibly
from corral.workbench.row_store import RowStore
from corral.workbench.row_views import _regex_spans
from corral.workbench.text_search import TextSearch


class Connection:
    """One that notes how often it was interrupted."""

    def __init__(self):
        self.interrupted = threading.Event()

    def interrupt(self):
        self.interrupted.set()


def test_work_that_raises():
    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_interruptibly(Connection(), fail)
    assert run_interruptibly(Connection(), lambda: 3) == 3


def test_a_thread_that_python_cannot_run_is_not_waited_for(monkeypatch):
    """Where there is no memory, a thread may end before it does anything."""
    monkeypatch.setattr("corral.tables.duckdb_work.Thread.run", lambda thread: None)
    with pytest.raises(MemoryError, match="ended before"):
        run_interruptibly(Connection(), lambda: 3)


@pytest.mark.parametrize("begun", [True, False])
def test_an_interrupt_while_the_thread_begins_stops_its_work(monkeypatch, begun):
    """Under load, `Thread.start` waits for the thread, and Ctrl-C comes there."""
    connection, did, works = Connection(), [], threading.Event()
    start = threading.Thread.start

    def start_and_interrupt(thread):
        if begun:
            start(thread)
            works.wait(10)
        signal.raise_signal(signal.SIGINT)

    def work():
        works.set()
        did.append(connection.interrupted.wait(10))

    monkeypatch.setattr("corral.tables.duckdb_work.Thread.start", start_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(connection, work)
    assert did == ([True] if begun else [])


def test_who_interrupts_again_gets_out_of_work_that_does_not_stop(monkeypatch):
    """The first Ctrl-C waits for DuckDB, which may never react; a later one does not."""
    ended, works, calls = threading.Event(), threading.Event(), []

    class Deaf:
        def interrupt(self):
            calls.append(time.monotonic())
            if calls[-1] > calls[0] + 0.2:
                signal.raise_signal(signal.SIGINT)

    def work():
        works.set()
        return ended.wait(10)

    def start_and_interrupt(thread):
        start(thread)
        works.wait(10)
        signal.raise_signal(signal.SIGINT)

    start = threading.Thread.start
    monkeypatch.setattr("corral.tables.duckdb_work.PATIENCE", 0.1)
    monkeypatch.setattr("corral.tables.duckdb_work.Thread.start", start_and_interrupt)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(Deaf(), work)
    ended.set()
    assert time.monotonic() < began + 8


def test_what_duckdb_makes_of_an_interrupt(tmp_path, monkeypatch):
    """It raises an error of its own, which is no message for anybody."""

    class Interrupted(contextlib.nullcontext):
        def execute(self, *given):
            raise RuntimeError("Query interrupted")

        def cursor(self):
            return Interrupted(self)

    (tmp_path / "texts.csv").write_text("text,stars\ngreat,1\nawful,2\n")
    store = RowStore(tmp_path / "texts.csv", "text")
    monkeypatch.setattr(store, "connection", Interrupted())
    for ask in (
        store.all_rows,
        partial(store.number_column, "stars"),
        partial(TextSearch, store),
        partial(_regex_spans, store.connection, "great", ["great"]),
    ):
        with pytest.raises(KeyboardInterrupt):
            ask()
