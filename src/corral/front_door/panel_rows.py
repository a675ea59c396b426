"""Verdicts with what belongs to their rows: human labels, slices, probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from corral.errors import ParameterError
from corral.reports.vote_sources import first_by_task
from corral.tables.duckdb_table import DuckTable
from corral.vote_reader import VoteReader
from corral.votes import WeakSignals
from corral.votes.coding import is_missing
from corral.votes.frames import choose_columns, fill_missing
from corral.votes.probability_columns import group_columns


def _name_slices(slices: Any) -> list[str]:
    """Columns of slices by name; refused if they are values."""
    if slices is None:
        return []
    names = [slices] if isinstance(slices, str) else slices
    if not isinstance(names, Sequence) or not all(isinstance(n, str) for n in names):
        raise ParameterError(
            "of a table must be names of its columns.", parameter="slices"
        )
    return list(names)


def take_values(gold: Any, slices: Any, sampling: Any) -> dict[str, Any]:
    """What belongs to the rows of an array: one value per row."""
    for name, given in (("gold", gold), ("sampling", sampling), ("slices", slices)):
        if isinstance(given, str):
            raise ParameterError(
                f"is the name of a column, {given!r}, but these votes are no table; give "
                "one value per row.",
                parameter=name,
            )
    if slices is not None and not isinstance(slices, Mapping):
        slices = {"slice": slices}
    return {"gold": gold, "slices": slices, "sampling": sampling}


def read_frame(
    frame: Any, reading: VoteReader, gold: Any, slices: Any, sampling: Any
) -> tuple[WeakSignals, dict[str, Any]]:
    """Of a data frame: columns by name, or values."""
    by_name = slices is not None and (
        isinstance(slices, str)
        or (isinstance(slices, list) and all(isinstance(s, str) for s in slices))
    )
    columns = {"gold": gold, "sampling": sampling}
    names = [c for c in columns.values() if isinstance(c, str)]
    names += _name_slices(slices) if by_name else []
    for name in names:
        if name not in frame.columns:
            raise _no_column(name, frame.columns)
    rows = {c: np.array(frame.get_column(c).to_list(), object) for c in names}
    if reading.task is not None:
        tasks = frame.get_column(reading.task).to_list()
        signals = reading.read_frame(frame)
        rows = _by_task(tasks, rows, signals)
    else:
        ids = [] if reading.id is None else choose_columns(frame.columns, reading.id)
        gone = {*ids, *names}
        kept = [c for c in frame.columns if c not in gone]
        signals = replace(reading, id=None).read_frame(frame.select(kept))
    values = {key: rows[c] if isinstance(c, str) else c for key, c in columns.items()}
    if by_name:
        values["slices"] = {c: rows[c] for c in _name_slices(slices)}
    elif slices is not None:
        is_map = isinstance(slices, Mapping)
        values["slices"] = slices if is_map else {"slice": slices}
    return signals, values


def read_table(
    table: DuckTable, reading: VoteReader, gold: Any, slices: Any, sampling: Any
) -> tuple[WeakSignals, dict[str, Any]]:
    """Of a file or a relation, row by row in its order: columns by name."""
    for name, given in (("gold", gold), ("sampling", sampling)):
        if given is not None and not isinstance(given, str):
            raise ParameterError(
                "of a table that is not in memory is the name of a column; "
                f"{type(given).__name__} was given.",
                parameter=name,
            )
    by = _name_slices(slices)
    others = [c for c in (gold, sampling, *by) if c is not None]
    for name in others:
        if name not in table.columns:
            raise _no_column(name, table.columns)
    if reading.answers is not None:
        task, worker, answer = reading.answers
        wanted = list(dict.fromkeys([task, worker, answer, *others]))
        table.keep_codes([answer, *([] if gold is None else [gold])])
        rows = table.rows_in_order(wanted, names=(task, worker, *by))
        coding = reading.coding.match_type(rows[answer])
        rows[answer] = fill_missing(rows[answer], coding.abstain)
        signals = WeakSignals.from_long(
            {name: rows[name] for name in (task, worker, answer)},
            task=task,
            worker=worker,
            label=answer,
            **vars(coding),
        )
        kept = {name: rows[name] for name in others}
        rows = _by_task(rows[task].tolist(), kept, signals)
    else:
        judges = [
            c for c in reading.choose(table) if reading.signals or c not in others
        ]
        if both := set(judges).intersection(others):
            raise ParameterError(f"the column {min(both)!r} is also chosen as a judge.")
        table.refuse_other(judges, reading.classes)
        # Probabilities are numbers, whatever the classes are.
        alike = judges if reading.probabilities else [*judges, gold]
        if not reading.probabilities:
            table.keep_codes(alike)
        if len({table.is_text(c) for c in alike}) > 1:
            raise ParameterError(
                "verdicts and human labels must be all numbers or all text; choose the "
                "columns of judges with `signals=`, or leave one out with "
                "`id=`."
            )
        rows = table.rows_in_order([*judges, *others], names=by)
        signals = _make_signals(rows, judges, reading)
    return signals, {
        "gold": rows[gold],
        "sampling": None if sampling is None else rows[sampling],
        "slices": {c: rows[c] for c in by} or None,
    }


def _make_signals(
    rows: Mapping[str, Any], judges: list[str], reading: VoteReader
) -> WeakSignals:
    """Signals of columns in memory."""
    votes = np.column_stack([rows[name] for name in judges])
    coding = reading.coding.match_type(votes)
    if not reading.probabilities:
        return WeakSignals.from_votes(
            fill_missing(votes, coding.abstain), names=judges, **vars(coding)
        )
    groups = group_columns(
        judges, votes, reading.columns, coding.classes, coding.abstain
    )
    return WeakSignals.from_probabilities(
        groups.arrange(votes),
        classes=groups.classes or coding.classes,
        abstain=coding.abstain,
        names=groups.signals,
        bins=reading.bins,
    )


def _no_column(name: str, columns: Sequence[str]) -> ParameterError:
    return ParameterError(
        f"no column is named {name!r}, which `gold=`, `slices=` or "
        f"`sampling=` says; the table has {', '.join(map(repr, columns))}."
    )


def _by_task(
    tasks: list[Any], rows: Mapping[str, Any], signals: WeakSignals
) -> dict[str, Any]:
    """Columns of a long table with one value per task; refused if there are several."""
    order: Any = signals.index
    found = {}
    for name, values in rows.items():
        each = first_by_task(tasks, values.tolist(), order)
        first = dict(zip(order.tolist(), each, strict=True))
        for task, value in zip(tasks, values.tolist(), strict=True):
            if not is_missing(value) and value != first.get(task, value):
                raise ParameterError(
                    f"the column {name!r} has several values for {task!r}, such as "
                    f"{first[task]!r} and {value!r}; `gold=`, `slices=` "
                    f"and `sampling=` have one per task."
                )
        found[name] = np.array(each, object)
    return found
