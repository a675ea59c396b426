"""Time and memory as the data grow: corral, other tools, and DuckDB reading and writing.

Every run is a fresh process, so that its peak memory is its own. Times leave out imports,
compilation and making the input. The runs of a size are taken in turns. Arrays go up to
ten million rows, Parquet files from one million.

Results go to benchmarks/results: what is measured replaces what is stored of it, the rest
stays.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from benchmarks.measure import circumstances
from benchmarks.scale.cells import Cell, duration, store, volume
from benchmarks.scale.files import make_votes
from benchmarks.scale.methods import METHODS, NotMeasuredError, measure
from corral.datasets import random_votes

SIZES = [10_000, 100_000, 1_000_000, 10_000_000, 20_000_000, 100_000_000]
BILLION = 1_000_000_000
SMALL = [10_000, 1_000_000]
ARRAYS_UP_TO, FILES_FROM = 10_000_000, 1_000_000
WIDE_ROWS, WIDE_SIGNALS = 20_000_000, 20
SLOW_SECONDS, SLOW_RUNS = 20, 3

Job = Callable[[], dict[str, float]]
Tell = Callable[[str], None]


def take_turns(jobs: dict[str, Job], runs: int, tell: Tell) -> dict[str, Cell]:
    """Medians of interleaved runs; fewer of what is slow, none of what fails."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in jobs}
    reasons: dict[str, str] = {}
    for turn in range(runs):
        for name, job in jobs.items():
            if name in reasons:
                continue
            if turn >= SLOW_RUNS and found[name][0]["seconds"] > SLOW_SECONDS:
                continue
            tell(f"{METHODS[name].title}, run {turn + 1}")
            try:
                found[name].append(job())
            except NotMeasuredError as reason:
                reasons[name] = str(reason)
    return {
        name: {"reason": reasons[name]} if name in reasons else _middle(found[name])
        for name in jobs
    }


def _middle(runs: list[dict[str, float]]) -> Cell:
    middle = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    seconds = [run["seconds"] for run in runs]
    return middle | {"runs": seconds, "peak": max(run["peak"] for run in runs)}


def arrays(
    options: argparse.Namespace, names: Sequence[str], folder: Path, tell: Tell
) -> Iterator[list[Cell]]:
    """Ten signals in memory, every method until it takes too long."""
    warm = {name: _votes(folder, METHODS[name].warm) for name in names}
    given_up: dict[str, str] = {}
    for rows in (rows for rows in options.sizes if rows <= ARRAYS_UP_TO):
        source = _votes(folder, rows)

        def job(name: str, source: str = source) -> Job:
            limits = {"limit": options.limit, "memory": options.memory * 10**9}
            return lambda: measure(name, source, warm[name], **limits)

        found = take_turns(
            {name: job(name) for name in names if name not in given_up},
            options.runs,
            lambda text, rows=rows: tell(f"{rows:,} rows: {text}"),
        )
        found |= {name: {"reason": why} for name, why in given_up.items()}
        size = {"rows": rows, "signals": 10, "limit": options.limit}
        yield [
            {"method": name, "settings": METHODS[name].settings, **size, **found[name]}
            for name in names
        ]
        for name, cell in found.items():
            if "reason" in cell:
                given_up.setdefault(name, f"{cell['reason']} at {rows:,}")


def _votes(folder: Path, rows: int) -> str:
    target = folder / str(rows) / "votes.npy"
    if not target.exists():
        target.parent.mkdir()
        votes, truth = random_votes(rows)
        np.save(target, votes)
        np.save(target.with_name("truth.npy"), truth)
    return str(target)


def files(
    rows: int, signals: int, names: Sequence[str], runs: int, folder: Path, tell: Tell
) -> list[Cell]:
    """Parquet in, Parquet out."""
    size = f"{rows:,} rows of {signals} signals in files"
    tell(f"{size}: making them")
    warm = make_votes(folder / "warm", METHODS["corral-files"].warm, signals)
    source = make_votes(folder / "votes", rows, signals)
    measure("corral-files", warm, warm, output=str(folder / "like.parquet"))

    def job(name: str) -> Job:
        return lambda: measure(name, source, warm, output=str(folder / "out.parquet"))

    found = take_turns(
        {name: job(name) for name in names}, runs, lambda text: tell(f"{size}: {text}")
    )
    size_of = {"rows": rows, "signals": signals}
    return [
        {"method": name, "settings": METHODS[name].settings, **size_of, **found[name]}
        for name in names
    ]


def measure_all(options: argparse.Namespace, tell: Tell) -> Iterator[list[Cell]]:
    """All that the options ask for, as it comes."""
    in_memory, in_files = (
        [name for name in options.methods if METHODS[name].reads == reads]
        for reads in ("arrays", "files")
    )
    if in_memory:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            yield from arrays(options, in_memory, Path(folder), tell)
    jobs = [
        (rows, 10, in_files, options.runs)
        for rows in options.sizes
        if in_files and FILES_FROM <= rows < BILLION
    ]
    # These show that it can be done, and in how much memory: one run.
    if "corral-files" in in_files:
        if WIDE_ROWS in options.sizes:
            jobs.append((WIDE_ROWS, WIDE_SIGNALS, ["corral-files"], 1))
        if BILLION in options.sizes:
            jobs.append((BILLION, 10, ["corral-files"], 1))
    for job in jobs:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            yield files(*job, Path(folder), tell)


def run(options: argparse.Namespace) -> None:
    """Measure, store and print."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=100)
    now = circumstances()
    del now["machine"]
    cells: list[Cell] = []
    with console.status("") as status:
        for found in measure_all(options, status.update):
            cells += [cell | now for cell in found]
            store(cells)
    for cell in cells:
        figures = cell.get("reason")
        if figures is None:
            figures = f"{duration(cell['seconds'])}, {volume(cell['peak'])}"
        size = f"{cell['rows']:,} x {cell['signals']}"
        console.print(f"{size}, {cell['method']}: {figures}", highlight=False)


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.scale",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--sizes", nargs="+", type=_whole, metavar="ROWS", help="such as 1e4 1e6")
    add("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    add("--runs", type=int, help="7; at most 3 of what takes over 20 s")
    add("--limit", type=int, default=60, help="seconds a call may take on arrays")
    add("--memory", type=int, default=12, help="GB a process may take for arrays")
    add("--folder", type=Path, help="for temporary files; 40 bytes per row")
    add("--small", action="store_true", help="a quick look, not stored")
    add("--billion", action="store_true", help="1,000,000,000 rows as well")
    options = parser.parse_args()
    options.sizes = sorted(options.sizes or (SMALL if options.small else SIZES))
    options.runs = options.runs or (1 if options.small else 7)
    if options.billion and BILLION not in options.sizes:
        options.sizes = [*options.sizes, BILLION]
    run(options)


def _whole(text: str) -> int:
    return int(float(text))


if __name__ == "__main__":
    main()
