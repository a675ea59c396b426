"""Inject many faults, count them, and store what came of them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from reliability.faults.checks import Bench, as_line
from reliability.faults.jobs import JOBS, write_inputs
from reliability.faults.kinds import FAULTS
from reliability.results import commit, load, store

LEAST = 2
"""Faults of every kind, however few are asked for."""


def run_faults(
    count: int,
    seed: int = 0,
    rows: int = 60_000,
    kinds: Collection[str] = tuple(FAULTS),
) -> bool:
    """Inject about `count` faults into all jobs; whether every one was survived.

    Of other kinds than `kinds`, what is stored is kept.
    """
    import_everything()
    found: dict[str, Any] = load("faults") if set(kinds) < set(FAULTS) else {}
    found = {"faults": {}, "failures": []} | found | {"commit": commit()}
    found["failures"] = [one for one in found["failures"] if one["fault"] not in kinds]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        top.chmod(0o755)
        write_inputs(top, rows)
        benches = [Bench.make(job, top, top / f"job{i}") for i, job in enumerate(JOBS)]
        for number, (kind, (inject, share)) in enumerate(FAULTS.items()):
            if kind not in kinds:
                continue
            counts = {"injected": 0, "survived": 0, "says": inject.__doc__}
            found["faults"][kind] = counts
            for i in range(max(LEAST, round(count * share))):
                bench = benches[-1 if kind == "bad function" else i % len(benches)]
                rng = np.random.default_rng([seed, number, i])
                counts["injected"] += 1
                try:
                    inject(bench, rng)
                except AssertionError as error:
                    failure = {"fault": kind, "job": bench.job.name, "number": i}
                    found["failures"].append(failure | {"why": as_line(error)})
                    print(kind, bench.job.name, i, str(error)[-600:], flush=True)
                else:
                    counts["survived"] += 1
                found["seconds"] = round(time.monotonic() - began, 1)
                store("faults", found)
            print(f"{kind}: {counts['survived']} of {counts['injected']}", flush=True)
    return not found["failures"]


def import_everything() -> None:
    """Load what jobs use, so that a child that is forked begins to work at once."""
    import duckdb
    import sklearn.linear_model  # noqa: F401

    import corral.cli
    import corral.front_door.apply
    import corral.front_door.label
    import corral.front_door.report  # noqa: F401
    from corral import label

    label([[0, 1, 1], [1, 1, 0], [0, 0, 0]])
    duckdb.sql("SELECT 1").fetchall()
