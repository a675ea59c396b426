"""Answers of workers as signals next to others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

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
    votes = answers.votes
    stored = votes if isinstance(votes, csr_array) else csr_array(votes.astype(int) + 1)
    by_worker = stored.tocsc()
    functions = []
    for at, name in enumerate(answers.names):
        cells = slice(by_worker.indptr[at], by_worker.indptr[at + 1])
        rows, codes = by_worker.indices[cells].tolist(), by_worker.data[cells].tolist()
        known = {tasks[j]: classes[c - 1] for j, c in zip(rows, codes, strict=True)}
        reads = task if column is ... else column
        functions.append(Lookup(reads, known, False, name=name))
    return functions
