"""Soft signals: a fit against the matrix products it cannot do without.

A step of the solver needs ``A @ y`` and ``A.T @ r``. ``python -m benchmarks.soft`` times
as many such pairs in NumPy, single precision, next to whole fits on the same values;
``--small`` is a quick look at a tenth of the size.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import corral
from benchmarks.measure import RESULTS_FOLDER, exit_with, peak_memory, time_in_turns
from corral import Adagrad, ConstrainedLabeler, WeakSignals

RESULTS = RESULTS_FOLDER
LIMITS = {"expected": 1.5, "three starts": 4.0}
SHAPES = {"20 signals": (20, 1, 200), "2 signals x 10 classes": (2, 10, 50)}
"""Signals, classes and steps."""


def make(m: int, n: int, k: int) -> NDArray[np.float32]:
    """One-vs-rest probabilities (m, n, k) that lean toward the truth."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, max(k, 2), n)
    said = rng.random((m, n, k), np.float32)
    for c in range(k):
        said[:, truth == c + (k == 1), c] += 1
    said /= 2
    return said


def pairs(values: NDArray[np.float32], steps: int) -> Callable[[], None]:
    """As many products as the steps need, into arrays that are there already."""
    m, n, k = values.shape
    columns = [np.ascontiguousarray(values[:, :, c]) for c in range(k)]
    y, r = np.full(n, 0.5, np.float32), np.full(m, 0.1, np.float32)
    to_rows, to_examples = np.empty(m, np.float32), np.empty(n, np.float32)

    def work() -> None:
        for _ in range(steps):
            for a in columns:
                np.matmul(a, y, out=to_rows)
                np.matmul(a.T, r, out=to_examples)

    return work


def fit(
    signals: WeakSignals, steps: int = 200, starts: Any = "expected"
) -> ConstrainedLabeler:
    """A whole fit, from signals to soft labels."""
    solver = Adagrad(iterations=steps, starts=starts)
    rate = 0.3 if signals.n_label_columns == 1 else 0.1
    return ConstrainedLabeler(rate, solver, random_state=0).fit(signals)


def speed(n: int, runs: int, folder: Path) -> list[dict[str, Any]]:
    """Medians of interleaved runs, for arrays and for a mapped file."""
    rows = []
    for name, (m, k, steps) in SHAPES.items():
        values = make(m, n, k)
        np.save(folder / "values.npy", values)
        signals = WeakSignals.from_one_vs_rest(values)
        mapped = WeakSignals.from_one_vs_rest(
            np.load(folder / "values.npy", mmap_mode="r")
        )
        tasks = {
            "pairs": pairs(values, steps),
            "expected": partial(fit, signals, steps),
            "three starts": partial(fit, signals, steps, 3),
            "mapped": partial(fit, mapped, steps),
        }
        for task in list(tasks.values())[1:]:
            task()  # loads what is compiled
        seconds = time_in_turns(tasks, runs)
        ratios = {f"{t} ratio": seconds[t] / seconds["pairs"] for t in list(tasks)[1:]}
        rows.append({"signals": name, "n": n, "steps": steps, **seconds, **ratios})
    return rows


def _labels(values: NDArray[np.float32]) -> Any:
    return fit(WeakSignals.from_one_vs_rest(values), steps=5).labels_


def memory(n: int, folder: Path) -> list[dict[str, Any]]:
    """Peak of reading and fitting, as a multiple of the values."""
    rows = []
    for name, (m, k, _) in SHAPES.items():
        values = make(m, n, k)
        np.save(folder / "values.npy", values)
        mapped = np.load(folder / "values.npy", mmap_mode="r")
        row: dict[str, Any] = {"signals": name, "bytes": values.nbytes}
        for kind, array in (("array", values), ("mapped", mapped)):
            row[kind], _ = peak_memory(partial(_labels, array))
        rows.append(row)
    return rows


def binned(n: int, runs: int, bins: tuple[int, ...] = (10, 20, 50)) -> dict[str, Any]:
    """Four signals rounded to a grid: patterns, time, and what it costs."""
    values = make(4, n, 1)[:, :, 0].T
    exact = WeakSignals.from_probabilities(values)
    rounded = {b: WeakSignals.from_probabilities(values, bins=b) for b in bins}
    tasks: dict[str, Callable[[], Any]] = {
        # From the probabilities on, so that finding the patterns is in it.
        str(b): lambda b=b: fit(WeakSignals.from_probabilities(values, bins=b))
        for b in (None, *bins)
    }
    labels = fit(exact).labels_[:, 1]
    rows = []
    for b, signals in rounded.items():
        off = np.abs(fit(signals).labels_[:, 1] - labels)
        error: Any = signals.rounding_error
        rows.append(
            {
                "bins": b,
                "patterns": len(signals.patterns),
                "rounding": error.mean,
                "error rates": float(error.by_signal.max()),
                "labels mean": float(off.mean()),
                "labels largest": float(off.max()),
            }
        )
    seconds = time_in_turns(tasks, runs)
    for row in rows:
        row["seconds"] = seconds[str(row["bins"])]
    return {"n": n, "exact": seconds["None"], "bins": rows}


def run(n: int = 1_000_000, runs: int = 7) -> dict[str, Any]:
    """Measure, print tables, and store the numbers."""
    console = Console()
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore", corral.errors.ConvergenceWarning)
        folder = Path(name)
        with console.status("memory"):
            result["memory"] = memory(n, folder)
        with console.status("bins"):
            result["binned"] = binned(n, runs)
        with console.status("speed"):
            result["speed"] = speed(n, runs, folder)
    _show(console, result)
    RESULTS.mkdir(exist_ok=True)
    target = RESULTS / "soft.json"
    target.write_text(json.dumps(result, indent=2) + "\n")
    console.print(f"\nwrote {target}", highlight=False)
    return result


def find_missed(result: dict[str, Any]) -> list[str]:
    """What the full run must show of 20 signals and did not."""
    first = result["speed"][0]
    return [
        f"{name} within {limit} of the products"
        for name, limit in LIMITS.items()
        if first[f"{name} ratio"] > limit
    ]


def _table(console: Console, title: str, rows: list[list[str]]) -> None:
    console.print(f"\n[bold]{title}[/]")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for at, heading in enumerate(rows[0]):
        table.add_column(heading, justify="right" if at else "left")
    for row in rows[1:]:
        table.add_row(*row)
    console.print(table)


def _show(console: Console, result: dict[str, Any]) -> None:
    speed, bins = result["speed"], result["binned"]
    head = [
        "float32, seconds (ratio)",
        "products",
        "expected",
        "three starts",
        "mapped",
    ]
    body = [
        [row["signals"], str(row["steps"]), f"{row['pairs']:.2f}"]
        + [f"{row[t]:.2f} ({row[f'{t} ratio']:.2f})" for t in head[2:]]
        for row in speed
    ]
    title = f"{speed[0]['n']:,} examples: a fit, and the products alone"
    _table(console, title, [head, *body])
    head = ["peak of reading and fitting, MB", "values", "array", "mapped"]
    body = [
        [row["signals"], *(f"{row[t] / 1e6:.0f}" for t in ("bytes", "array", "mapped"))]
        for row in result["memory"]
    ]
    _table(console, "memory", [head, *body])
    head = ["bins", "patterns", "seconds", "mean rounding", "most an error rate moves"]
    head += ["labels differ by", "at most"]
    body = [["none", f"{bins['n']:,}", f"{bins['exact']:.2f}", "", "", "", ""]]
    body += [
        [str(row["bins"]), f"{row['patterns']:,}", f"{row['seconds']:.2f}"]
        + [f"{row[t]:.4f}" for t in ("rounding", "error rates", "labels mean")]
        + [f"{row['labels largest']:.3f}"]
        for row in bins["bins"]
    ]
    _table(console, "4 signals in bins, reading included", [head, *body])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the size")
    if parser.parse_args().small:
        run(n=100_000, runs=3)
        sys.exit()
    exit_with(find_missed(run()))
