"""Fifty people at one `corral serve`: all are answered, nothing grows, no edit is lost."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.processes import Held
from benchmarks.workbench_load import Line, Load, Request, press, serve
from tests.workbench.server.client import write_reviews

from corral.workbench import Workbench
from corral.workbench.actions import plan
from corral.workbench.opening import open_project
from corral.workbench.project import Project
from reliability.load.people import ALLOWED, CLASSES, TYPED, Journal, Person

TEXTS, PAUSE = 5_000, 1.0
"""Rows, and mean seconds that people take between two requests."""
FLAT = 1.1
"""How much more memory the server may hold in the last tenth of the time than in the
first."""
MORE = 16
"""Files and threads that may come and go."""


def run_workbench(clients: int, minutes: float) -> dict[str, Any]:
    """Have so many people work for so many minutes, then look at what is left."""
    found: dict[str, Any] = {"clients": clients, "minutes": minutes, "texts": TEXTS}
    with tempfile.TemporaryDirectory(prefix="corral_load_") as name:
        data, journal = Path(name, "reviews.csv"), Journal()
        write_reviews(data, TEXTS)
        with serve(data, "--classes", ",".join(CLASSES)) as (address, pid):
            with closing(Line(address)) as line:
                version = add_rule(line, journal, "great", "pos") - 1
                for word in TYPED:
                    for name in CLASSES:
                        add_rule(line, journal, word, name)
            print(f"{clients} clients for {minutes:g} minutes", flush=True)
            load = press(
                *(address, pid, clients, minutes * 60),
                lambda number: Person(number, journal).live(),
                PAUSE,
            )
            with closing(Line(address)) as line:
                add_rule(line, journal, "great", "pos")
                wanted = Request("export", "GET", "/export/labels?format=csv")
                labels = line.send(wanted)
        found |= summarise(load, journal)
        found |= check_what_is_left(data, journal, version, labels.content)
    return found


def add_rule(line: Line, journal: Journal, word: str, name: str) -> int:
    """Add a rule; the version after it."""
    state = json.loads(line.send(Request("state", "GET", "/state")).content)
    rule = {"kind": "words", "class": name, "words": [word]}
    action = {"what": "add_rule", "rule": rule}
    body = {"action": action, "version": state["version"]}
    answer = line.send(Request("act", "POST", "/act", body))
    assert answer.status == 200, answer
    version: int = json.loads(answer.content)["version"]
    journal.acts.append((version, action))
    return version


def summarise(load: Load, journal: Journal) -> dict[str, Any]:
    """Answers and time by kind; what the server held when."""
    kinds: dict[str, Any] = {}
    for kind in ALLOWED:
        mine = [(status, took) for name, status, took in load.answers if name == kind]
        seconds = [took for _, took in mine] or [0.0]
        kinds[kind] = {
            "requests": len(mine),
            "answers": dict(Counter(str(status) for status, _ in mine)),
            **{f"p{p}": float(np.percentile(seconds, p)) for p in (50, 95, 99)},
        }
    return {
        **load.summarise(),
        "kinds": kinds,
        "acts": len(journal.acts),
        "unknown_refusals": journal.unknown_refusals(),
        "held": {
            name: _largest(load.held, share)
            for name, share in {"early": 0.1, "halfway": 0.5, "end": 1.0}.items()
        },
    }


def _largest(held: list[tuple[float, Held]], share: float) -> dict[str, int]:
    """The most of everything, in the tenth of the time before a moment."""
    end = held[-1][0]
    window = [now for at, now in held if (share - 0.1) * end <= at <= share * end]
    names = ("resident", "threads", "files")
    return {name: max(getattr(now, name) for now in window) for name in names}


def check_what_is_left(
    data: Path, journal: Journal, version: int, labels: bytes
) -> dict[str, Any]:
    """The project on disk against the acts that were acknowledged, and its labels.

    Acts are done again on an empty project, in the order of the versions that the server
    gave them. Labels are computed anew from the file of the project, in another folder.
    """
    acts = sorted(journal.acts, key=lambda act: act[0])
    versions = [number for number, _ in acts]
    again = data.parent / "again"
    again.mkdir()
    shutil.copy(data, again)
    opened = open_project(again / data.name, "text", None, CLASSES, None)
    project = opened.project
    for _, action in acts:
        project = _redo(project, action, opened.facts)
    opened.file.close()
    kept = open_project(data, "text", None, None, None)
    kept.file.close()
    file = data.with_name("reviews.corral.json")
    shutil.copy(file, again)
    bench = Workbench.open(again / data.name, text="text")
    fresh = bench.export("labels", again / "labels.csv").read_bytes()
    bench.close()
    return {
        "every_version_once": versions == [*range(version + 1, versions[-1] + 1)],
        "every_edit_kept": kept.project == project,
        "labels_as_fresh": fresh == labels,
        "left_behind": sorted(
            path.name for path in data.parent.glob("*.draft*") if path.is_file()
        ),
    }


def _redo(project: Project, action: dict[str, Any], facts: Any) -> Project:
    if action["what"] == "undo":
        return project.undo()
    if action["what"] == "redo":
        return project.redo()
    return project.take(plan(project, action, facts))


def find_failures(found: dict[str, Any]) -> list[str]:
    """What did not hold."""
    failures = [
        f"workbench, {kind}: {one['answers']}"
        for kind, one in found["kinds"].items()
        if not one["answers"].keys() <= {str(status) for status in ALLOWED[kind]}
    ]
    failures += [f"workbench: refused {said}" for said in found["unknown_refusals"]]
    early, end = found["held"]["early"], found["held"]["end"]
    if end["resident"] > FLAT * early["resident"]:
        failures.append("workbench: memory grows")
    for name in ("threads", "files"):
        if end[name] > early[name] + MORE:
            failures.append(f"workbench: {name} grow")
    for name in ("every_version_once", "every_edit_kept", "labels_as_fresh"):
        if not found[name]:
            failures.append(f"workbench: {name.replace('_', ' ')} is false")
    if found["left_behind"]:
        failures.append(f"workbench: {found['left_behind']} left behind")
    return failures
