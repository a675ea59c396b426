"""``python -m benchmarks.labelers``: the default, MeTaL and Dawid-Skene next to others.

A million rows of ten votes. Same settings: 100 steps from the same start for MeTaL and
Snorkel's label model; as many rounds for Dawid-Skene and Crowd-Kit's. From an array (of
the long table that Crowd-Kit takes, made beforehand) to soft labels. Fails if corral is
not five times as fast, or if more than one label in a hundred differs.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import corral
from benchmarks.measure import (
    busy_seconds,
    exit_with,
    store,
    time_in_turns,
)
from corral.datasets import random_votes

ROWS, SEED, ROUNDS = 1_000_000, 0, 10
FASTER, EQUAL = 5, 0.99
PAIRS = {
    "MeTaL": "Snorkel LabelModel",
    "DawidSkene": "Crowd-Kit DawidSkene",
    "OneCoinDawidSkene": "Crowd-Kit OneCoinDawidSkene",
}

SETTINGS = {
    "ConstrainedLabeler": "the default, rates estimated",
    "MeTaL": "100 steps",
    "Snorkel LabelModel": "100 epochs",
    "DawidSkene": f"{ROUNDS} rounds",
    "Crowd-Kit DawidSkene": f"{ROUNDS} rounds",
    "OneCoinDawidSkene": f"{ROUNDS} rounds",
    "Crowd-Kit OneCoinDawidSkene": f"{ROUNDS} rounds",
    "DataProgramming": "until it settles",
    "MajorityVote": "nothing learned",
}

Work = Callable[[], Any]


def works(votes: Any) -> dict[str, Work]:
    """What is timed: corral's labelers, and the one next to each."""
    import pandas as pd
    import torch
    from crowdkit import aggregation
    from snorkel.labeling.model import LabelModel

    torch.set_num_threads(1)  # two take longer on matrices as small as Snorkel's
    wide = votes.astype(int)  # Snorkel adds one to it
    task, worker = np.nonzero(votes >= 0)
    said = votes[task, worker].astype(int)
    long = pd.DataFrame({"task": task, "worker": worker, "label": said})
    start = np.random.RandomState(SEED).random_sample()  # as Snorkel draws it
    rounds = {"max_iter": ROUNDS, "tolerance": 0, "smoothing": 0}

    def snorkel() -> Any:
        model = LabelModel(cardinality=2, verbose=False)
        model.fit(wide, n_epochs=100, seed=SEED, progress_bar=False)
        return model.predict_proba(wide)

    def crowd_kit(name: str) -> Work:
        # Its bound on the likelihood is another one, so both take all rounds.
        method = getattr(aggregation, name)(n_iter=ROUNDS, tol=-np.inf)
        return lambda: method.fit_predict_proba(long)

    return {
        "ConstrainedLabeler": lambda: corral.label(votes),
        "MeTaL": lambda: corral.label(votes, labeler="metal", start=start),
        "Snorkel LabelModel": snorkel,
        "DawidSkene": lambda: corral.label(votes, labeler="dawid-skene", **rounds),
        "Crowd-Kit DawidSkene": crowd_kit("DawidSkene"),
        "OneCoinDawidSkene": lambda: corral.label(
            votes, labeler="one-coin-dawid-skene", **rounds
        ),
        "Crowd-Kit OneCoinDawidSkene": crowd_kit("OneCoinDawidSkene"),
        "DataProgramming": lambda: corral.label(votes, labeler="data-programming"),
        "MajorityVote": lambda: corral.label(votes, labeler="majority-vote"),
    }


def classes_of(labels: Any, n: int) -> Any:
    """(n,) the likeliest class; -1 where there is no label."""
    if isinstance(labels, np.ndarray):
        return labels.argmax(axis=1)
    found = np.full(n, -1)  # a data frame of the tasks with votes
    found[labels.index] = labels.sort_index(axis=1).to_numpy().argmax(axis=1)
    return found


def measure(n: int, runs: int) -> dict[str, Any]:
    """Median seconds of everything, accuracy, and the share of equal labels."""
    warm = works(random_votes(10_000)[0])
    for work in warm.values():
        work()
    votes, truth = random_votes(n)
    covered = (votes >= 0).any(axis=1)
    tasks = works(votes)
    began, before = time.perf_counter(), busy_seconds() - _own_seconds()
    seconds = time_in_turns(tasks, runs)
    others = (busy_seconds() - _own_seconds() - before) / (time.perf_counter() - began)
    found = {name: classes_of(work(), n)[covered] for name, work in tasks.items()}
    return {
        "rows": n,
        "runs": runs,
        "cores taken by other work": round(max(0.0, others), 2),
        "settings": SETTINGS,
        "seconds": {name: round(s, 4) for name, s in seconds.items()},
        "accuracy": {
            name: round(float((y == truth[covered]).mean()), 4)
            for name, y in found.items()
        },
        "times as fast": {
            ours: round(seconds[theirs] / seconds[ours], 1)
            for ours, theirs in PAIRS.items()
        },
        "labels equal": {
            ours: round(float((found[ours] == found[theirs]).mean()), 5)
            for ours, theirs in PAIRS.items()
        },
    }


def _own_seconds() -> float:
    times = os.times()
    return times.user + times.system


def find_missed(results: dict[str, Any]) -> list[str]:
    """Claims that the figures do not meet."""
    slow = [n for n, x in results["times as fast"].items() if x < FASTER]
    other = [n for n, x in results["labels equal"].items() if x < EQUAL]
    return [f"{name} {FASTER} times as fast" for name in slow] + [
        f"{name} labels equal on {EQUAL:.0%} of the rows" for name in other
    ]


def show(results: dict[str, Any]) -> None:
    """A line per method; the peer stands below what it is compared with."""
    console = Console()
    busy = results["cores taken by other work"]
    console.print(
        f"[bold]{results['rows']:,} x 10 votes, medians of {results['runs']} interleaved "
        f"runs[/], beside {busy:g} cores of other work"
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for heading in ("seconds", "accuracy", "times as fast", "labels equal"):
        table.add_column(heading, justify="right")
    table.add_column("settings")
    for name, seconds in results["seconds"].items():
        ratio, equal = (
            results[column].get(name, "")
            for column in ("times as fast", "labels equal")
        )
        accuracy = f"{results['accuracy'][name]:.4f}"
        numbers = (f"{seconds:.3f}", accuracy, f"{ratio}", f"{equal}")
        table.add_row(name, *numbers, results["settings"][name])
    console.print(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the rows")
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # of pandas, and of rounds that are cut off
    results = measure(ROWS // 10 if arguments.small else ROWS, arguments.runs)
    show(results)
    store("labelers", results)
    exit_with(find_missed(results))
