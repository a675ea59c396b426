"""Progress of what takes longer than two seconds, shown by `rich.progress`.

Nothing is imported or printed before that, nor where standard error is not a terminal.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from contextvars import ContextVar
from typing import Any

DELAY = 2.0
"""Seconds of silence before a bar appears."""

_silent: ContextVar[bool] = ContextVar("silent", default=False)


class Progress:
    """A bar that appears only if the work turns out to be slow.

    `total` is the number of steps, if it is known, and `unit` what they are, to show how
    many are done and how many per second.
    """

    def __init__(self, description: str, total: int | None, unit: str = "") -> None:
        self.description, self.total, self.unit = description, total, unit
        self.done = 0
        self._began = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def advance(self, steps: int = 1) -> None:
        """Count `steps` as done and draw the bar if it is time to."""
        self.reach(self.done + steps)

    def reach(self, done: int) -> None:
        """Say how many steps are done in all."""
        self.done = done
        seconds = time.monotonic() - self._began
        if self._bar is None:
            if seconds <= DELAY or _silent.get() or not sys.stderr.isatty():
                return
            self._open()
        amount = "" if not self.total else f"{done / self.total:.0%}"
        if self.unit:
            of = "" if self.total is None else f" of {self.total:,}"
            amount = f"{done:,}{of} {self.unit}, {done / seconds:,.0f} per second"
        self._bar.update(self._task, completed=done, amount=amount)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        # No markup: the name of a file may have brackets.
        columns = TextColumn("{task.description}", markup=False), BarColumn(20)
        amount = TextColumn("{task.fields[amount]}")
        console = Console(stderr=True)
        self._bar = Bar(*columns, amount, console=console, transient=True)
        self._bar.start()
        shown = repr(self.description)[1:-1]  # names of files may hold anything
        self._task = self._bar.add_task(shown, total=self.total, amount="")

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def progress(
    description: str, total: int | None, unit: str = ""
) -> AbstractContextManager[Progress]:
    """A `Progress` that is closed at the end, whatever happens."""
    return closing(Progress(description, total, unit))


@contextmanager
def silence() -> Iterator[None]:
    """No bars, however long it takes."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


@contextmanager
def heed_interrupts() -> Iterator[None]:
    """Raise `KeyboardInterrupt` where DuckDB raises an error of its own in its place."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise
