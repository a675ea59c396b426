"""When to disturb a run, and waiting for its end."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import numpy as np

from reliability.faults.checks import Bench
from reliability.faults.jobs import EDITS

LONGEST = 120.0
"""Seconds that a run may take in all."""


def wait(child: int, moment: Callable[[], bool] = lambda: False) -> int | None:
    """Wait until a moment comes; the exit code if the child ends before."""
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if moment():
            return None
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("it hung")


def after(seconds: float) -> Callable[[], bool]:
    """The moment so many seconds from now."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() > until


def random_moment(bench: Bench, rng: np.random.Generator) -> Callable[[], bool]:
    """Any moment of a run; of three, two while a draft is being written."""
    if rng.random() < 1 / 3:
        return after(rng.uniform(0, bench.seconds))
    # Of a run that writes many files, any of them.
    several = len(bench.job.outputs) > 1 or bench.job is EDITS
    earliest = after(rng.uniform(0, 0.9 * bench.seconds) if several else 0)
    pause, due = rng.exponential(0.002), [lambda: False]
    seen = [False]

    def drafting() -> bool:
        if not seen[0] and earliest() and bench.is_drafting:
            seen[0], due[0] = True, after(pause)
        return due[0]()

    return drafting
