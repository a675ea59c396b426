"""Runs that write files, in processes of their own that can be killed or starved."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb  # noqa: F401  before the fork, so that a run begins at once
import numpy as np
from tests.exchange.exports import label_studio_tasks

import corral.cli
import corral.exchange
from corral.errors import CorralError
from corral.workbench import Workbench

CLASSES = ("no", "yes")
PROJECT = "texts.corral.json"
EDITS = 16
QUICK = ("--id", "id", "--overwrite", "--method", "majority-vote")
COMMANDS: dict[str, tuple[str, ...]] = {
    "csv": ("label", "votes.csv", "-o", "labels.csv", *QUICK),
    "parquet": ("label", "votes.csv", "-o", "labels.parquet", *QUICK),
    "annotations": ("label", "tasks.json", "-o", "suggested.json", "--overwrite"),
}
OUTPUTS: dict[str, tuple[str, ...]] = {
    "csv": ("labels.csv",),
    "parquet": ("labels.parquet",),
    "annotations": ("suggested.json",),
    "exports": ("rules_out.py", "votes_out.csv", "labels.parquet"),
    "project": (PROJECT,),
}
"""What every job writes."""


def write_inputs(folder: Path, rows: int = 4_000) -> None:
    """Make the files that all jobs read."""
    rng = np.random.default_rng(0)
    table = np.column_stack([np.arange(rows), rng.integers(-1, 2, (rows, 6))])
    head = ",".join(["id", *(f"s{i}" for i in range(6))])
    np.savetxt(folder / "votes.csv", table, "%d", ",", header=head, comments="")
    texts = [f"{('spam', 'lunch', 'nothing')[i % 3]} w{i % 50}" for i in range(1_000)]
    lines = (f"{i},{text}\n" for i, text in enumerate(texts))
    (folder / "texts.csv").write_text("id,text\n" + "".join(lines))
    tasks = [
        task | {"id": 100 + i} for i in range(200) for task in label_studio_tasks()[:1]
    ]
    (folder / "tasks.json").write_text(json.dumps([*tasks, *label_studio_tasks()[1:]]))


def plan_edit(version: int) -> dict[str, Any]:
    """The edit of a version of the project: always the same one."""
    words = {"kind": "words", "class": CLASSES[version % 2], "words": [f"w{version}"]}
    row = {"row": version, "class": "yes", "how": "random"}
    edits = (
        *({"what": "add_rule", "rule": words}, {"what": "label_row", **row}),
        *({"what": "undo"}, {"what": "redo"}),
    )
    return edits[version % 4]


def edit_project(notes: Path) -> None:
    """Edit a project until it has its last version; note every edit that is done."""
    with closing(Workbench.open("texts.csv", text="text", classes=CLASSES)) as bench:
        version: int = bench.state()["version"]
        while version < EDITS:
            version = bench.act(plan_edit(version), version)["version"]
            with notes.open("a") as file:
                file.write(f"{version}\n")


def export_everything() -> None:
    with closing(Workbench.open("texts.csv", text="text", classes=CLASSES)) as bench:
        kinds = zip(("functions", "votes", "labels"), OUTPUTS["exports"], strict=True)
        for what, name in kinds:
            bench.export(what, name)


def run(name: str, folder: Path, most: int | None) -> None:
    """Run a job in a folder, with files of at most so many bytes."""
    for number, beside in ((1, "stdout"), (2, "stderr")):
        os.dup2(
            os.open(folder.with_suffix(f".{beside}"), os.O_CREAT | os.O_WRONLY), number
        )
    sys.stdout, sys.stderr = (os.fdopen(n, "w", closefd=False) for n in (1, 2))
    if most is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    os.chdir(folder)
    try:
        code = call(name, folder)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what follows is not the job's
    except (KeyboardInterrupt, RuntimeError) as error:
        if str(error) not in ("", "Query interrupted"):  # what DuckDB makes of Ctrl-C
            raise
        code = 130
    sys.exit(code)


def call(name: str, folder: Path) -> int:
    """The exit code of a job, which is that of the command."""
    try:
        folder.with_suffix(".begun").touch()  # from here on Ctrl-C is the job's
        if name in COMMANDS:
            sys.argv = ["corral", *COMMANDS[name]]
            corral.cli.main()
        elif name == "exports":
            export_everything()
        else:
            edit_project(folder.with_suffix(".acts"))
    except (CorralError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 1
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 0
    return 0
