"""Work of DuckDB stops at Ctrl-C, also before it has begun."""

import signal
import threading
import time

import pytest

from corral.tables.duckdb_work import run_interruptibly
from corral.workbench.row_store import RowStore


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


@pytest.mark.parametrize("begun", [True, False])
def test_an_interrupt_while_the_thread_begins_stops_its_work(monkeypatch, begun):
    """Under load, `Thread.start` waits for the thread, and Ctrl-C comes there."""
    connection, did = Connection(), []
    start = threading.Thread.start

    def start_and_interrupt(thread):
        if begun:
            start(thread)
            time.sleep(0.05)
        signal.raise_signal(signal.SIGINT)

    def work():
        did.append(connection.interrupted.wait(10))

    monkeypatch.setattr("corral.tables.duckdb_work.Thread.start", start_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(connection, work)
    assert did == ([True] if begun else [])


def test_what_duckdb_makes_of_an_interrupt(tmp_path):
    """It raises an error of its own, which is no message for anybody."""
    (tmp_path / "texts.csv").write_text("text\ngreat\nawful\n")
    store = RowStore(tmp_path / "texts.csv", "text")
    pressed = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    pressed.start()
    with pytest.raises(KeyboardInterrupt):
        store._fetch(
            "SELECT sum(a.range * b.range) FROM range(1000000) a, range(100000) b"
        )
