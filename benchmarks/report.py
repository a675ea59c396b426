"""``python -m benchmarks.report``: sizes and seconds of reports, small, wide and long.

1,843 x 10 and 20,000 x 800 votes in memory, and a Parquet file of 20,000,000 rows with ten
signals, a text and a true label, of which only the rows that are shown leave the engine.
Every case has a process of its own, so that its peak memory is its own. The load of the
machine before it is stored, too: pages quote no seconds measured beside other work.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from rich.console import Console
from rich.table import Table

import corral
from benchmarks.measure import (
    RESULTS_FOLDER,
    exit_with,
    machine,
    peak_resident,
    round_numbers,
)
from benchmarks.scale.files import signal_names
from corral.datasets import PAPER_ACCURACIES, random_votes
from corral.tables.duckdb_table import DuckTable

RESULTS = RESULTS_FOLDER / "report.json"
CASES = {
    "small": {"rows": 1_843, "signals": 10, "coverage": 0.3},
    "wide": {"rows": 20_000, "signals": 800, "coverage": 0.05},
    "long": {"rows": 20_000_000, "signals": 10, "coverage": 0.3},
}
QUICK = {"wide": {"rows": 2_000, "signals": 100}, "long": {"rows": 200_000}}
"""What a quick look takes instead."""
MOST_BYTES, MOST_BYTES_FEW, MOST_ROWS = 2_000_000, 500_000, 200
"""Of any page, of one of up to 60 signals, and rows that are shown."""


def make_file(path: Path, rows: int, signals: int, coverage: float) -> None:
    """Votes as NULL, 0 or 1, a text per row and the true label, without rows in Python."""
    accuracies = [PAPER_ACCURACIES[i % len(PAPER_ACCURACIES)] for i in range(signals)]
    votes = ", ".join(
        f"CASE WHEN random() < {coverage} THEN "
        f"(CASE WHEN random() < {a} THEN y ELSE 1 - y END)::TINYINT END AS {name}"
        for name, a in zip(signal_names(signals), accuracies, strict=True)
    )
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.001)")
        connection.execute(
            f"COPY (SELECT id, 'message ' || id || ' of ' || hash(id) AS text, {votes}, y "
            f"FROM (SELECT range AS id, (random() < 0.5)::TINYINT AS y "
            f"FROM range({rows}))) TO '{path}'"
        )


def report_on_arrays(rows: int, signals: int, coverage: float) -> corral.LabelReport:
    """A report on votes, true labels and texts in memory."""
    accuracies = np.random.default_rng(0).uniform(0.55, 0.9, signals).tolist()
    votes, truth = random_votes(rows, accuracies, coverage=coverage)
    named = corral.WeakSignals.from_votes(
        votes, names=[f"keyword_rule_{i}" for i in range(signals)]
    )
    texts = [f"message {row}: {'some words of it ' * 12}" for row in range(rows)]
    return corral.report(named, gold=truth, text=texts)


def measure_case(name: str, quick: bool) -> dict[str, Any]:
    """Seconds, bytes of the page, peak memory, and rows that left the engine."""
    case: dict[str, Any] = CASES[name] | (QUICK.get(name, {}) if quick else {})
    fetched = count_fetched_rows()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        if name == "long":
            path = Path(folder, "votes.parquet")
            make_file(path, **case)
            before = peak_resident()
            began = time.perf_counter()
            report = corral.report(path, id="id", text="text", gold="y")
        else:
            before = peak_resident()
            began = time.perf_counter()
            report = report_on_arrays(**case)
        computed = time.perf_counter() - began
        page = report.write_html(Path(folder, "report.html"))
        shown = [*report.rows.groups, *report.advice.items]
        return case | {
            "seconds": computed,
            "seconds_to_write": time.perf_counter() - began - computed,
            "page_bytes": page.stat().st_size,
            "json_bytes": len(json.dumps(report.to_dict())),
            "rows_shown": sum(len(each.rows) for each in shown),
            "rows_fetched": sum(fetched),
            "peak_bytes": peak_resident(),
            "peak_bytes_before": before,
            "load": load,
        }


def count_fetched_rows() -> list[int]:
    """Numbers of rows that tables give from now on, one per question."""
    fetched: list[int] = []
    rows_with = DuckTable.rows_with

    def counted(*arguments: Any) -> Any:
        found = rows_with(*arguments)
        fetched.append(len(found))
        return found

    DuckTable.rows_with = counted  # type: ignore[method-assign]
    return fetched


def run(quick: bool) -> dict[str, Any]:
    """All cases, one process each; printed as they come."""
    found: dict[str, Any] = {"machine": machine(), "cases": {}}
    for name in CASES:
        command = [sys.executable, "-m", "benchmarks.report", "--case", name]
        done = subprocess.run(
            command + ["--small"] * quick, check=True, capture_output=True, text=True
        )
        found["cases"][name] = json.loads(done.stdout)
    show(found["cases"])
    return found


def show(cases: dict[str, Any]) -> None:
    """One line per case."""
    table = Table(box=None, header_style="bold")
    headings = ("rows", "signals", "report", "page", "size", "rows fetched", "peak")
    for heading in headings:
        table.add_column(heading, justify="right")
    for case in cases.values():
        table.add_row(
            f"{case['rows']:,}",
            f"{case['signals']:,}",
            f"{case['seconds']:.1f} s",
            f"{case['seconds_to_write']:.1f} s",
            f"{case['page_bytes'] / 1000:.0f} KB",
            f"{case['rows_fetched']:,}",
            f"{case['peak_bytes'] / 1e6:,.0f} MB",
        )
    Console().print(table)


def find_missed(cases: dict[str, Any]) -> list[str]:
    """Pages that are too large, and rows that are too many."""
    missed = []
    for name, case in cases.items():
        most = MOST_BYTES_FEW if case["signals"] <= 60 else MOST_BYTES
        if case["page_bytes"] >= most:
            missed.append(f"{name}: a page below {most / 1000:.0f} KB")
        if max(case["rows_shown"], case["rows_fetched"]) > MOST_ROWS:
            missed.append(f"{name}: at most {MOST_ROWS} rows")
    return missed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="smaller data")
    parser.add_argument("--case", choices=CASES, help="one case, printed as JSON")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.case:
        print(json.dumps(measure_case(given.case, given.small)))
    else:
        results = run(given.small)
        RESULTS.write_text(json.dumps(round_numbers(results), indent=1) + "\n")
        exit_with(find_missed(results["cases"]))
