"""Answers of workers as signals next to others."""

from __future__ import annotations

from typing import Any

import numpy as np

from corral.functions.by_lookup import Lookup
from corral.signals import WeakSignals


def crowd(
    frame: Any,
    task: str = "task",
    worker: str = "worker",
    label: str = "label",
    *,
    column: Any = ...,
) -> list[Lookup]:
    """Signals that give the answers of a crowd, one per worker.

    For a crowd alone, `WeakSignals.from_long` is shorter. This is for answers next to
    other signals: they find their row by the value of a column.

    Parameters
    ----------
    frame : data frame or mapping of columns
        One answer per row.
    task, worker, label : str
        Its columns.
    column : str, int or None
        The column of the data that holds the task; default: the name given as `task`.
        None: the data are the tasks.

    Returns
    -------
    list of Lookup
        Named after the workers. `corral.apply` takes lists of functions within its list.

    Examples
    --------
    >>> import corral
    >>> answers = {"task": [7, 7, 9], "worker": ["ann", "bob", "ann"],
    ...            "label": ["cat", "dog", "cat"]}
    >>> corral.apply(corral.functions.crowd(answers, column=None), [9, 7, 8]).votes
    array([[ 0, -1],
           [ 0,  1],
           [-1, -1]], dtype=int8)
    """
    answers = WeakSignals.from_long(frame, task=task, worker=worker, label=label)
    tasks: list[Any] = np.asarray(answers.index).tolist()
    classes = answers.classes.tolist()
    known: list[dict[Any, Any]] = [{} for _ in answers.names]
    for row, rater, vote in zip(*(c.tolist() for c in answers.cells()), strict=True):
        known[rater][tasks[row]] = classes[vote]
    reads = task if column is ... else column
    return [
        Lookup(reads, said, False, name=name)
        for name, said in zip(answers.names, known, strict=True)
    ]
