"""Interleaved timing, peak memory, and where figures are stored."""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

from benchmarks.sources import RESULTS, fingerprint

FULL_RUNS = {"--billion", "--coverage", "--folder", "--jobs"}
"""Options that choose parts of a benchmark, each of which is still measured in full."""
RUNS, SLOW_RUNS, SLOW_SECONDS = 7, 3, 20
"""Runs of a timed task; of one that takes longer than so many seconds."""


def time_in_turns(
    tasks: dict[str, Callable[[], Any]], runs: int = RUNS
) -> dict[str, float]:
    """Median seconds of each task, with runs of all tasks taken in turns.

    If the machine is busy for a while, that slows all of them and not one. What is slow
    runs three times.
    """
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(runs):
        for name, task in tasks.items():
            if turn >= SLOW_RUNS and seconds[name][0] > SLOW_SECONDS:
                continue
            print(f"  run {turn + 1} of {runs}: {name}", file=sys.stderr, flush=True)
            began = time.perf_counter()
            task()
            seconds[name].append(time.perf_counter() - began)
    return {name: statistics.median(times) for name, times in seconds.items()}


def peak_resident() -> int:
    """Most bytes that this process has held in memory, libraries included (Linux).

    Not ``ru_maxrss``: a new process starts with that of the process that started it.
    """
    return _kilobytes("/proc/self/status", "VmHWM") * 1024


def resident(pid: int) -> int:
    """Bytes that a process holds in memory now (Linux)."""
    return _kilobytes(f"/proc/{pid}/status", "VmRSS") * 1024


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


def circumstances() -> dict[str, Any]:
    """The commit of the code, the date, and the machine."""

    def git(*words: str) -> str:
        call = ["git", "-C", str(RESULTS.parents[1]), *words]
        return subprocess.run(call, capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--", ".", ":!benchmarks/results")
    return {
        "commit": git("rev-parse", "--short", "HEAD") + "-dirty" * bool(changed),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
    }


def store(name: str, found: Any) -> bool:
    """Write the figures of a full run to ``results``; return whether they were written.

    Any option that makes a run smaller makes it a quick look, which stores nothing.
    """
    options = {word for word in sys.argv[1:] if word.startswith("-")}
    if "CORRAL_BENCH_QUICK" in os.environ or options - FULL_RUNS:
        print("a quick look: nothing stored")
        return False
    kept = circumstances() | {
        "source": fingerprint(name),
        "found": round_numbers(found),
    }
    target = RESULTS / f"{name}.json"
    target.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {os.path.relpath(target)}")
    return True


def exit_with(missed: list[str]) -> NoReturn:
    """End a benchmark: print the claims that it missed; exit with 1 if there are any."""
    for claim in missed:
        print(f"missed: {claim}", file=sys.stderr)
    sys.exit(bool(missed))


def round_numbers(value: Any) -> Any:
    """Round numbers to six significant digits, in nested lists and dictionaries."""
    if isinstance(value, dict):
        return {name: round_numbers(part) for name, part in value.items()}
    if isinstance(value, list):
        return [round_numbers(part) for part in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
