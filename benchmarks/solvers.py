"""The solvers next to each other, and next to counting the votes.

``python -m benchmarks.solvers [--small]``. Rates are at most 0.3 for the dual solvers and
exactly 0.3 for `Adagrad`, which takes its 200 steps. The full run fails if `Entropy` takes
longer than counting the patterns of 20 million rows, or than `Adagrad` on a million rows
of soft signals.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import corral
from benchmarks.measure import RESULTS_FOLDER, exit_with, machine, time_in_turns
from corral.constraints import LabelSpace
from corral.datasets import random_votes
from corral.signals.patterns import find_patterns

RESULTS = RESULTS_FOLDER
SIGNALS, RATE = 10, 0.3
VOTES, SOFT = 20_000_000, 1_000_000


def votes_of(n: int) -> Any:
    """(n, 10) votes, made a million rows at a time."""
    step = min(n, 1_000_000)
    return np.concatenate([random_votes(step, seed=i)[0] for i in range(n // step)])


def probabilities_of(n: int, dtype: Any) -> Any:
    """(n, 10) probabilities of the second class, two tenths of them missing."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, (n, 1))
    noise = rng.normal(0, 0.2, (n, SIGNALS))
    p = np.clip(0.3 * truth + 0.35 + noise, 0, 1).astype(dtype)
    p[rng.random(p.shape) < 0.2] = np.nan
    return p


def solvers_on(space: LabelSpace) -> dict[str, Any]:
    """Every solver on a space."""
    bounded = space.bounded(upper=RATE)
    exact = LabelSpace(space.design, space.rows, np.full(len(space.rows), RATE))
    rng = np.random.default_rng(0)
    return {
        "entropy": lambda: corral.Entropy().solve(bounded),
        "projection": lambda: corral.Projection().solve(bounded),
        "adagrad": lambda: corral.Adagrad().solve(exact, rng),
    }


def time_solvers(tasks: dict[str, Any], runs: int) -> dict[str, float]:
    """Median seconds, once everything is loaded that is compiled."""
    for task in tasks.values():
        task()
    return time_in_turns(tasks, runs)


def on_votes(n: int, runs: int) -> dict[str, Any]:
    """Counting the patterns of votes, and every solver on them."""
    votes = votes_of(n)
    space = corral.label_space(corral.WeakSignals.from_votes(votes))
    tasks = {"counting": lambda: find_patterns(votes, 2), **solvers_on(space)}
    return {"n": n, "patterns": space.design.n_patterns, **time_solvers(tasks, runs)}


def on_probabilities(n: int, dtype: Any, runs: int) -> dict[str, Any]:
    """Every solver on soft signals."""
    signals = corral.WeakSignals.from_probabilities(probabilities_of(n, dtype))
    return {"n": n, **time_solvers(solvers_on(corral.label_space(signals)), runs)}


def measure(scale: int, runs: int) -> dict[str, Any]:
    """Median seconds of everything."""
    return {
        "votes": on_votes(VOTES // scale, runs),
        "soft, float64": on_probabilities(SOFT // scale, np.float64, runs),
        "soft, float32": on_probabilities(SOFT // scale, np.float32, runs),
    }


def find_missed(results: dict[str, Any]) -> list[str]:
    """Claims that the figures do not meet."""
    votes = results["votes"]
    soft = [found for name, found in results.items() if name.startswith("soft")]
    wanted = {
        "entropy no slower than counting": votes["entropy"] <= votes["counting"],
        "entropy faster than adagrad": all(x["entropy"] < x["adagrad"] for x in soft),
    }
    return [name for name, shown in wanted.items() if not shown]


def run(scale: int, runs: int) -> list[str]:
    """Measure, print a table, store the numbers of a full run."""
    console = Console()
    with console.status("solving"):
        results = measure(scale, runs)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    columns = ("n", "counting", "entropy", "projection", "adagrad")
    for column in columns:
        table.add_column(column, justify="right")
    for name, found in results.items():
        seconds = [f"{found[c]:.2f} s" if c in found else "" for c in columns[1:]]
        table.add_row(name, f"{found['n']:,}", *seconds)
    console.print(f"[bold]{SIGNALS} signals, medians of {runs}[/]")
    console.print(table)
    if scale == 1:
        RESULTS.mkdir(exist_ok=True)
        stored = {"machine": machine(), **results}
        text = json.dumps(stored, indent=2) + "\n"
        (RESULTS / "solvers.json").write_text(text)
    return find_missed(results)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the rows")
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    exit_with(run(10 if arguments.small else 1, arguments.runs))
