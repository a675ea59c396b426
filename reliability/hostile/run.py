"""Try every crafted input, count what came of it, and store the counts."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from reliability.hostile.cases import Surface
from reliability.hostile.trying import try_surface
from reliability.results import commit, load, store

SURFACES = (
    *("models", "archives", "projects", "tables", "options", "names", "pages"),
    *("requests", "annotations", "functions"),
)
"""Modules, each of which has a `SURFACE`."""
LOADED = (
    *(
        "corral",
        "corral.cli.app",
        "corral.workbench",
        "corral.panels",
        "corral.exchange",
    ),
    *("corral.comparison", "corral.advice", "corral.reports.html_page", "duckdb"),
    *("corral.front_door.label", "corral.cli.suggestions", "sklearn.linear_model"),
)
"""What most cases need, loaded once before there are processes for them."""


def load_surface(name: str) -> Surface:
    """A surface by its name."""
    found: Surface = import_module(f"reliability.hostile.{name}").SURFACE
    return found


def run_hostile(
    names: Sequence[str] = SURFACES, *, skip: int = 1, keep: bool = True
) -> bool:
    """Try the cases of some surfaces; whether all were refused or harmless.

    Parameters
    ----------
    names : sequence of str
    skip : int
        Try every so many-th case only.
    keep : bool
        Store the counts.
    """
    for module in LOADED:
        import_module(module)
    gc.freeze()  # so that no process looks through all of that again
    known = load("hostile") if keep else {}
    surfaces: dict[str, Any] = known.get("surfaces", {})
    good, tested = bool(names), commit()
    for name in names:
        surface = load_surface(name)
        found = list(try_surface(surface, skip))
        failed = [one for one in found if one["outcome"] == "failed"]
        surfaces[name] = {
            "name": surface.name,
            "says": surface.says,
            "commit": tested,
            "tried": len(found),
            **{
                kind: sum(one["outcome"] == kind for one in found)
                for kind in ("refused", "harmless", "failed")
            },
            "seconds": max((one["seconds"] for one in found), default=0.0),
            "memory": max((one["memory"] for one in found), default=0),
            "failures": failed,
        }
        good &= bool(found) and not failed
        if keep:
            ordered = {key: surfaces[key] for key in SURFACES if key in surfaces}
            store("hostile", {"surfaces": ordered})
        print(f"{name}: {surfaces[name]}", flush=True)
        for one in failed:
            print(f"  FAILED {one['case']}: {one['said']}", flush=True)
    gc.unfreeze()
    return good
