"""Tables of docs/reliability.md, written from stored results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.pages.markdown import fill_blocks, lay_out

from reliability.findings import FINDINGS
from reliability.results import load

PAGE = Path(__file__).parents[1] / "docs" / "reliability.md"


def fuzz() -> str:
    """What must hold, and how many cases were tried."""
    found = load("fuzz")
    rows = [
        [
            one["says"].rstrip("."),
            *(f"{one[part]:,}" for part in ("cases", "refused", "failed")),
        ]
        for one in found["properties"].values()
    ]
    parts = ("cases", "refused", "failed")
    total = [sum(one[part] for one in found["properties"].values()) for part in parts]
    rows.append(["**all**", *(f"**{number:,}**" for number in total)])
    return lay_out(["must hold", "cases", "refused with a message", "failed"], rows)


def faults() -> str:
    """What was done to runs, and how many survived."""
    found = load("faults")["faults"]
    rows = [
        [name, str(one["says"]).rstrip("."), f"{one['injected']}", f"{one['survived']}"]
        for name, one in found.items()
    ]
    total = [
        sum(one[part] for one in found.values()) for part in ("injected", "survived")
    ]
    rows.append(["**all**", "", *(f"**{number}**" for number in total)])
    return lay_out(["fault", "what is checked", "injected", "survived"], rows)


def numbers() -> str:
    """How far labels are from fifty digits, by solver."""
    found = load("numbers")
    rows = []
    for solver, kinds in found["solvers"].items():
        cells: list[dict[str, Any]] = list(kinds.values())
        counts = [
            sum(cell[part] for cell in cells)
            for part in ("cases", "refused", "not converged", "no reference")
        ]
        false = sum(one["solver"] == solver for one in found["failures"])
        off = max(cell["off"] for cell in cells)
        rows.append([solver, *(f"{n:,}" for n in counts), f"{false}", f"{off:.1g}"])
    headings = ["solver", "problems", "refused", "not converged", "no reference"]
    headings.append("false certificates")
    return lay_out([*headings, "furthest off"], rows)


def versions() -> str:
    """Which versions were tested."""
    runs = load("versions")["runs"]
    libraries = list(runs[0]["versions"])
    rows = [
        [
            *(run["python"], run["libraries"], *run["versions"].values()),
            *(f"{run[part]:,}" for part in ("passed", "skipped", "failed")),
        ]
        for run in runs
    ]
    return lay_out(["Python", "", *libraries, "passed", "skipped", "failed"], rows)


def long_load() -> str:
    """Memory after many chunks."""
    found = load("load")
    row = [
        *(f"{found['chunks']:,}", f"{found['rows']:,}"),
        *(f"{found[part] / 1e6:.0f} MB" for part in ("halfway", "end")),
        f"{found['apart']:.0g}",
    ]
    headings = ["chunks", "examples", "memory halfway", "at the end"]
    return lay_out([*headings, "labels apart from one fit"], [row])


def findings() -> str:
    """What was found and mended."""
    rows = [[one.found_by, one.what, f"`{one.test}`"] for one in FINDINGS]
    return lay_out(["found by", "what was wrong", "test"], rows)


def if_stored(name: str, write: Callable[[], str]) -> Callable[[], str]:
    """A table, or a sentence where its part has not been run yet."""
    return lambda: write() if load(name) else "No result is stored yet.\n"


TABLES = {
    "reliability fuzz": if_stored("fuzz", fuzz),
    "reliability faults": if_stored("faults", faults),
    "reliability numbers": if_stored("numbers", numbers),
    "reliability versions": if_stored("versions", versions),
    "reliability load": if_stored("load", long_load),
    "reliability findings": findings,
}


def write_page() -> bool:
    """Write the tables of the page anew."""
    text = PAGE.read_text()
    PAGE.write_text(fill_blocks(text, TABLES))
    return True
