"""Inject many faults, count them, and store what came of them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from reliability.faults.checks import Bench, as_line
from reliability.faults.disks import why_no_disks
from reliability.faults.inputs import ROWS, write_inputs
from reliability.faults.jobs import EDITS, JOBS, PROJECT
from reliability.faults.kinds import FAULTS, Fault
from reliability.faults.projects import ProjectBench
from reliability.results import commit, load, store

LEAST = 1
"""Faults of every kind, however few are asked for."""


def run_faults(
    count: int,
    seed: int = 0,
    rows: int = ROWS,
    kinds: Collection[str] = tuple(FAULTS),
) -> bool:
    """Kill `count` runs, and disturb others otherwise; whether all was survived.

    Of other kinds than `kinds`, what is stored is kept.
    """
    import_everything()
    found: dict[str, Any] = load("faults") if set(kinds) < set(FAULTS) else {}
    found = {"faults": {}, "failures": []} | found
    found["failures"] = [one for one in found["failures"] if one["fault"] not in kinds]
    tested = commit()  # asked now: what is stored makes the files differ from it
    with tempfile.TemporaryDirectory() as name:
        benches = make_benches(Path(name), rows)
        for number, (kind, fault) in enumerate(FAULTS.items()):
            if kind in kinds:
                fitting = choose_benches(benches, fault, number)
                wanted = max(LEAST, round(count * fault.share))
                counts = found["faults"][kind] = start_counts(fault) | {
                    "commit": tested
                }
                for i in range(0 if "why none" in counts else wanted):
                    rng = np.random.default_rng([seed, number, i])
                    bench = fitting[i % len(fitting)]
                    if why := inject(fault, bench, rng, counts):
                        failure = {"fault": kind, "job": bench.job.name, "number": i}
                        found["failures"].append(failure | {"why": why})
                        print(kind, bench.job.name, i, why, flush=True)
                    store("faults", found)
                print(kind, counts, flush=True)
    store("faults", found)
    return not found["failures"]


def start_counts(fault: Fault) -> dict[str, Any]:
    """Nothing yet; and why there will be none, where that is so."""
    says = str(fault.inject.__doc__).partition("\n")[0]
    counts = {"injected": 0, "survived": 0, "of these": {}, "seconds": 0.0}
    why = why_no_disks() if fault.disks else ""
    return counts | {"says": says} | ({"why none": why} if why else {})


def inject(
    fault: Fault, bench: Bench, rng: np.random.Generator, counts: dict[str, Any]
) -> str:
    """Inject one fault, and count it; why it was not survived, or nothing."""
    began = time.monotonic()
    counts["injected"] += 1
    try:
        special = fault.inject(bench, rng)
    except AssertionError as error:
        print(str(error)[-2000:], flush=True)
        return as_line(error)
    else:
        counts["survived"] += 1
        if special is not None:
            number = counts["of these"].get(special, 0)
            counts["of these"][special] = number + 1
    finally:
        counts["seconds"] = round(counts["seconds"] + time.monotonic() - began, 1)
    return ""


def make_benches(top: Path, rows: int) -> list[Bench]:
    """A bench for every job, with all inputs."""
    top.chmod(0o755)
    write_inputs(top, rows)
    edited = ProjectBench.make(EDITS, top, top / "project")
    assert isinstance(edited, ProjectBench)
    (top / PROJECT).write_bytes(edited.versions[-1])
    others = [job for job in JOBS if job is not EDITS]
    return [
        edited,
        *(Bench.make(job, top, top / f"job{i}") for i, job in enumerate(others)),
    ]


def choose_benches(benches: list[Bench], fault: Fault, first: int) -> list[Bench]:
    """Those that fit, the heavier ones more often, in turns that begin elsewhere."""
    fitting = [bench for bench in benches if fault.fits(bench.job)]
    fitting = fitting[first % len(fitting) :] + fitting[: first % len(fitting)]
    heaviest = max(bench.job.weight for bench in fitting)
    return [
        bench
        for turn in range(heaviest)
        for bench in fitting
        if turn * bench.job.weight % heaviest < bench.job.weight
    ]


def import_everything() -> None:
    """Load what jobs use, so that a child that is forked begins to work at once."""
    import duckdb
    import sklearn.linear_model  # noqa: F401
    import uvicorn  # noqa: F401

    import corral.cli
    import corral.front_door.apply
    import corral.front_door.label
    import corral.front_door.report
    import corral.workbench.server  # noqa: F401
    from corral import label

    label([[0, 1, 1], [1, 1, 0], [0, 0, 0]])
    duckdb.sql("SELECT 1").fetchall()
