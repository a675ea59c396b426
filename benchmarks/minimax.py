"""``python -m benchmarks.minimax``: MMCE on the sets with published figures.

Labels that are right, next to the published number and to the vote; gold labels are read
for that and nothing else. Seconds of a whole fit, and of a single round next to a round of
the published loop over workers and items. Fails if a figure is missed, or if the loop is
not ten times slower.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from tests.labelers.minimax.textbook import textbook

import corral
from benchmarks.measure import RESULTS_FOLDER, exit_with, machine, time_in_turns
from benchmarks.sets import DATA

RESULTS = RESULTS_FOLDER / "minimax.json"
FASTER = 10

Read = tuple[corral.WeakSignals, Any, Any]


def sst2() -> Read:
    """Signals, the same as votes of workers (n, m), and gold labels."""
    votes = np.load(DATA / "sst-2" / "weak_signals.npy").astype(int)
    gold = np.load(DATA / "sst-2" / "data_labels.npy").ravel()
    return corral.WeakSignals.from_votes(votes), votes, gold


def trec6() -> Read:
    """The same; a worker is a pair of signal and class."""
    found = np.load(DATA / "trec" / "weak_signals.npz")
    said = found["signals"]
    votes = np.where(said >= 0, np.arange(said.shape[2]), -1)
    votes = votes.transpose(1, 0, 2).reshape(said.shape[1], -1)
    return corral.WeakSignals.from_one_vs_rest(said), votes, found["labels"]


def bluebirds() -> Read:
    """The same; every worker answers on every item."""
    folder = DATA / "crowd" / "bluebirds"
    answers, truth = (
        np.loadtxt(folder / name, int, delimiter=",", skiprows=1)
        for name in ("answers.csv", "truth.csv")
    )
    votes = np.full(answers[:, :2].max(axis=0) + 1, -1)
    votes[answers[:, 0], answers[:, 1]] = answers[:, 2]
    gold = truth[np.argsort(truth[:, 0]), 1]
    return corral.WeakSignals.from_votes(votes), votes, gold


SETS: dict[str, tuple[Callable[[], Read], int, int]] = {
    "SST-2": (sst2, 2707, 5),
    "TREC-6": (trec6, 2454, 5),
    "bluebirds": (bluebirds, 99, 0),
}
"""How a set is read, how many labels are right as published, and how far off is fine."""


def measure(name: str, runs: int) -> dict[str, Any]:
    """Labels that are right, and the seconds it takes."""
    read, published, _ = SETS[name]
    signals, votes, gold = read()
    k = signals.n_classes
    penalties = 0.25 * k**2, 0.25 * k**2 * votes.shape[0] / votes.shape[1]
    labeler = corral.MinimaxEntropy().fit(signals)
    vote = corral.MajorityVote().fit(signals)
    seconds = time_in_turns(
        {
            "fit": lambda: corral.MinimaxEntropy().fit(signals),
            "round": lambda: corral.MinimaxEntropy(items=True, max_iter=1).fit(signals),
            "published round": lambda: textbook(votes, k, *penalties, rounds=1),
        },
        runs,
    )
    return {
        "examples": len(gold),
        "published": published,
        "right": int((labeler.labels_.argmax(axis=1) == gold).sum()),
        "right by vote": int((vote.labels_.argmax(axis=1) == gold).sum()),
        "degenerate": bool(labeler.degenerate_),
        "rounds": labeler.n_iter_,
        "seconds": {work: round(s, 4) for work, s in seconds.items()},
        "times as fast": round(seconds["published round"] / seconds["round"], 1),
    }


def find_missed(results: dict[str, Any]) -> list[str]:
    """Claims that the figures do not meet."""
    failed = []
    for name, (_, published, within) in SETS.items():
        if abs(results[name]["right"] - published) > within:
            failed.append(f"{published} +- {within} right on {name}")
        if results[name]["times as fast"] < FASTER:
            failed.append(f"{FASTER} times as fast as the loop on {name}")
    return failed


def show(results: dict[str, Any]) -> None:
    """A line per set."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("right")
    for heading in (
        "of",
        "paper",
        "MMCE",
        "vote",
        "rounds",
        "s",
        "1 round",
        "loop",
        "x",
    ):
        table.add_column(heading, justify="right")
    for name in SETS:
        row = results[name]
        cells = ("examples", "published", "right", "right by vote", "rounds")
        seconds = [
            f"{row['seconds'][x]:.3f}" for x in ("fit", "round", "published round")
        ]
        counts = (str(row[cell]) for cell in cells)
        table.add_row(name, *counts, *seconds, f"{row['times as fast']:g}")
    Console().print(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # of one-sided signals, and of rounds cut off
    results = {name: measure(name, arguments.runs) for name in SETS}
    show(results)
    if arguments.runs >= 7:
        RESULTS.write_text(
            json.dumps({"machine": machine(), **results}, indent=2) + "\n"
        )
    exit_with(find_missed(results))
