"""Ctrl-C that is heard even where Python ignores what is raised."""

from __future__ import annotations

import _thread
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

AGAIN = 0.05
"""Seconds after which an interrupt that was ignored comes again."""


@contextmanager
def repeat_lost_interrupts() -> Iterator[None]:
    """Interrupt the main thread again where Python ignored that it was.

    While Python cleans up behind an object, or a library calls back, nobody can hear of
    what is raised: it is printed and forgotten, and the command would go on.
    """
    say = sys.unraisablehook
    waiting: list[Timer] = []

    def repeat(ignored: Any) -> None:
        if not issubclass(ignored.exc_type, KeyboardInterrupt):
            say(ignored)
            return
        timer = Timer(AGAIN, _thread.interrupt_main)
        timer.daemon = True
        waiting.append(timer)
        timer.start()

    sys.unraisablehook = repeat
    try:
        yield
    finally:
        sys.unraisablehook = say
        if waiting and waiting[-1].is_alive():  # the command was faster than that
            waiting[-1].cancel()
            raise KeyboardInterrupt
