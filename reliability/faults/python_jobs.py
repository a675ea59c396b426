"""Jobs that are no commands: a few lines of Python, in the folder of the job."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

EDITS = 24
"""Edits of a project, one after the other."""
CLASSES = ("no", "yes")
CHUNK = 2_000


def plan_edit(version: int) -> dict[str, Any]:
    """The edit of a version of the project: always the same one."""
    kind, class_ = version % 8, CLASSES[version // 8 % 2]
    words = {"kind": "words", "class": class_, "words": [f"w{version}", "spam"]}
    pattern = {"kind": "regex", "class": class_, "pattern": f"lunch|w{version}"}
    balance = {"what": "set_balance", "class": "yes", "at_least": version / 200}
    edits: tuple[dict[str, Any], ...] = (
        {"what": "add_rule", "rule": words},
        {"what": "label_row", "row": version, "class": class_, "how": "random"},
        {"what": "undo"},
        {"what": "redo"},
        balance,
        {"what": "add_rule", "rule": pattern},
        {"what": "label_row", "row": version, "class": class_, "how": "chosen"},
        {"what": "undo"},
    )
    return edits[kind]


def edit_project(keep: Path | None = None) -> None:
    """Edit a project until it has its last version; note every edit that is done.

    Parameters
    ----------
    keep : path, optional
        A folder for a copy of every version.
    """
    from corral.workbench import Workbench

    bench = Workbench.open("texts.csv", text="text", classes=CLASSES)
    notes = os.open(f"{os.getcwd()}.acts", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    with closing(bench):
        version: int = bench.state()["version"]
        while True:
            if keep is not None:
                shutil.copy("texts.corral.json", keep / str(version))
            if version == EDITS:
                return
            version = bench.act(plan_edit(version), version)["version"]
            os.write(notes, f"{version}\n".encode())


def undo_and_redo() -> None:
    """Undo the last edit of a project, and redo it: it is what it was."""
    from corral.workbench import Workbench

    sections = ("settings", "rules", "rates", "balance", "hand_labels")

    def read() -> list[Any]:
        found = json.loads(Path("texts.corral.json").read_text())
        return [found[name] for name in sections]

    before = read()
    with closing(Workbench.open("texts.csv", text="text", classes=CLASSES)) as bench:
        version = bench.state()["version"]
        bench.act({"what": "undo"}, version)
        assert read() != before, "nothing was undone"
        bench.act({"what": "redo"}, version + 1)
    assert read() == before, "undo and redo change the project"


def export_everything() -> None:
    """Write all that a workbench can write."""
    from corral.workbench import Workbench

    with closing(Workbench.open("texts.csv", text="text", classes=CLASSES)) as bench:
        bench.export("functions", "rules_out.py")
        bench.export("votes", "votes_out.csv")
        bench.export("labels", "labels.parquet")
        bench.export("report", "report.html")


def learn_in_chunks() -> None:
    """Learn chunk after chunk; save the model, and what it has counted."""
    import numpy as np

    from corral import ConstrainedLabeler

    votes = np.loadtxt("votes.csv", delimiter=",", skiprows=1, dtype=int)[:, 1:]
    labeler = ConstrainedLabeler(error_rates=0.2)
    for begin in range(0, min(len(votes), 10 * CHUNK), CHUNK):
        labeler.partial_fit(votes[begin : begin + CHUNK])
    labeler.save("stream.corral")
    labeler.pattern_counts_.save("counts.corral")


def write_folder() -> None:
    """Write annotations as a folder, which takes a place that is free."""
    from corral import read_annotations, write_annotations

    shutil.rmtree("wrench", ignore_errors=True)
    write_annotations("wrench", read_annotations("tasks.json"), format="wrench")
