"""Answers of crowds in long csv files."""

from __future__ import annotations

import csv
from collections.abc import Sequence

import numpy as np

from corral.datasets.dataset import Examples
from corral.datasets.readers.reader_tools import StrPath, reading
from corral.signals import WeakSignals


def read_crowd(answers: StrPath, truth: StrPath) -> Examples:
    """Read ``task,worker,label`` and ``task,label``, in any order of columns.

    Tasks are in the order of their first answer (`WeakSignals.index`). The label of a
    task that `truth` does not know is "".

    Parameters
    ----------
    answers, truth : paths
    """
    tasks, workers, labels = _columns(answers, ("task", "worker", "label"))
    known, true = _columns(truth, ("task", "label"))
    with reading(truth, "one label per task"):
        found = dict(zip(known, true, strict=True))
        if len(found) < len(known):
            raise ValueError(f"{len(known) - len(found)} tasks more than once")
        if found.keys().isdisjoint(tasks):
            raise ValueError(f"no task of {str(answers)!r}")
    with reading(answers, "one label per task and worker"):
        signals = WeakSignals.from_long(
            {"task": tasks, "worker": workers, "label": labels},
            classes=sorted({*labels, *true}),
        )
    index = [] if signals.index is None else signals.index.tolist()
    return Examples(np.array([found.get(t, "") for t in index]), signals=signals)


def _columns(path: StrPath, names: Sequence[str]) -> list[list[str]]:
    with (
        reading(path, f"a csv with the columns {', '.join(names)}"),
        open(path, encoding="utf-8", newline="") as file,
    ):
        rows = csv.reader(file, strict=True)
        header = next(rows, [])
        places = [header.index(name) for name in names]
        table = list(rows)
        if any(len(row) != len(header) for row in table) or not table:
            raise ValueError(f"rows without {len(header)} fields, or none")
        return [[row[place] for row in table] for place in places]
