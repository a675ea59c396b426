"""Work of DuckDB stops at Ctrl-C."""

import contextlib
import os
import signal
import threading
import time
from functools import partial

import pytest

from corral.io.files import VoteFiles
from corral.workbench import Rule
from corral.workbench.rows import RowStore
from corral.workbench.search import TextSearch, find_spans


def test_a_query_of_files_stops_at_once(tmp_path):
    """With threads of its own, DuckDB hears Ctrl-C in the main thread only at the end."""
    (tmp_path / "v.csv").write_text("id,a\n1,0\n2,1\n")
    before = threading.active_count()
    file = VoteFiles(tmp_path / "v.csv", threads=2)
    assert threading.active_count() == before + 1, "one thread for all queries"

    def stop():
        while file._connection.query_progress() < 0:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=stop, daemon=True).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        file._run(
            "SELECT sum(a.range * b.range) FROM range(100000000) a, range(1000000) b"
        )
    assert time.monotonic() < began + 20
    assert file._fetch("SELECT 1") == [(1,)]


def test_what_duckdb_makes_of_an_interrupt(tmp_path, monkeypatch):
    """It raises an error of its own, which is no message for anybody."""

    class Interrupted(contextlib.nullcontext):
        def execute(self, *given):
            raise RuntimeError("Query interrupted")

        def cursor(self):
            return Interrupted(self)

    (tmp_path / "texts.csv").write_text("text,stars\ngreat,1\nawful,2\n")
    store = RowStore(tmp_path / "texts.csv", "text")
    rule = Rule("regex", "pos", pattern="great")
    monkeypatch.setattr(store, "connection", Interrupted())
    for ask in (
        store.all_rows,
        partial(store.number_column, "stars"),
        partial(TextSearch, store),
        partial(find_spans, store, rule, ["great"]),
    ):
        with pytest.raises(KeyboardInterrupt):
            ask()
