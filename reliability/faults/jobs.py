"""Runs that write files: labels, models, reports, votes and caches."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROWS = 60_000
"""Enough that writing takes a while, and a run less than a second."""
RULES = """
import corral
from corral.functions import keywords, threshold

@corral.signal
def slow(row):
    return "yes" if sum(range(200)) and "3" in str(row["id"]) else None

rules = [keywords("text", "spam", "yes"), keywords("text", "lunch", "no"), slow]
"""


@dataclass(frozen=True)
class Job:
    """A run of a command that writes files.

    Attributes
    ----------
    name : str
    arguments : tuple of str
        Of the command ``corral``.
    inputs, outputs : tuple of str
        Files that it reads, and that it writes or keeps a cache in.
    """

    name: str
    arguments: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


JOBS = (
    Job(
        "labels as CSV, and a model",
        (
            *("label", "votes.csv", "-o", "labels.csv", "--id", "id", "--overwrite"),
            *("--error-rate", "0.2", "--save-model", "model.corral"),
        ),
        ("votes.csv",),
        ("labels.csv", "model.corral"),
    ),
    Job(
        "labels as Parquet",
        (
            *("label", "votes.parquet", "-o", "labels.parquet", "--id", "id"),
            *("--overwrite", "--error-rate", "0.2"),
        ),
        ("votes.parquet",),
        ("labels.parquet",),
    ),
    Job(
        "labels as JSON lines, compressed",
        (
            *("label", "votes.parquet", "-o", "labels.jsonl.gz", "--id", "id"),
            *("--overwrite", "--method", "majority-vote"),
        ),
        ("votes.parquet",),
        ("labels.jsonl.gz",),
    ),
    Job(
        "a report",
        ("report", "votes.parquet", "-o", "page.html", "--id", "id", "--overwrite"),
        ("votes.parquet",),
        ("page.html",),
    ),
    Job(
        "votes of functions, and a cache",
        (
            *("apply", "rules.py", "texts.csv", "-o", "votes_out.csv", "--overwrite"),
            *("--cache", "cache", "--jobs", "1"),
        ),
        ("rules.py", "texts.csv"),
        ("votes_out.csv", "cache"),
    ),
)


def write_inputs(folder: Path, rows: int = ROWS) -> None:
    """Make the files that all jobs read."""
    import duckdb

    rng = np.random.default_rng(0)
    said = rng.integers(-1, 2, (rows, 6))
    columns = {"id": np.arange(rows), **{f"s{i}": said[:, i] for i in range(6)}}
    votes = columns  # noqa: F841  DuckDB finds it by its name
    for kind in ("csv", "parquet"):
        duckdb.sql(f"COPY (FROM votes) TO '{folder / f'votes.{kind}'}'")
    (folder / "rules.py").write_text(RULES)
    words = np.array(["spam now", "lunch at noon", "nothing", "spam for lunch"])
    lines = (f"{i},{words[i % 4]}\n" for i in range(rows // 10))
    (folder / "texts.csv").write_text("id,text\n" + "".join(lines))


def start(
    job: Job, folder: Path, before: Callable[[], None] | None = None, jobs: int = 1
) -> int:
    """Run a job in a child process, with all imports done already; its process id.

    What it prints goes to the files ``stdout`` and ``stderr`` beside the folder.
    """
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        os.chdir(folder)
        for number, name in ((1, "stdout"), (2, "stderr")):
            to = os.open(
                f"{folder}.{name}", os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o666
            )
            os.dup2(to, number)
        sys.argv = ["corral", *job.arguments]
        if "--jobs" in sys.argv:
            sys.argv[sys.argv.index("--jobs") + 1] = str(jobs)
        if before is not None:
            before()
        from corral.cli import main

        main()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 0
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        os._exit(code)
    raise AssertionError


def end(child: int) -> int:
    """Wait for a child; its exit code, or minus the signal that ended it."""
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def contents(folder: Path, names: tuple[str, ...]) -> dict[str, bytes]:
    """What files hold, by name; those of folders, too."""
    found = {}
    for name in names:
        path = folder / name
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file():
                found[str(file.relative_to(folder))] = file.read_bytes()
    return found
