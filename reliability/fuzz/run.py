"""Run many cases of every property, count them, and store what was counted."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

from reliability.fuzz.properties import PROPERTIES, Tally, run_cases
from reliability.results import commit, load, store

MODULES = (
    *("on_labelers", "on_constraints", "on_raw_votes", "on_tables"),
    *("on_files", "on_results", "on_commands", "on_functions"),
)
ROUND = 3000
"""Cases between two stores of the counts."""
KEPT = 50
"""Failures that are kept with a case each."""


def load_properties() -> None:
    """Import what registers them."""
    for name in MODULES:
        import_module(f"reliability.fuzz.{name}")


def quotas(cases: int) -> dict[str, int]:
    """How many of the cases each property gets: more of what is cheap, some of each."""
    share = {name: 1 / max(prop.cost, 8) for name, prop in PROPERTIES.items()}
    total = sum(share.values())
    return {name: max(1, round(cases * part / total)) for name, part in share.items()}


def run_fuzz(cases: int, *, more: bool = False) -> bool:
    """Run about so many cases; whether all properties held.

    Parameters
    ----------
    cases : int
    more : bool
        Add to what is stored, with other cases, instead of starting anew.
    """
    load_properties()
    found: dict[str, Any] = load("fuzz") if more else {}
    counts = found.setdefault("properties", {})
    failures = found.setdefault("failures", [])
    runs = found.setdefault("runs", [])
    first = sum(one["rounds"] for one in runs)
    this = {"commit": commit(), "rounds": 0, "cases": 0, "seconds": 0.0}
    runs.append(this)
    began = time.monotonic()
    while this["cases"] < cases:
        size = min(ROUND, cases - this["cases"])
        for name, number in quotas(size).items():
            tally = Tally()
            run_cases(PROPERTIES[name], number, first + this["rounds"], tally)
            _add(counts, failures, name, tally)
            this["cases"] += tally.cases
        this["rounds"] += 1
        this["seconds"] = round(time.monotonic() - began, 1)
        found["cases"] = sum(one["cases"] for one in counts.values())
        store("fuzz", found)
        print(
            f"{this['cases']:,} of {cases:,} cases, {len(failures)} failures, "
            f"{this['seconds']:,.0f} s",
            flush=True,
        )
    return not failures


def _add(counts: dict[str, Any], failures: list[Any], name: str, tally: Tally) -> None:
    """Add the tally of a property to what is stored."""
    one = counts.setdefault(
        name, dict.fromkeys(("cases", "held", "refused", "failed"), 0)
    )
    one["says"] = PROPERTIES[name].says
    one["cases"] += tally.cases
    one["held"] += tally.held
    one["refused"] += tally.refused
    one["failed"] += sum(f["times"] for f in tally.failures.values())
    for kind, failure in tally.failures.items():
        if len(failures) < KEPT:
            failures.append({"property": name, "kind": kind, **failure})
