"""Work of DuckDB stops at Ctrl-C, also before it has begun."""

import signal
import threading
import time

import pytest

from corral.tables.duckdb_work import run_interruptibly


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
