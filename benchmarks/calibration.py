"""``python -m benchmarks.calibration``: what the default's probabilities are worth.

Labels of `Auto` on the twelve sets of `benchmarks.tasks`, as they are and calibrated
with random labelled examples. All scores are of the examples that were not labelled.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measure import store
from benchmarks.tasks import SOURCES, Task, label_free, load
from corral import FromLabels, Reliability, WeakSignals, calibrate, reliability
from corral.training import calibration as calibrator

N_LABELLED = (10, 20, 50, 100, 200)


def draw_examples(task: Task, n: int, draw: int) -> Any:
    """(p, k) how often `n` random examples have a pattern and a class."""
    rng = np.random.default_rng([draw, n])
    gold = task.gold.astype(int)
    return rng.multivariate_hypergeometric(gold.ravel(), n).reshape(gold.shape)


def cells(counts: Any) -> tuple[Any, Any, Any]:
    """Pattern, class and number of examples wherever there are any."""
    rows, truth = np.nonzero(counts)
    return rows, truth, counts[rows, truth]


def measure_labels(q: Any, gold: Any) -> Reliability:
    """Reliability of labels (p, k) of patterns with (p, k) examples."""
    rows, truth, weight = cells(gold)
    return reliability(q[rows], truth, sample_weight=weight)


def calibrate_labels(_: Task, q: Any, known: Any) -> Any:
    """Labels calibrated with (p, k) known examples."""
    rows, truth, weight = cells(known)
    return calibrate(q[rows], truth, sample_weight=weight).apply(q)


def without_prior(task: Task, q: Any, known: Any) -> Any:
    """The same by all but plain maximum likelihood."""
    with mock.patch.object(calibrator, "STRENGTHS", (1e-3,)):
        return calibrate_labels(task, q, known)


def from_labels(task: Task, _: Any, known: Any) -> Any:
    """Labels of `FromLabels`, which fits the weight of every vote to the examples."""
    rows, truth, times = cells(known)
    rows, truth = np.repeat(rows, times), np.repeat(truth, times)
    sample = WeakSignals.from_votes(task.votes[rows], classes=list(range(task.k)))
    signals = task.signals
    model = FromLabels(truth, sample).estimate(signals).model
    assert model is not None
    return model.labels(signals)


METHODS: dict[str, Callable[[Task, Any, Any], Any]] = {
    "as they are": lambda _, q, __: q,
    "calibrate": calibrate_labels,
    "calibrate, no prior": without_prior,
    "FromLabels": from_labels,
}


def scores(task: Task, q: Any, n: int, repeats: int) -> dict[str, dict[str, float]]:
    """Mean scores of every method over draws of `n` labelled examples."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in METHODS}
    for draw in range(repeats):
        known = draw_examples(task, n, draw)
        rest = replace(task, gold=task.gold - known)
        for name, method in METHODS.items():
            labels = method(task, q, known)
            table = measure_labels(labels, rest.gold)
            errors = {"error": table.calibration_error, "noise": table.noise}
            found[name].append(rest.score(labels) | errors)
    return {
        name: {what: float(np.mean([one[what] for one in row])) for what in row[0]}
        for name, row in found.items()
    }


def run(repeats: int) -> None:
    """Every set and number of labels, printed and stored."""
    tasks = {name: load(name) for name in SOURCES}
    labels = {name: label_free(task) for name, task in tasks.items()}
    results: dict[str, Any] = {"repeats": repeats, "sets": {}, "mean": {}}
    for n in N_LABELLED:
        # At least as many examples to score as to learn from.
        large = {s: task for s, task in tasks.items() if task.counts.sum() >= 2 * n}
        by_set = {s: scores(task, labels[s], n, repeats) for s, task in large.items()}
        results["sets"][str(n)] = by_set
        results["mean"][str(n)] = mean(by_set)
        show(Console(), f"{n} labelled examples, {repeats} draws", by_set)
    store("calibration", results)


def show(console: Console, title: str, by_set: dict[str, Any]) -> None:
    """One line per set, and the mean, for every method."""
    table = Table(title=title, box=None, title_justify="left", header_style="bold")
    table.add_column("error, log-loss, score")
    for heading in METHODS:
        table.add_column(heading, justify="right")
    for name, row in (by_set | {f"mean of {len(by_set)}": mean(by_set)}).items():
        cells = (
            f"{one['error']:.3f}, {one['log_loss']:.3f}, {one['score']:.1f}"
            for one in row.values()
        )
        table.add_row(name, *cells)
    console.print(table)


def mean(by_set: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Mean scores of every method over the sets."""
    sets = list(by_set.values())
    return {
        name: {w: float(np.mean([s[name][w] for s in sets])) for w in sets[0][name]}
        for name in METHODS
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20, help="draws of every size")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run(parser.parse_args().repeats)
