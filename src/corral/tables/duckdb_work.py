"""What files ask of DuckDB: to stop at Ctrl-C, to write a kind of file, to say sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any, TypeVar

from corral.storage.interrupts import hold_interrupts
from corral.tables.paths import COMPRESSIONS, kind_of

Result = TypeVar("Result")
ALIVE = 0.5
"""Seconds between two looks at whether a thread lives on."""
PATIENCE = 5.0
"""Seconds that DuckDB has to stop; until then a second Ctrl-C changes nothing."""
WRITERS = {
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".parquet": "FORMAT parquet",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
}


def run_interruptibly(connection: Any, work: Callable[[], Result]) -> Result:
    """Do some work of DuckDB in a thread, so that Ctrl-C stops it at once.

    DuckDB itself looks for Ctrl-C only between two pieces of its work.
    """
    done: Future[Result] = Future()

    def do() -> None:
        if not done.set_running_or_notify_cancel():
            return
        try:
            done.set_result(work())
        except BaseException as error:  # raised where the result is asked for
            done.set_exception(error)

    thread = Thread(target=do)
    try:
        thread.start()  # Ctrl-C may come while this waits for the thread
        # Not `join`: interrupted, Python 3.11 takes the thread for one that has ended.
        while thread.is_alive() and not done.done():
            wait([done], timeout=ALIVE)
        if not done.done():  # Python itself had no memory for it
            raise MemoryError("a thread ended before its work.")
        return done.result()
    except KeyboardInterrupt:
        end = monotonic() + PATIENCE
        with hold_interrupts():
            while not (done.cancel() or done.done()) and monotonic() < end:
                connection.interrupt()
                wait([done], timeout=0.05)
        # Some work of DuckDB does not react. Who presses Ctrl-C again then gets out, though
        # the thread works on.
        while not (done.cancel() or done.done()):
            connection.interrupt()
            wait([done], timeout=0.05)
        raise


@contextmanager
def heed_interrupts() -> Iterator[None]:
    """Raise `KeyboardInterrupt` where DuckDB raises an error of its own in its place.

    That is so of all that it does in the main thread, however quick.

    Examples
    --------
    >>> from corral.tables.duckdb_work import heed_interrupts
    >>> try:
    ...     with heed_interrupts():
    ...         raise RuntimeError("Query interrupted")
    ... except KeyboardInterrupt:
    ...     print("stopped")
    stopped
    """
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise


def writer_of(path: Path) -> str:
    """What DuckDB calls the kind of a file, and what compresses it, for ``COPY``."""
    return f"{WRITERS[kind_of(path)]}{COMPRESSIONS.get(path.suffix.lower(), '')}"


def read_size(size: str) -> int:
    """The bytes in a size as DuckDB writes it, such as ``"1.8 GiB"``."""
    number, unit = size.split()
    return int(float(number) * 1024 ** ("BKMGT".index(unit[0].upper())))
