"""Parquet files of random votes, of any number of rows."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb

from corral.datasets import PAPER_ACCURACIES

SLICE = 100_000_000
BYTES_A_ROW = 40
"""Votes and the larger of the two outputs of ten signals, with room to spare."""


def signal_names(m: int) -> list[str]:
    """The columns of the votes."""
    return [f"s{i}" for i in range(m)]


def make_votes(folder: Path, rows: int, m: int) -> str:
    """Independent signals that vote on three tenths of the rows each, NULL for the rest.

    The accuracies are the paper's, taken in turns. One file a slice, so that the memory
    needed does not grow.

    Returns
    -------
    str
        The path of the files, as a pattern.
    """
    folder.mkdir()
    free = shutil.disk_usage(folder).free
    needed = rows * BYTES_A_ROW * m // 10
    if free < needed:
        raise SystemExit(
            f"{rows:,} rows of {m} signals need {needed / 1e9:.0f} GB of disk space; "
            f"{folder} has {free / 1e9:.0f} GB. Name another folder with --folder."
        )
    accuracies = [PAPER_ACCURACIES[i % len(PAPER_ACCURACIES)] for i in range(m)]
    votes = ", ".join(
        f"CASE WHEN random() < 0.3 THEN "
        f"(CASE WHEN random() < {a} THEN y ELSE 1 - y END)::TINYINT END AS {s}"
        for s, a in zip(signal_names(m), accuracies, strict=True)
    )
    with duckdb.connect() as connection:
        for part, start in enumerate(range(0, rows, SLICE)):
            connection.execute(f"SELECT setseed({(part + 1) / 1000})")
            connection.execute(
                f"COPY (SELECT id, {votes} FROM (SELECT range AS id, "
                f"(random() < 0.5)::TINYINT AS y "
                f"FROM range({start}, {min(start + SLICE, rows)}))) "
                f"TO '{folder}/{part:03}.parquet'"
            )
    return f"{folder}/*.parquet"


def read_and_write(source: str, output: str, like: str) -> None:
    """What every program must do: read the votes, write as many columns as `like` has.

    The columns that `source` does not have are filled with random values.
    """
    random = {
        "DOUBLE": "random()",
        "FLOAT": "random()::FLOAT",
        "BOOLEAN": "random() < 0.9",
        "BIGINT": "(random() < 0.5)::BIGINT",
        "TINYINT": "(random() < 0.5)::TINYINT",
    }
    with duckdb.connect() as connection:
        columns = _columns(connection, source)
        sums = ", ".join(f"sum({name})" for name in columns if name != "id")
        connection.execute(f"SELECT {sums} FROM '{source}'").fetchall()
        added = ", ".join(
            f"{random[kind]} AS {name}"
            for name, kind in _columns(connection, like).items()
            if name not in columns
        )
        connection.execute(f"COPY (SELECT *, {added} FROM '{source}') TO '{output}'")


def _columns(connection: duckdb.DuckDBPyConnection, files: str) -> dict[str, str]:
    described = connection.execute(f"DESCRIBE SELECT * FROM '{files}'").fetchall()
    return {name: kind for name, kind, *_ in described}
