"""One process that `benchmarks.speed` measures: Parquet in and out, by corral or DuckDB.

``python -m benchmarks.speed_process NAME STARTED FOLDER...`` works on every folder in turn,
and prints seconds, the first ones since the process was started, and peak memory.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from benchmarks.measure import peak_resident


def run_corral(folder: Path) -> None:
    """Label the votes, as the command line does."""
    from corral.cli import main

    files = [
        str(folder / "votes" / "*.parquet"),
        "-o",
        str(folder / "labelled.parquet"),
    ]
    sys.argv = ["corral", "label", *files, "--id", "id", "--overwrite"]
    try:
        main()
    except SystemExit as left:
        if left.code:
            raise


def run_duckdb(folder: Path) -> None:
    """Read the votes, then read and write the labelled table: corral's columns."""
    import duckdb

    with duckdb.connect() as connection:
        votes = connection.sql(f"FROM '{folder}/votes/*.parquet'")
        votes.sum("COLUMNS(* EXCLUDE id)").fetchall()
        labelled = f"FROM '{folder}/labelled.parquet'"
        copied = f"'{folder}/copied.parquet' (WRITE_BLOOM_FILTER false)"
        connection.execute(f"COPY ({labelled}) TO {copied}")


if __name__ == "__main__":
    name, started, *folders = sys.argv[1:]
    began, seconds = float(started), []
    for folder in map(Path, folders):
        {"corral": run_corral, "DuckDB": run_duckdb}[name](folder)
        seconds.append(time.monotonic() - began)
        began = time.monotonic()
    print(json.dumps({"seconds": seconds, "peak": peak_resident()}))
