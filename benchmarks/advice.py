"""``python -m benchmarks.advice``: labelled rows that were suggested, next to random ones.

`FromLabels` with 20, 50 and 100 labelled rows, scored on all rows as in
`benchmarks.tasks`: on the six sets of `votes/`, and on six others. Gold labels are read
for the labelled rows, and to score. A suggestion sees the votes only. Every draw takes
other rows with the same votes, so their labels differ.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measure import exit_with, store
from benchmarks.tasks import CROWDS, PAPER, VOTES, Task, load
from corral import (
    ConstrainedLabeler,
    FromLabels,
    WeakSignals,
    signal_errors,
    suggest_labels,
)

GROUPS = {"votes": VOTES, "others": PAPER + CROWDS}
SIZES = (20, 50, 100)
BATCH = 10
MEASURES = ("score", "log_loss", "error_rates", "implied_error_rates")


class Answers:
    """Gold labels of single rows, drawn one after the other from those of a pattern."""

    def __init__(self, task: Task, rng: np.random.Generator) -> None:
        self.task = task
        self.rows: list[int] = []
        self.classes: list[int] = []
        self._left = [
            rng.permutation(np.repeat(np.arange(task.k), cells)).tolist()
            for cells in task.gold.astype(int)
        ]

    def ask(self, rows: Any) -> None:
        """Have rows labelled."""
        for row in rows:
            self.rows.append(int(row))
            self.classes.append(self._left[row].pop())

    def fit(self, signals: WeakSignals) -> ConstrainedLabeler:
        """Labels with the help of all answers so far."""
        classes = list(range(self.task.k))
        sample = WeakSignals.from_votes(self.task.votes[self.rows], classes=classes)
        return ConstrainedLabeler(FromLabels(self.classes, sample)).fit(signals)


def random_rows(task: Task, size: int, rng: np.random.Generator) -> Any:
    """Rows drawn uniformly, by pattern."""
    drawn = rng.multivariate_hypergeometric(task.counts.astype(int), size)
    return np.repeat(np.arange(len(drawn)), drawn)


def fits(task: Task, size: int, draw: int) -> Iterator[tuple[str, ConstrainedLabeler]]:
    """A fit for every way to choose the rows."""
    signals = task.signals
    free = ConstrainedLabeler("auto").fit(signals)
    for name in ("random", "suggested", f"suggested, {BATCH} at a time"):
        rng = np.random.default_rng([draw, size])
        answers = Answers(task, rng)
        if name == "random":
            answers.ask(random_rows(task, size, rng))
        elif name == "suggested":
            answers.ask(suggest_labels(free, signals, size, random_state=rng))
        else:
            labeler = free
            while len(answers.rows) < size:
                known = answers.rows
                answers.ask(
                    suggest_labels(
                        labeler, signals, BATCH, known=known, random_state=rng
                    )
                )
                labeler = answers.fit(signals)
        yield name, answers.fit(signals)


def measure_fit(task: Task, labeler: ConstrainedLabeler) -> dict[str, float]:
    """Scores of the labels, and how far rates are from the true ones, by vote."""
    signals = task.signals
    truth = task.gold / task.counts[:, None]
    true_rates = signal_errors(signals, truth)
    off = {
        name: np.abs(getattr(labeler, f"{name}_") - true_rates) for name in MEASURES[2:]
    }
    return task.score(labeler.labels_) | {
        name: float(np.average(each, weights=signals.coverage))
        for name, each in off.items()
    }


def run(draws: int) -> dict[str, Any]:
    """Means over the draws, by size, way to choose and set; printed as they come."""
    console = Console()
    results: dict[str, Any] = {"draws": draws}
    for group, names in GROUPS.items():
        tasks = [load(name) for name in names]
        results[group] = {"no labels": no_labels(tasks)}
        show(console, f"{group}: no labelled rows", results[group]["no labels"])
        for size in SIZES:
            found: dict[str, dict[str, list[dict[str, float]]]] = {}
            # In a smaller set nearly every row would be labelled.
            for task in (t for t in tasks if t.counts.sum() >= 2 * size):
                for draw in range(draws):
                    for name, labeler in fits(task, size, draw):
                        by_set = found.setdefault(name, {}).setdefault(task.name, [])
                        by_set.append(measure_fit(task, labeler))
            rows = {name: means(row) for name, row in found.items()}
            results[group][f"{size} labels"] = rows
            show(console, f"{group}: {size} labelled rows", rows)
    return results


def no_labels(tasks: list[Task]) -> dict[str, Any]:
    """What there is without labelled rows."""
    free = ConstrainedLabeler("auto")
    return {
        "label-free": means(
            {t.name: [measure_fit(t, free.fit(t.signals))] for t in tasks}
        )
    }


def means(by_set: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    """The mean of every measure, by set and over all."""
    sets = {
        name: {m: float(np.mean([one[m] for one in draws])) for m in MEASURES}
        for name, draws in by_set.items()
    }
    mean = {m: float(np.mean([row[m] for row in sets.values()])) for m in MEASURES}
    return sets | {"mean": mean}


def show(console: Console, title: str, rows: dict[str, Any]) -> None:
    """One line per way to choose rows."""
    table = Table(title=title, box=None, title_justify="left", header_style="bold")
    sets = list(next(iter(rows.values())))
    for heading in ("", *sets, "log-loss", "rates off", "implied rates off"):
        table.add_column(heading, justify="left" if not heading else "right")
    for name, row in rows.items():
        figures = [f"{row[s]['score']:.1f}" for s in sets]
        mean = row["mean"]
        table.add_row(name, *figures, *(f"{mean[m]:.3f}" for m in MEASURES[1:]))
    console.print(table)


def find_missed(results: dict[str, Any]) -> list[str]:
    """Sizes at which suggested rows are not better than random ones, on average."""
    return [
        f"{way} rows better than random ones: {group}, {size}"
        for group in GROUPS
        for size, rows in results[group].items()
        if "random" in rows
        for way in ("suggested", "suggested, 10 at a time")
        if rows[way]["mean"]["score"] <= rows["random"]["mean"]["score"]
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=10, help="of every size and set")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(parser.parse_args().draws)
    store("advice", found)
    exit_with(find_missed(found))
