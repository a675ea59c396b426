"""JSON lines: dates, large numbers and nested values stay as they were written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corral.errors import SignalsError
from corral.tables.column_names import refuse_twins
from corral.tables.sql import quote_files, quote_name, quote_text

_AS_IT_IS = ("BIGINT", "BOOLEAN", "VARCHAR", "DOUBLE")
_TEXT_ONCE = ("DATE", "TIME", "UUID", "INTERVAL")
"""How the names of types begin that DuckDB guesses for texts."""
EXACT = 2.0**53
"""Whole numbers from here on are rounded by floating point."""


def json_reader(connection: Any, files: Sequence[Path]) -> tuple[str, list[str]]:
    """SQL for the objects in some files, and the columns that are kept as JSON."""
    plain = f"read_json({quote_files(files)}, format='newline_delimited', {{}})"
    guess = plain.format("union_by_name=true, hive_partitioning=false, sample_size=-1")
    found = connection.execute(f"DESCRIBE FROM {guess}").fetchall()
    kinds = {name: _kind(kind) for name, kind, *_ in found}
    _refuse_renamed(connection, list(kinds), files)
    made = _reader(plain, kinds)
    numbers = [name for name, kind in kinds.items() if kind == "DOUBLE"]
    unsafe = _any(
        connection,
        made,
        {
            c: f"isinf({quote_name(c)}) OR abs({quote_name(c)}) >= {EXACT}"
            for c in numbers
        },
    )
    kinds |= dict.fromkeys(unsafe, "JSON")
    made = _reader(plain, kinds)
    kept = [name for name, kind in kinds.items() if kind == "JSON"]
    bare = _any(connection, made, {c: _no_json(quote_name(c)) for c in kept})
    if bare:
        raise SignalsError(
            f"column {bare[0]!r} of {files[0].name!r} holds a bare NaN or Infinity within "
            "a list or an object, or an Infinity, which is not JSON. Write null instead."
        )
    shown = ", ".join(
        f"{_without_nan(quote_name(c), kind)} AS {quote_name(c)}"
        for c, kind in kinds.items()
    )
    return f"(SELECT {shown} FROM {made})", kept


def json_text(column: str) -> str:
    """SQL for a cell of a column of JSON as text: a string without its quotes."""
    return (
        f"CASE json_type({column}) WHEN 'VARCHAR' THEN {column} ->> '$' "
        f"ELSE {column}::VARCHAR END"
    )


def _kind(guessed: str) -> str:
    """The type to read a column as, where DuckDB would read it as another."""
    if guessed in _AS_IT_IS:
        return guessed
    return (
        "VARCHAR" if guessed.startswith(_TEXT_ONCE) and "[" not in guessed else "JSON"
    )


def _reader(plain: str, kinds: dict[str, str]) -> str:
    columns = ", ".join(f"{quote_text(c)}: '{kind}'" for c, kind in kinds.items())
    return plain.format(f"columns={{{columns}}}, hive_partitioning=false")


def _any(connection: Any, source: str, tests: dict[str, str]) -> list[str]:
    """Columns of which a test holds in some row."""
    if not tests:
        return []
    wanted = ", ".join(f"coalesce(bool_or({test}), false)" for test in tests.values())
    held = connection.execute(f"SELECT {wanted} FROM {source}").fetchone()
    return [column for column, true in zip(tests, held, strict=True) if true]


def _no_json(column: str) -> str:
    """Whether a cell has NaN or Infinity outside of its strings, and is not just NaN."""
    text = f"{column}::VARCHAR"
    bare = f"""regexp_replace({text}, '"([^"\\\\]|\\\\.)*"', '', 'g')"""
    return (
        f"regexp_matches({text}, '(?i)nan|inf') AND lower({text}) <> 'nan' "
        f"AND regexp_matches({bare}, '(?i)nan|inf')"
    )


def _without_nan(column: str, kind: str) -> str:
    """A cell, NULL where it is NaN: JSON has no other way to say that it is missing."""
    if kind == "DOUBLE":
        return f"CASE WHEN NOT isnan({column}) THEN {column} END"
    if kind == "JSON":
        return f"CASE WHEN lower({column}::VARCHAR) <> 'nan' THEN {column} END"
    return column


def _refuse_renamed(connection: Any, names: list[str], files: Sequence[Path]) -> None:
    """Refuse keys that differ in case only; DuckDB calls the second ``A_1``."""
    lower = {name.lower() for name in names}
    for name in names:
        number = re.fullmatch(r"(.+)_\d+", name)
        if number is None or number[1].lower() not in lower:
            continue
        path = quote_text(f"$.{quote_name(name)}")
        there = _any(
            connection,
            f"read_ndjson_objects({quote_files(files)})",
            {name: f"json_exists(json, {path})"},
        )
        if not there:
            refuse_twins([number[1], number[1]], "DuckDB")
