"""Many signals, few votes each: time and memory of a fit, next to products by scipy.

``python -m benchmarks.sparse [--small]``. Every number comes from a process of its own,
so that its peak memory is its own; the kernels are compiled before the clock starts.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.sparse import csr_array

import corral
from benchmarks.measure import RESULTS_FOLDER, exit_with
from corral.constraints.designs import signal_design

RESULTS = RESULTS_FOLDER
CASES = {
    "1,200 signals, 56 classes": {"signals": 1200, "classes": 56},
    "1,000 signals, 2 classes": {"signals": 1000, "classes": 2},
}
ROWS = 100_000
EACH = 10
"""Votes per row."""
FEW = 50
"""Steps of the runs that are compared with scipy, which takes a minute for 200."""
LIMIT = 1.0e9
"""Bytes that no fit may reach."""


def random_votes(rows: int, signals: int, classes: int) -> csr_array:
    """Votes of signals drawn anew for every row, seven tenths of them right."""
    rng = np.random.default_rng(0)
    shape = (rows, EACH)
    truth = rng.integers(0, classes, (rows, 1))
    voted = np.where(rng.random(shape) < 0.7, truth, rng.integers(0, classes, shape))
    drawn = np.sort(rng.integers(0, signals - EACH + 1, shape), axis=1)
    signal = (drawn + np.arange(EACH)).astype(np.int32)  # no signal twice
    edges = np.arange(0, rows * EACH + 1, EACH, dtype=np.int32)
    return csr_array((voted.ravel(), signal.ravel(), edges), (rows, signals))


def fit(
    rows: int, signals: int, classes: int, iterations: int, compiled: bool
) -> dict[str, float]:
    """Seconds to fit and to label as many new rows, and the peak of the process.

    Processor seconds, too: they tell less of what else the machine is doing.
    """
    warnings.simplefilter("ignore")
    signal_design.COMPILED_FROM = 0 if compiled else sys.maxsize
    votes = random_votes(rows, signals, classes)
    warm = corral.ConstrainedLabeler(solver=corral.Adagrad(iterations=2))
    warm.fit(votes[:1000]).predict_proba(votes[:1000])
    labeler = corral.ConstrainedLabeler(solver=corral.Adagrad(iterations=iterations))
    found = _timed("fit", lambda: labeler.fit(votes))
    return found | _timed("predict", lambda: labeler.predict_proba(votes))


def read(rows: int, signals: int, classes: int, text: bool) -> dict[str, float]:
    """Seconds to read the same votes from a long table in any order."""
    votes = random_votes(rows, signals, classes).tocoo()
    order = np.random.default_rng(1).permutation(votes.nnz)
    columns = {"task": votes.row, "worker": votes.col, "label": votes.data}
    table = {name: column[order] for name, column in columns.items()}
    if text:
        table = {name: np.char.mod(f"{name} %d", c) for name, c in table.items()}
    corral.WeakSignals.from_long({name: c[:1000] for name, c in table.items()})
    return _timed("read", lambda: corral.WeakSignals.from_long(table))


def _timed(name: str, work: Callable[[], Any]) -> dict[str, float]:
    """Seconds by the clock and of the processors, and the peak of the process so far."""
    began = time.perf_counter(), time.process_time()
    work()
    ended = time.perf_counter(), time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # Linux: kilobytes
    return {
        name: ended[0] - began[0],
        f"{name} CPU": ended[1] - began[1],
        f"{name} peak": peak,
    }


def apart(task: str, **arguments: Any) -> dict[str, float]:
    """What a function of this module gives in a process of its own."""
    code = (
        "import json; from benchmarks import sparse; "
        f"print(json.dumps(sparse.{task}(**{arguments!r})))"
    )
    call = [sys.executable, "-c", code]
    ran = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(ran.stdout)


def _middle(runs: list[dict[str, float]]) -> dict[str, float]:
    """Medians of seconds; the largest of the peaks."""
    return {
        name: (max if "peak" in name else statistics.median)(r[name] for r in runs)
        for name in runs[0]
    }


def measure(rows: int, runs: int, **shape: int) -> dict[str, Any]:
    """All runs of a case, taken in turns."""
    tasks = {
        "corral": ("fit", {"iterations": 200, "compiled": True}),
        "corral, few steps": ("fit", {"iterations": FEW, "compiled": True}),
        "scipy, few steps": ("fit", {"iterations": FEW, "compiled": False}),
        "numbers": ("read", {"text": False}),
        "text": ("read", {"text": True}),
    }
    taken: dict[str, list[dict[str, float]]] = {name: [] for name in tasks}
    for _ in range(runs):
        for name, (task, options) in tasks.items():
            taken[name].append(apart(task, rows=rows, **shape, **options))
    found: dict[str, Any] = {name: _middle(times) for name, times in taken.items()}
    ours, theirs = found["corral, few steps"], found["scipy, few steps"]
    found["ratio"] = {name: theirs[name] / ours[name] for name in ours}
    return {"rows": rows, **shape, "runs": runs, **found}


def run(rows: int, runs: int) -> bool:
    """Measure, print a table, store the numbers of a full run; whether memory was kept."""
    console = Console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("200 steps", no_wrap=True)
    for heading in ("clock", "CPU", "peak", f"{FEW} steps", "scipy", "ratio", "CPU"):
        table.add_column(heading, justify="right", no_wrap=True)
    results = []
    for case, shape in CASES.items():
        with console.status(case):
            found = measure(rows, runs, **shape)
        results.append(found)
        table.add_row(f"[bold]{case}[/]")
        for name in ("fit", "predict"):
            few = (found[f"{form}, few steps"][name] for form in ("corral", "scipy"))
            ratios = (found["ratio"][key] for key in (name, f"{name} CPU"))
            table.add_row(
                f"  {name}",
                *_format(found["corral"], name),
                *(f"{seconds:.1f} s" for seconds in few),
                *(f"{ratio:.1f}" for ratio in ratios),
            )
        for kind in ("numbers", "text"):
            table.add_row(f"  long table, {kind}", *_format(found[kind], "read"))
    console.print(f"[bold]{rows:,} rows of {EACH} votes, median of {runs}[/]")
    console.print(table)
    if rows == ROWS:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "sparse.json").write_text(json.dumps(results, indent=2) + "\n")
    return all(found["corral"]["fit peak"] < LIMIT for found in results)


def _format(found: dict[str, float], name: str) -> tuple[str, str, str]:
    seconds = found[name], found[f"{name} CPU"]
    peak = found[f"{name} peak"] / 1e9
    return *(f"{s:.1f} s" for s in seconds), f"{peak:.2f} GB"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the rows")
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    kept = run(ROWS // 10 if arguments.small else ROWS, arguments.runs)
    exit_with([] if kept else [f"a fit within {LIMIT / 1e9:.1f} GB"])
