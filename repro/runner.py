"""Compute the cells that have no result yet, one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from joblib import Parallel, delayed

from corral.errors import CorralError
from repro.config import Cell, Experiment
from repro.results import RESULTS, Record, Results
from repro.store import CACHE, Store
from repro.studies import STUDIES

Found = Record | CorralError
"""The result of a cell, or why there is none, such as missing data."""


def run(
    experiment: Experiment,
    *,
    smoke: bool = False,
    again: bool = False,
    jobs: int = 1,
    results: Path = RESULTS,
    cache: Path = CACHE,
) -> Iterator[tuple[Cell, Found, bool]]:
    """Run the cells of an experiment whose config or data have changed.

    Parameters
    ----------
    experiment : Experiment
    smoke : bool
        The small form, of seconds.
    again : bool
        Also what is stored already.
    jobs : int
        Cells computed at a time, each by a process with its share of the cores.
    results, cache : Path
        Folders of results and of arrays that several cells need.

    Yields
    ------
    cell : Cell
    found : Record or CorralError
    kept : bool
        Whether it was stored before.
    """
    kept = Results(experiment.name, results)
    todo = []
    for cell in experiment.cells(smoke):
        before = kept.records.get((cell.row, cell.column))
        if before is not None and not again and _is_of(before, cell):
            yield cell, before, True
        else:
            todo.append(cell)
    calls = (delayed(_compute)(cell, cache) for cell in todo)
    for cell, found in Parallel(jobs, return_as="generator_unordered")(calls):
        if isinstance(found, Record):
            kept.keep(cell.row, cell.column, found)
        yield cell, found, False


def _compute(cell: Cell, cache: Path) -> tuple[Cell, Found]:
    study, store = STUDIES[cell.experiment.study], Store(cache, cell.experiment.version)
    try:
        data, start = study.data(cell), time.perf_counter()
        outcome = study.run(cell, store)
    except CorralError as error:
        return cell, error
    return cell, Record(
        **asdict(outcome),
        seeds=cell.seeds,
        seconds=round(time.perf_counter() - start + store.saved_seconds, 2),
        data=data,
        key=cell.key(data),
    )


def _is_of(record: Record, cell: Cell) -> bool:
    """Whether a record is of this cell, with the data that are there now."""
    try:
        return record.key == cell.key(STUDIES[cell.experiment.study].data(cell))
    except CorralError:
        return False
