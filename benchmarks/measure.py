"""Interleaved timing and peak memory."""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any


def interleaved(tasks: dict[str, Callable[[], Any]], runs: int = 7) -> dict[str, float]:
    """Median seconds of each task, runs of all tasks taken in turns.

    A machine that is busy for a while then slows all of them, not one.
    """
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(runs):
        for name, task in tasks.items():
            began = time.perf_counter()
            task()
            seconds[name].append(time.perf_counter() - began)
    return {name: statistics.median(times) for name, times in seconds.items()}


def peak_memory(work: Callable[[], Any]) -> tuple[int, int]:
    """Most bytes that a call holds at once, and what its result holds (``nbytes``).

    Counted where NumPy and Python ask for memory; a warm-up call has loaded the rest.
    """
    work()
    tracemalloc.start()
    try:
        result = work()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return peak, result.nbytes
