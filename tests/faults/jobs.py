"""Runs that write files, in processes of their own that can be killed or starved."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb  # noqa: F401  before the fork, so that a run begins at once
import numpy as np

import corral.cli
import corral.exchange
from corral.errors import CorralError
from corral.workbench import Workbench

CLASSES = ("no", "yes")
PROJECT = "texts.corral.json"
EDITS = 16
NO_DISK = 77  # exit code of a run that could not mount a disk of its own
CLONE_NEWNS = 0x20000

QUICK = ("--id", "id", "--overwrite", "--method", "majority-vote")
COMMANDS: dict[str, tuple[str, ...]] = {
    "csv": (
        *("label", "votes.csv", "-o", "labels.csv", *QUICK),
        *("--save-model", "model.corral"),
    ),
    "parquet": ("label", "votes.csv", "-o", "labels.parquet", *QUICK),
    "annotations": ("label", "tasks.json", "-o", "suggested.json", "--overwrite"),
}
OUTPUTS: dict[str, tuple[str, ...]] = {
    "csv": ("labels.csv", "model.corral"),
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
    tasks = [_task(i, texts[i], rng.integers(0, 2, 3).tolist()) for i in range(1_000)]
    (folder / "tasks.json").write_text(json.dumps(tasks))


def _task(number: int, text: str, said: list[int]) -> dict[str, Any]:
    """A task of Label Studio that three people answered."""
    field = {"from_name": "label", "to_name": "text", "type": "choices"}
    answers = [
        {"completed_by": i, "result": [{**field, "value": {"choices": [CLASSES[v]]}}]}
        for i, v in enumerate(said)
    ]
    return {"id": number, "data": {"text": text}, "annotations": answers}


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


def run(name: str, folder: Path, most: int | None, free: int | None) -> None:
    """Run a job in a folder: with files of `most` bytes, or on a disk with so many free."""
    for number, beside in ((1, "stdout"), (2, "stderr")):
        os.dup2(
            os.open(folder.with_suffix(f".{beside}"), os.O_CREAT | os.O_WRONLY), number
        )
    sys.stdout, sys.stderr = (os.fdopen(n, "w", closefd=False) for n in (1, 2))
    if most is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    if free is None:
        os.chdir(folder)
        sys.exit(call(name, folder))
    disk = folder.with_suffix(".disk")
    mount_small_disk(disk)
    shutil.copytree(folder, disk, dirs_exist_ok=True)
    used = os.statvfs(disk)
    size = max(1, used.f_blocks - used.f_bfree + free // used.f_frsize) * used.f_frsize
    subprocess.run(["mount", "-o", f"remount,size={size}", disk], check=True)
    os.chdir(disk)
    code = call(name, folder)
    shutil.rmtree(folder)
    shutil.copytree(disk, folder)
    sys.exit(code)


def mount_small_disk(folder: Path) -> None:
    """A disk that no other process sees, and that ends with this one (Linux, as root)."""
    folder.mkdir()
    if ctypes.CDLL(None).unshare(CLONE_NEWNS):
        sys.exit(NO_DISK)
    for given in (["--make-rprivate", "/"], ["-t", "tmpfs", "tmpfs", folder]):
        if subprocess.run(["mount", *given], capture_output=True).returncode:
            sys.exit(NO_DISK)


def call(name: str, folder: Path) -> int:
    """The exit code of a job, which is that of the command."""
    try:
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
    except KeyboardInterrupt:
        return 130
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 0
    return 0
