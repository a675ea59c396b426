"""Parquet in, Parquet out, against what DuckDB itself needs to read and write as much.

``python -m benchmarks.scale [rows ...]``; the files are made in a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table

from corral.datasets import PAPER_ACCURACIES

RESULTS = Path(__file__).parent / "results"
SIGNALS = [f"s{i}" for i in range(len(PAPER_ACCURACIES))]

# In a process of its own, so that its peak memory is its own.
LABEL = """
import resource, sys, time, warnings
import corral
warnings.simplefilter("ignore")
source, output, warm = sys.argv[1:]
corral.label(warm, id="id", output=output, error_rates=0.4)
began = time.perf_counter()
solver = corral.Adagrad(scale_free=True)
corral.label(source, id="id", output=output, error_rates=0.4, solver=solver)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(time.perf_counter() - began, peak)
"""


def make(path: Path, rows: int) -> None:
    """Independent signals, three tenths of the rows each, NULL for no vote."""
    votes = ", ".join(
        f"CASE WHEN random() < 0.3 THEN "
        f"(CASE WHEN random() < {a} THEN y ELSE 1 - y END)::TINYINT END AS {s}"
        for s, a in zip(SIGNALS, PAPER_ACCURACIES, strict=True)
    )
    duckdb.sql(
        f"COPY (SELECT id, {votes} FROM (SELECT range AS id, "
        f"(random() < 0.5)::TINYINT AS y FROM range({rows}))) TO '{path}'"
    )


def limit(source: Path, output: Path) -> float:
    """Seconds to read the votes, and to write a table of the same columns."""
    began = time.perf_counter()
    sums = ", ".join(f"sum({s})" for s in SIGNALS)
    duckdb.sql(f"SELECT {sums} FROM '{source}'").fetchall()
    duckdb.sql(
        f"COPY (SELECT *, random() AS p_1, (random() < 0.5)::BIGINT AS label, random() "
        f"AS confidence, random() < 0.9 AS covered FROM '{source}') TO '{output}'"
    )
    return time.perf_counter() - began


def measure(rows: int, runs: int, folder: Path) -> dict[str, Any]:
    """Medians of interleaved runs, and the largest peak."""
    source, warm, output = (folder / f"{n}.parquet" for n in ("votes", "warm", "out"))
    make(source, rows)
    make(warm, 300_000)
    ours, theirs, peaks = [], [], []
    for _ in range(runs):
        call = [sys.executable, "-c", LABEL, str(source), str(output), str(warm)]
        ran = subprocess.run(call, capture_output=True, text=True, check=True)
        seconds, peak = map(float, ran.stdout.split())
        ours.append(seconds)
        peaks.append(peak)
        theirs.append(limit(source, output))
    middle = runs // 2
    found = {
        "rows": rows,
        "corral": sorted(ours)[middle],
        "duckdb": sorted(theirs)[middle],
    }
    found["ratio"] = found["corral"] / found["duckdb"]
    found["peak"] = max(peaks)
    for file in (source, warm, output):
        file.unlink()
    return found


def run(sizes: list[int], runs: int) -> None:
    """Measure all sizes, print a table and store the numbers."""
    console = Console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("rows", "corral", "DuckDB alone", "ratio", "rows a second", "peak"):
        table.add_column(heading, justify="right")
    results = []
    for rows in sizes:
        with tempfile.TemporaryDirectory() as folder, console.status(f"{rows:,} rows"):
            found = measure(rows, runs, Path(folder))
        results.append(found)
        table.add_row(
            f"{rows:,}",
            f"{found['corral']:.1f} s",
            f"{found['duckdb']:.1f} s",
            f"{found['ratio']:.2f}",
            f"{rows / found['corral']:,.0f}",
            f"{found['peak'] / 1e9:.2f} GB",
        )
    console.print("[bold]10 signals, Parquet in, Parquet with labels out[/]")
    console.print(table)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "scale.json").write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=int, default=[1_000_000, 20_000_000])
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    run(arguments.rows, arguments.runs)
