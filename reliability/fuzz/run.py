"""Run many cases of every property, count them, and store what was counted."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from reliability.fuzz.properties import PROPERTIES, Tally, run_cases
from reliability.results import commit, load, store

MODULES = (
    *("on_labelers", "on_constraints", "on_raw_votes", "on_tables"),
    *("on_files", "on_results", "on_commands", "on_functions", "on_workbench"),
    *("on_answers", "on_models", "on_spark"),
)
ROUND = 5000
"""Cases between two stores of the counts."""
ROUNDS_PER_PROCESS = 20
KEPT = 50
"""Kinds of failures that are kept with a case each."""

Round = tuple[int, dict[str, Tally] | None]
"""Its number, and what came of the cases of every property; None if its process died."""


def load_properties() -> None:
    """Import what registers them."""
    for name in MODULES:
        import_module(f"reliability.fuzz.{name}")


def quotas(cases: int) -> dict[str, int]:
    """How many of the cases each property gets: more of what is cheap, some of each."""
    share = {name: 1 / prop.cost for name, prop in PROPERTIES.items()}
    total = sum(share.values())
    return {name: max(1, round(cases * part / total)) for name, part in share.items()}


def run_fuzz(cases: int, *, more: bool = False, jobs: int = 1) -> bool:
    """Run about so many cases; whether all properties held.

    Parameters
    ----------
    cases : int
    more : bool
        Add to what is stored, with other cases, instead of starting anew.
    jobs : int
        Processes that work side by side. They change the order in which rounds are
        counted, and nothing else.
    """
    load_properties()
    found: dict[str, Any] = load("fuzz") if more else {}
    counts = found.setdefault("properties", {})
    failures = found.setdefault("failures", [])
    runs = found.setdefault("runs", [])
    first = max((one["last_round"] + 1 for one in runs), default=0)
    this = {
        "commit": commit(),
        "last_round": 0,
        "cases": 0,
        "failed": 0,
        "seconds": 0.0,
    }
    runs.append(this)
    began = time.monotonic()
    sizes = [min(ROUND, cases - done) for done in range(0, cases, ROUND)]
    for number, tallies in _run_rounds(sizes, first, jobs):
        if tallies is None:
            this["failed"] += 1
            died = {"property": "a process died", "kind": f"round {number}"}
            failures.append({**died, "times": 1, "case": "", "why": ""})
        for name, tally in (tallies or {}).items():
            _add(counts, failures, name, tally)
            this["cases"] += tally.cases
            this["failed"] += tally.failed
        this["last_round"] = max(this["last_round"], number)
        this["seconds"] = round(time.monotonic() - began, 1)
        found["cases"] = sum(one["cases"] for one in counts.values())
        store("fuzz", found)
        print(
            f"{this['cases']:,} of {cases:,} cases, {len(failures)} failures, "
            f"{this['seconds']:,.0f} s",
            flush=True,
        )
    return not failures


def _run_rounds(sizes: list[int], first: int, jobs: int) -> Iterator[Round]:
    """Rounds of so many cases each, as they are done.

    Their processes are spawned, since DuckDB's threads do not survive a fork, and are new
    ones now and then, so that no library can gather memory for a million cases. The
    option of the pool that is meant for that, ``max_tasks_per_child``, makes it hang once
    all processes have had their number, in Python 3.11 and 3.12.
    """
    most = jobs * ROUNDS_PER_PROCESS
    for start in range(0, len(sizes), most):
        some = sizes[start : start + most]
        with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
            rounds = {
                pool.submit(_run_round, size, number): number
                for number, size in enumerate(some, first + start)
            }
            try:
                for done in as_completed(rounds):
                    yield _outcome(done, rounds[done])
            finally:  # who interrupts does not wait for all of them
                pool.shutdown(cancel_futures=True)


def _outcome(done: Future[Round], number: int) -> Round:
    try:
        return done.result()
    except BrokenProcessPool:
        return number, None


def _run_round(size: int, number: int) -> Round:
    """Cases of every property, about `size` in all; the same for the same number."""
    load_properties()
    memory = Path("/dev/shm")
    if memory.is_dir():  # files of cases need no disk, which is what takes their time
        tempfile.tempdir = str(memory)
    tallies = {name: Tally() for name in PROPERTIES}
    for name, quota in quotas(size).items():
        run_cases(PROPERTIES[name], quota, number, tallies[name])
    return number, tallies


def _add(counts: dict[str, Any], failures: list[Any], name: str, tally: Tally) -> None:
    """Add the tally of a property to what is stored."""
    one = counts.setdefault(
        name, dict.fromkeys(("cases", "held", "refused", "failed"), 0)
    )
    one["says"] = PROPERTIES[name].says
    one["cases"] += tally.cases
    one["held"] += tally.held
    one["refused"] += tally.refused
    one["failed"] += tally.failed
    for kind, failure in tally.failures.items():
        same = {"property": name, "kind": kind}
        known = next((one for one in failures if same.items() <= one.items()), None)
        if known is not None:
            known["times"] += failure["times"]
        elif len(failures) < KEPT:
            failures.append({**same, **failure})
