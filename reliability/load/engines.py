"""The same Parquet files labelled by DuckDB and by Spark: memory, and equal labels."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
from benchmarks.scale.files import make_votes, signal_names

SIGNALS = 10
ENGINES = ("duckdb", "spark")
HEAP = "2g"
"""What the JVM of Spark may take for objects."""
GROWTH = 2.0
"""By how much the peak may grow where the rows grow tenfold."""
SAME = 1e-12
"""How far labels may be apart: sums of another order."""


def run_engines(rows: int) -> dict[str, Any]:
    """Both engines on a tenth of the rows, and on all of them."""
    found: dict[str, Any] = {"rows": rows, "signals": SIGNALS, "heap": HEAP}
    found["runs"] = [compare_engines(n) for n in (max(rows // 10, 1), rows)]
    return found


def compare_engines(rows: int) -> dict[str, Any]:
    """Both engines on so many rows, one after the other, each in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="corral_load_") as name:
        folder = Path(name)
        print(f"{rows:,} rows: writing votes", flush=True)
        source = make_votes(folder / "votes", rows, SIGNALS)
        found: dict[str, Any] = {"rows": rows}
        for engine in ENGINES:
            found[engine] = label_alone(engine, source, folder / f"{engine}.parquet")
            took, peak = found[engine]["seconds"], found[engine]["peak"]
            print(f"{rows:,} rows: {engine} {took:.0f} s, {peak / 1e6:.0f} MB")
        outputs = [folder / "duckdb.parquet", folder / "spark.parquet" / "*.parquet"]
        found |= compare_outputs(*map(str, outputs), folder)
        print(
            f"{rows:,} rows: {found['patterns']:,} patterns, labels "
            f"{found['apart']:.2g} apart, the same rows: {found['same_rows']}",
            flush=True,
        )
    return found


def label_alone(engine: str, source: str, output: Path) -> dict[str, Any]:
    """Label files in a fresh process; seconds, and the peak of it and of its children."""
    call = [sys.executable, "-m", "reliability.load.one_engine", engine, source, output]
    ran = subprocess.run([*call, HEAP], stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def compare_outputs(first: str, second: str, spill: Path) -> dict[str, Any]:
    """How far the labels of two outputs are apart, and whether their rows are the same.

    Labels of a pattern are one number, so patterns are joined and not rows; that they are
    one number is checked. Rows are compared by the sum of the hashes of their ids and
    votes, which has no order.
    """
    signals = ", ".join(signal_names(SIGNALS))
    per_pattern = (
        f"SELECT {signals}, count(*) AS n, min(p_1) AS low, max(p_1) AS high, "
        "min(label) AS first, max(label) AS last, "
        f"sum(hash(id, {signals})) AS rows FROM '{{}}' GROUP BY ALL"
    )
    same = " AND ".join(
        f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in signal_names(SIGNALS)
    )
    with duckdb.connect() as connection:
        connection.execute(f"SET temp_directory = '{spill}/spill'")
        for table, path in (("a", first), ("b", second)):
            connection.execute(f"CREATE TABLE {table} AS {per_pattern.format(path)}")
        (row,) = connection.execute(
            "SELECT count(*), "
            "max(greatest(abs(a.low - b.low), abs(a.high - b.high), a.high - a.low)), "
            "bool_and(coalesce(a.n = b.n AND a.rows = b.rows, false)), "
            "count(*) FILTER (a.first IS DISTINCT FROM b.first "
            "OR a.last IS DISTINCT FROM b.last OR (a.low IS NULL) <> (b.low IS NULL)) "
            f"FROM a FULL JOIN b ON {same}"
        ).fetchall()
    patterns, apart, same_rows, other_class = row
    return {
        "patterns": patterns,
        "apart": apart,
        "same_rows": same_rows,
        "patterns_of_another_class": other_class,
    }


def find_failures(found: dict[str, Any]) -> list[str]:
    """What did not hold."""
    failures = []
    for run in found["runs"]:
        where = f"engines, {run['rows']:,} rows"
        if not run["same_rows"]:
            failures.append(f"{where}: the rows written differ")
        if run["apart"] > SAME or run["patterns_of_another_class"]:
            failures.append(f"{where}: labels are {run['apart']:.2g} apart")
    small, large = found["runs"]
    for engine in ENGINES:
        if large[engine]["peak"] > GROWTH * small[engine]["peak"]:
            failures.append(f"engines, {engine}: memory grows with the rows")
    return failures
