"""Steps that Ctrl-C must not break in two: it is heard after them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Do a few quick steps to their end; a Ctrl-C that comes meanwhile is heard then.

    Python interrupts its main thread between any two steps, also between making a file and
    noting that it is to be deleted. In other threads there is nothing to hold.

    Examples
    --------
    >>> import signal
    >>> from corral.storage.interrupts import hold_interrupts
    >>> try:
    ...     with hold_interrupts():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("this is done")
    ... except KeyboardInterrupt:
    ...     print("then it stops")
    this is done
    then it stops
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(
        handler
    ):
        yield
        return
    held: list[tuple[int, FrameType | None]] = []

    def hold(number: int, frame: FrameType | None) -> None:
        held.append((number, frame))

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held:
            handler(*held[0])
