"""Parquet: the names of columns as the files have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from corral.errors import SignalsError
from corral.tables.column_names import refuse_many, twins_of
from corral.tables.sql import quote_files


def parquet_names(connection: Any, files: Sequence[Path]) -> dict[str, tuple[str, ...]]:
    """Names of columns by name of file; refused if two of a file are the same.

    DuckDB would read ``a`` and ``A`` as ``a`` and ``A_1``.
    """
    schema = f"parquet_schema({quote_files(files)})"
    query = f"SELECT file_name, name, num_children FROM {schema}"
    rows = iter(connection.execute(query).fetchall())
    found = {}
    for file, _, size in rows:  # the root of a file; what it holds comes next
        found[file] = names = tuple(_next_name(rows) for _ in range(size or 0))
        refuse_many(names, Path(file).name)
        if twins := twins_of(names):
            raise SignalsError(
                f"{Path(file).name!r} has two columns named "
                f"{', '.join(map(repr, twins))}; upper and lower case are the same. Give "
                "every column a name of its own."
            )
    return found


def _next_name(rows: Iterator[tuple[str, str, int | None]]) -> str:
    """The next column, past the parts that it has if it is nested."""
    _, name, parts = next(rows)
    for _ in range(parts or 0):
        _next_name(rows)
    return name
