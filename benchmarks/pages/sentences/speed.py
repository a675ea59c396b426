"""Sentences that rest on measured times and memory."""

from __future__ import annotations

from typing import Any

from benchmarks.pages.claims import Claim
from benchmarks.pages.stored import cells, stored

M = 1_000_000
foundation: dict[str, Any] = stored("foundation")
sparse = stored("sparse")[0]


def cell(method: str, rows: int, signals: int = 10) -> dict[str, Any]:
    """A cell of the benchmark *scale*."""
    return cells()[method, rows, signals]


def ratio(slow: str, fast: str, rows: int, what: str = "seconds") -> float:
    """How many times as much one method takes as another."""
    return float(cell(slow, rows)[what] / cell(fast, rows)[what])


billion, large = cell("corral-files", 1000 * M), cell("corral-files", 100 * M)
SPEEDS = ((1000 * M, billion["seconds"]), (100 * M, large["seconds"]))
labelers = stored("labelers")

CLAIMS = (
    Claim(
        "become soft labels in {:.2f} s on one core, {:.0f} times faster than the textbook",
        (foundation["speed"]["corral"], foundation["speed"]["ratio"]),
    ),
    Claim(
        "with {:.0f} MB of memory (`make bench", (foundation["memory"]["peak"] / 1e6,)
    ),
    Claim(
        "out: {:.0f} s on two cores of a busy machine, with {:.1f} GB of memory",
        (billion["seconds"], billion["peak"] / 1e9),
    ),
    Claim(
        "100,000,000 rows take {:.1f} times what DuckDB alone takes to read them and write "
        "as many columns of random values ({:.1f} GB, corral's are {:.1f} GB;",
        (
            ratio("corral-files", "duckdb", 100 * M),
            cell("duckdb", 100 * M)["written"] / 1e9,
            large["written"] / 1e9,
        ),
        reason="how many rows",
    ),
    Claim(
        "56 classes, take {:.1f} s on two cores and {:.2f} GB in all. Step for step that "
        "is {:.1f} times as fast",
        (
            sparse["corral"]["fit"],
            sparse["corral"]["fit peak"] / 1e9,
            sparse["ratio"]["fit"],
        ),
    ),
    Claim(
        "20,000,000 rows took {:.0f} s, 100,000,000 took {:.0f} s and 1,000,000,000 took "
        "{:.0f} s",
        (cell("corral-files", 20 * M)["seconds"], large["seconds"], billion["seconds"]),
        reason="how many rows",
    ),
    Claim(
        "{:.1f} to {:.1f} million rows per second and core",
        (
            1e-6 * 100 * M / large["seconds"] / 2,
            1e-6 * 1000 * M / billion["seconds"] / 2,
        ),
    ),
    Claim(
        "{:,} patterns took {:.2f} s (`make bench",
        (stored("solvers")["votes"]["patterns"], stored("solvers")["votes"]["adagrad"]),
    ),
    Claim(
        "some {:.0f} to {:.0f} s on 1,000 such cores",
        tuple(1e8 / (rows / seconds / 2) for rows, seconds in SPEEDS),
        reason="how many cores",
    ),
    Claim(
        "bytes: 1 MB times the number of partitions, where the votes alone are 1 TB",
        reason="54,000 patterns of 18 bytes; 10^11 rows of ten bytes",
    ),
    Claim("{:.1f} times what given rates take", (foundation["default"]["ratio"],)),
    Claim(
        "The default takes {:.2f} s, Snorkel's {:.2f} s",
        tuple(
            labelers["seconds"][name]
            for name in ("ConstrainedLabeler", "Snorkel LabelModel")
        ),
    ),
    Claim(
        "`MeTaL` takes 100 steps {:.0f} times as fast as Snorkel's label model, "
        "`DawidSkene` 10 rounds {:.0f} times as fast as Crowd-Kit's, all with an "
        "accuracy of {:.3f}",
        (
            labelers["times as fast"]["MeTaL"],
            labelers["times as fast"]["DawidSkene"],
            labelers["accuracy"]["Snorkel LabelModel"],
        ),
        reason="settings",
    ),
)
