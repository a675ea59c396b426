"""SQL that reads files, by their kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corral.tables.csv_files import csv_reader
from corral.tables.json_files import json_reader
from corral.tables.parquet_files import parquet_names
from corral.tables.sql import quote_files
from corral.tables.text_encoding import first_lines


def read_files(
    connection: Any, kind: str, files: Sequence[Path]
) -> tuple[str, list[str], dict[str, tuple[str, ...]]]:
    """SQL for what files of a kind hold, the columns it has as JSON, and names by file.

    Parameters
    ----------
    connection : DuckDBPyConnection
    kind : str
        The ending, such as ``".csv"``.
    files : sequence of paths

    Returns
    -------
    reader : str
    kept : list of str
        Columns whose values are JSON; only of JSON lines.
    names : dict
        The columns of every file, where they may differ.
    """
    if kind == ".parquet":
        # Columns come from the files, not from the names of folders.
        options = "union_by_name=true, hive_partitioning=false"
        names = parquet_names(connection, files)
        return f"read_parquet({quote_files(files)}, {options})", [], names
    if kind in (".csv", ".tsv"):
        reader, names = csv_reader(connection, files, "\t" if kind == ".tsv" else None)
        return reader, [], names
    for file in files:
        if file.suffix.lower() != ".zst":
            first_lines(file, 1)  # refuses what is not UTF-8
    return *json_reader(connection, files), {}
