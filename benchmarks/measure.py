"""Interleaved timing, peak memory and the machine that was measured."""

from __future__ import annotations

import os
import platform
import re
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

RESULTS_FOLDER = Path(
    os.environ.get("CORRAL_BENCH_RESULTS", Path(__file__).parent / "results")
)
"""Where figures are stored; a quick look is not to replace them."""


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


def peak_resident() -> int:
    """Most bytes that this process has held in memory, libraries included (Linux).

    Not ``ru_maxrss``: a new process starts with that of the process that started it.
    """
    return _kilobytes("/proc/self/status", "VmHWM") * 1024


def busy_seconds() -> float:
    """Processor seconds that all processes have taken, and that a host took (Linux)."""
    first = Path("/proc/stat").read_text().splitlines()[0].split()
    user, nice, system, _, _, interrupt, soft, stolen = map(int, first[1:9])
    ticks = user + nice + system + interrupt + soft + stolen
    return ticks / os.sysconf("SC_CLK_TCK")


def machine() -> dict[str, Any]:
    """What the numbers depend on (Linux)."""
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return {
        "processor": model[1] if model else platform.machine(),
        "cores": os.cpu_count(),
        "memory": _kilobytes("/proc/meminfo", "MemTotal") * 1024,
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
    }


def _kilobytes(file: str, name: str) -> int:
    found = re.search(rf"{name}:\s*(\d+) kB", Path(file).read_text())
    assert found is not None, f"{file} has no {name}"
    return int(found[1])


def rounded(value: Any) -> Any:
    """Numbers to four digits, in any nest of lists and dictionaries."""
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return round(float(value), 4) if isinstance(value, float) else value


def leave(missed: list[str]) -> NoReturn:
    """End a benchmark: by name what it should have shown, and exit code 1 if anything."""
    for claim in missed:
        print(f"missed: {claim}", file=sys.stderr)
    sys.exit(bool(missed))
