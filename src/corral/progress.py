"""Progress for anything that takes longer than two seconds.

Nothing is imported and nothing is printed before that, and nothing at all when
standard error is not a terminal, so libraries and pipes stay quiet.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

DELAY = 2.0
"""Seconds of silence before a bar appears."""


class Progress:
    """A bar that appears only if the work turns out to be slow.

    Parameters
    ----------
    description : str
        What is being done, in a few words.
    total : int
        The number of steps.
    """

    def __init__(self, description: str, total: int) -> None:
        self.description = description
        self.total = total
        self.done = 0
        self._began = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def advance(self, steps: int = 1) -> None:
        """Count `steps` as done and draw the bar if it is time to."""
        self.done += steps
        if self._bar is not None:
            self._bar.update(self._task, completed=self.done)
        elif time.monotonic() - self._began > DELAY and sys.stderr.isatty():
            self._open()

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import Progress as Bar

        self._bar = Bar(console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(
            self.description, total=self.total, completed=self.done
        )

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


@contextmanager
def progress(description: str, total: int) -> Iterator[Progress]:
    """Give a `Progress` and close it at the end, whatever happens.

    Examples
    --------
    >>> from corral.progress import progress
    >>> with progress("solving", total=3) as bar:
    ...     for _ in range(3):
    ...         bar.advance()
    """
    bar = Progress(description, total)
    try:
        yield bar
    finally:
        bar.close()
