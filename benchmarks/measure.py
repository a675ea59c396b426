"""Interleaved timing and peak memory."""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any


def interleaved(
    tasks: dict[str, Callable[[], Any]], runs: dict[str, int], warm: bool = True
) -> dict[str, float]:
    """Median seconds of each task, runs of all tasks taken in turns.

    A machine that is busy for a while then slows all of them, not one.
    """
    if warm:
        for task in tasks.values():
            task()
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(max(runs.values())):
        for name, task in tasks.items():
            # Tasks with fewer runs are spread over the turns.
            if turn * runs[name] // max(runs.values()) == len(seconds[name]):
                began = time.perf_counter()
                task()
                seconds[name].append(time.perf_counter() - began)
    return {name: statistics.median(times) for name, times in seconds.items()}


def peak_memory(
    prepare: Callable[[], Any], work: Callable[[Any], Any]
) -> tuple[int, int]:
    """Bytes that `work` adds to the peak of a fresh process, after a warm-up call.

    Returns the peak and what the result of `work` holds itself (``nbytes``).
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_peak, args=(prepare, work, sender))
    process.start()
    found: tuple[int, int] = receiver.recv()
    process.join()
    return found


def _peak(prepare: Callable[[], Any], work: Callable[[Any], Any], sender: Any) -> None:
    given = prepare()
    work(given[:1000])  # loads and compiles what is needed
    work(given)
    _reset_peak()
    before = _resident()
    result = work(given)
    sender.send((_high_water() - before, result.nbytes))


def _status(field: str) -> int:
    with open("/proc/self/status") as lines:
        for line in lines:
            if line.startswith(field):
                return int(line.split()[1]) * 1024
    raise OSError(f"no {field} in /proc/self/status")


def _resident() -> int:
    return _status("VmRSS")


def _high_water() -> int:
    try:
        return _status("VmHWM")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _reset_peak() -> None:
    """Forget the peak so far (Linux)."""
    with open("/proc/self/clear_refs", "w") as control:
        control.write("5")
