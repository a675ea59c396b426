"""Votes of any kind, with the true labels and the examples that belong to their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.errors import ParameterError
from corral.reports.example_rows import (
    ExampleRows,
    RowsInMemory,
    RowsInTable,
    RowsInTasks,
    RowsUnseen,
)
from corral.tables import VoteFiles, VoteTable, open_table
from corral.tables.duckdb_table import DuckTable
from corral.vote_reader import VoteReader
from corral.votes import WeakSignals
from corral.votes.coding import is_missing
from corral.votes.frames import as_frame, choose_columns, is_frame


def is_path(votes: Any) -> bool:
    """Whether votes are in files."""
    return isinstance(votes, str | PathLike)


@dataclass(frozen=True, eq=False)
class VoteSource:
    """Signals, true labels one per row of them, and the examples behind the rows."""

    signals: WeakSignals
    gold: Any
    examples: ExampleRows


def read_source(votes: Any, reading: VoteReader, gold: Any, text: Any) -> VoteSource:
    """Read votes of any kind, with what belongs to their rows."""
    if is_path(votes):
        table: VoteTable | None = VoteFiles(votes)
    else:
        table = open_table(votes)
    if table is not None:
        return _read_table(table, reading, gold, text)
    if is_frame(votes):
        return _read_frame(as_frame(votes), reading, gold, text)
    for name, given in (("gold", gold), ("text", text)):
        if isinstance(given, str):
            raise ParameterError(
                f"is the name of a column, {given!r}, but these votes are no table; give "
                "one value per row.",
                parameter=name,
            )
    read = reading.read_array(votes)
    return VoteSource(read, gold, rows_in_memory(read, text))


def _read_table(
    table: VoteTable, reading: VoteReader, gold: Any, text: Any
) -> VoteSource:
    """Of a table whose rows are not in memory; only those that are shown will be."""
    for name, column in (("gold", gold), ("text", text)):
        if column is None:
            continue
        if not isinstance(column, str):
            raise ParameterError(
                "of a table that is not in memory is the name of a column; "
                f"{type(column).__name__} was given.",
                parameter=name,
            )
        if column not in table.columns:
            raise ParameterError(
                f"no column is named {column!r}, which `{name}=` says; the table has "
                f"{', '.join(map(repr, table.columns))}."
            )
    if text is not None and not isinstance(table, DuckTable):
        raise ParameterError(
            "`text=` is for files, DuckDB relations and frames in memory; rows "
            "of this table stay where they are."
        )
    names = reading.name_rows(table)
    if reading.task is None:
        reading = _leave_out(reading, [text])
    if gold is None:
        read, truth = reading.read_table(table), None
    else:
        read, truth = reading.read_gold(table, gold)
    examples: ExampleRows
    if not isinstance(table, DuckTable):
        examples = RowsUnseen()
    elif reading.task is None:
        examples = RowsInTable(table, names, text)
    else:
        tasks = read.index if read.index is None else read.index.tolist()
        examples = RowsInTasks(table, reading.task, tasks, text)
    return VoteSource(read, truth, examples)


def _read_frame(frame: Any, reading: VoteReader, gold: Any, text: Any) -> VoteSource:
    """Of a data frame in memory; a long one has one row per task."""

    def column(name: str) -> list[Any]:
        values: list[Any] = frame.get_column(name).to_list()
        return values

    for name, given in (("gold", gold), ("text", text)):
        if isinstance(given, str) and given not in frame.columns:
            raise ParameterError(
                f"no column is named {given!r}, which `{name}=` says; the table has "
                f"{', '.join(map(repr, frame.columns))}."
            )
    if reading.task is None:
        named = [each for each in (gold, text) if isinstance(each, str)]
        read = _leave_out(reading, named).read_frame(frame)
        ids = (
            choose_columns(frame.columns, reading.id) if reading.id is not None else []
        )
        truth = column(gold) if isinstance(gold, str) else gold
        texts = column(text) if isinstance(text, str) else text
        return VoteSource(
            read, truth, rows_in_memory(read, texts, tuple(map(column, ids)))
        )
    read = reading.read_frame(frame)
    tasks = read.index
    assert tasks is not None  # a long table names them
    rows = column(reading.task)
    given = [
        first_by_task(rows, column(each), tasks) if isinstance(each, str) else each
        for each in (gold, text)
    ]
    return VoteSource(read, given[0], RowsInMemory((tasks.tolist(),), given[1]))


def first_by_task(rows: list[Any], values: list[Any], tasks: NDArray[Any]) -> list[Any]:
    """The first value that is not missing, of every task."""
    found: dict[Any, Any] = {}
    for name, value in zip(rows, values, strict=True):
        if not is_missing(value):
            found.setdefault(name, value)
    return [found.get(name) for name in tasks.tolist()]


def _leave_out(reading: VoteReader, columns: Sequence[str | None]) -> VoteReader:
    """The same reading, of which some columns are no signals."""
    others = [name for name in columns if name is not None]
    if not others or reading.signals is not None:
        return reading
    ids = [reading.id] if isinstance(reading.id, str) else list(reading.id or ())
    return replace(reading, id=[*ids, *others])


def rows_in_memory(
    signals: WeakSignals, texts: Any, names: tuple[Sequence[Any], ...] = ()
) -> ExampleRows:
    """Names and texts in memory, one of each per row of the signals."""
    if texts is not None:
        if isinstance(texts, str) or not hasattr(texts, "__len__"):
            raise ParameterError(
                f"must hold one text per row; {texts!r:.40} was given.",
                parameter="text",
            )
        if len(texts) != len(signals):
            raise ParameterError(
                f"must hold one text for each of the {len(signals):,} rows; "
                f"{len(texts):,} were given.",
                parameter="text",
            )
        texts = _list_values(texts)
    if not names and signals.index is not None:
        names = (signals.index.tolist(),)
    return RowsInMemory(names, texts)


def _list_values(texts: Any) -> Any:
    """A column of any library by position, in values of Python."""
    if hasattr(texts, "to_pylist"):  # of Arrow, whose values are no texts
        return texts.to_pylist()
    return np.asarray(texts, object).tolist() if hasattr(texts, "iloc") else texts
