"""Compute the cells that have no result yet, one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from corral.errors import CorralError
from repro.config import Cell, Experiment
from repro.keys import key_of
from repro.results import RESULTS, Record, Results
from repro.store import CACHE, Store
from repro.studies import STUDIES


def run(
    experiment: Experiment,
    *,
    smoke: bool = False,
    again: bool = False,
    results: Path = RESULTS,
    cache: Path = CACHE,
) -> Iterator[tuple[Cell, Record | CorralError, bool]]:
    """Run the cells of an experiment whose config or data have changed.

    Parameters
    ----------
    experiment : Experiment
    smoke : bool
        The small form, of seconds.
    again : bool
        Also what is stored already.
    results, cache : Path
        Folders of results and of arrays that several cells need.

    Yields
    ------
    cell : Cell
    record : Record or CorralError
        What was found; or why it could not be, such as data that are not there.
    kept : bool
        Whether it was stored before.
    """
    study, store = STUDIES[experiment.study], Store(cache)
    kept = Results(experiment.name, results)
    for cell in experiment.cells(smoke):
        try:
            data = study.data(cell)
            where = (experiment.study, experiment.version, cell.row, cell.column)
            key = key_of([*where, cell.settings, data])
            before = kept.records.get((cell.row, cell.column))
            if before is not None and before.key == key and not again:
                yield cell, before, True
                continue
            start = time.perf_counter()
            outcome = study.run(cell, store)
        except CorralError as error:
            yield cell, error, False
            continue
        record = Record(
            **asdict(outcome),
            seeds=cell.seeds,
            seconds=round(time.perf_counter() - start, 2),
            data=data,
            key=key,
        )
        kept.keep(cell.row, cell.column, record)
        yield cell, record, False
