"""Runs that write files: labels, models, reports, votes, caches, projects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reliability.faults import python_jobs


@dataclass(frozen=True)
class Job:
    """A run that writes files: of the command, or of a few lines of Python.

    Attributes
    ----------
    name : str
    arguments : tuple of str
        Of the command ``corral``.
    inputs, outputs : tuple of str
        Files that it reads, and that it writes or keeps a cache in.
    call : callable or None
        What it does in Python, if it is no command.
    stdin : str or None
        The file that is its standard input.
    beside : tuple of str
        What stays beside the outputs: the lock of a project.
    journal : str
        An output that grows line by line, and may be any whole part of the new one.
    tables : bool
        Whether its last input is one table, which may be cut short.
    spools : bool
        Whether it copies its input to the folder for temporary files.
    weight : int
        How often it is disturbed, compared with others.
    """

    name: str
    arguments: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    call: Callable[[], None] | None = None
    stdin: str | None = None
    beside: tuple[str, ...] = ()
    journal: str = ""
    tables: bool = False
    spools: bool = False
    weight: int = 2


RATE = ("--id", "id", "--overwrite", "--error-rate", "0.2")
APPLY = ("--overwrite", "--cache", "cache", "--jobs")
PROJECT, LOCK = "texts.corral.json", ".texts.corral.json.lock"

EDITS = Job(
    "a project, edit after edit",
    (),
    ("texts.csv",),
    (PROJECT,),
    call=python_jobs.edit_project,
    beside=(LOCK,),
    weight=6,
)
FUNCTIONS = Job(
    "votes of functions, and a cache",
    ("apply", "rules.py", "texts.csv", "-o", "votes_out.csv", *APPLY, "1"),
    ("rules.py", "texts.csv"),
    ("votes_out.csv", "cache"),
    tables=True,
)
SERVE = Job(
    "corral serve",
    (
        *("serve", "texts.csv", "--text", "text", "--classes", "no,yes"),
        *("--port", "0", "--json", "--quiet", "--no-browser"),
    ),
    ("texts.csv",),
    (PROJECT,),
    beside=(LOCK,),
)
JOBS = (
    EDITS,
    FUNCTIONS,
    Job(
        "labels as CSV, and a model",
        (
            *("label", "votes.csv", "-o", "labels.csv", *RATE),
            *("--save-model", "model.corral"),
        ),
        ("votes.csv",),
        ("labels.csv", "model.corral"),
        tables=True,
    ),
    Job(
        "labels as Parquet",
        ("label", "votes.parquet", "-o", "labels.parquet", *RATE),
        ("votes.parquet",),
        ("labels.parquet",),
        tables=True,
    ),
    Job(
        "labels as JSON lines, compressed",
        (
            *("label", "votes.parquet", "-o", "labels.jsonl.gz", "--id", "id"),
            *("--overwrite", "--method", "majority-vote"),
        ),
        ("votes.parquet",),
        ("labels.jsonl.gz",),
        tables=True,
    ),
    Job(
        "labels of standard input",
        ("label", "-", "-o", "piped.csv", *RATE),
        ("votes.csv",),
        ("piped.csv",),
        stdin="votes.csv",
        spools=True,
    ),
    Job(
        "labels of judges' answers",
        ("label", "answers.jsonl", "--judges", "-o", "judged.csv", "--overwrite"),
        ("answers.jsonl",),
        ("judged.csv",),
        spools=True,
    ),
    Job(
        "suggestions for an annotation tool",
        ("label", "tasks.json", "-o", "suggested.json", "--overwrite"),
        ("tasks.json",),
        ("suggested.json",),
        spools=True,
    ),
    Job(
        "annotations from Python, a folder",
        (),
        ("tasks.json",),
        ("wrench",),
        call=python_jobs.write_folder,
    ),
    Job(
        "a report",
        ("report", "votes.parquet", "-o", "page.html", "--id", "id", "--overwrite"),
        ("votes.parquet",),
        ("page.html",),
        tables=True,
    ),
    Job(
        "labels of a panel",
        (
            *("panel", "panel.csv", "--gold", "gold", "--id", "id"),
            *("-o", "of_panel.csv", "--overwrite"),
        ),
        ("panel.csv",),
        ("of_panel.csv",),
    ),
    Job(
        "a ranking, drawn",
        ("rank", "pairs.csv", "-o", "strengths.svg", "--overwrite"),
        ("pairs.csv",),
        ("strengths.svg",),
    ),
    Job(
        "rows to label by hand",
        (
            *("advise", "votes.csv", "--id", "id", "--suggest", "50"),
            *("--suggest-to", "rows.csv", "--overwrite"),
        ),
        ("votes.csv",),
        ("rows.csv",),
    ),
    Job(
        "answers of a language model",
        ("apply", "asks.py", "texts.csv", "-o", "asked.csv", "--overwrite"),
        ("asks.py", "texts.csv"),
        ("asked.csv", "kept.jsonl"),
        journal="kept.jsonl",
    ),
    Job(
        "votes of functions in two processes",
        ("apply", "slow_rules.py", "texts.csv", "-o", "votes_out.csv", *APPLY, "2"),
        ("slow_rules.py", "texts.csv"),
        ("votes_out.csv", "cache"),
        weight=1,
    ),
    Job(
        "a model that learned in chunks",
        (),
        ("votes.csv",),
        ("stream.corral", "counts.corral"),
        call=python_jobs.learn_in_chunks,
    ),
    Job(
        "exports of the workbench",
        (),
        ("texts.csv", PROJECT),
        ("rules_out.py", "votes_out.csv", "labels.parquet", "report.html"),
        call=python_jobs.export_everything,
        beside=(LOCK,),
        weight=4,
    ),
)
