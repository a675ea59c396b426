"""Tables of docs/reliability.md, written from stored results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.pages.markdown import fill_blocks, lay_out

from reliability.findings import FINDINGS
from reliability.numbers.large import SIZES, SOLVERS
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
    table = lay_out(["must hold", "cases", "refused with a message", "failed"], rows)
    runs = [
        [f"{i}", one["commit"], *(f"{one[part]:,}" for part in ("cases", "failed"))]
        for i, one in enumerate(found["runs"], 1)
    ]
    return f"{table}\n{lay_out(['run', 'commit', 'cases', 'failed'], runs)}"


def guided() -> str:
    """What was read by each reader, and how much more of corral it came to reach."""
    rows = [
        [
            *(one["says"], f"{one['executions']:,}", f"{one['seconds']} s"),
            *(f"{one['coverage_before']:,}", f"{one['coverage']:,}"),
            f"{len(one['failures'])}",
        ]
        for one in load("guided")["readers"].values()
    ]
    headings = ["reader", "files", "time", "places reached at first", "in the end"]
    return lay_out([*headings, "failures"], rows)


def faults() -> str:
    """What was done to runs, and how many survived."""
    stored = load("faults")
    found = stored["faults"]
    rows = []
    for name, one in found.items():
        special = [f"{n} {what}" for what, n in one.get("of these", {}).items()]
        if "why none" in one:
            special = [one["why none"]]
        counts = [f"{one[part]}" for part in ("injected", "survived")]
        says = str(one["says"]).rstrip(".")
        rows.append([name, says, *counts, ", ".join(special)])
    total = [
        sum(one[part] for one in found.values()) for part in ("injected", "survived")
    ]
    rows.append(["**all**", "", *(f"**{number}**" for number in total), ""])
    commits = {one.get("commit", stored.get("commit")): None for one in found.values()}
    took = sum(one.get("seconds", 0) for one in found.values())
    return (
        lay_out(["fault", "what is checked", "injected", "survived", "of these"], rows)
        + f"\nCommit {', '.join(commits)}"
        + (f"; {took / 60:.0f} minutes.\n" if took else ".\n")
    )


def hostile() -> str:
    """What was crafted, by surface, and what came of it."""
    found = load("hostile")["surfaces"]
    counts = ("tried", "refused", "harmless", "failed")
    rows = [
        [
            *(one["name"], one["says"], *(f"{one[part]:,}" for part in counts)),
            *(f"{one['seconds']:.1f} s", f"{one['memory'] / 1e6:,.0f} MB"),
        ]
        for one in found.values()
    ]
    total = [sum(one[part] for one in found.values()) for part in counts]
    rows.append(["**all**", "", *(f"**{number:,}**" for number in total), "", ""])
    headings = ["surface", "must hold", *counts, "longest", "most memory"]
    return lay_out(headings, rows)


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


def large_numbers() -> str:
    """Certificates of large problems, recomputed."""
    found = load("numbers")["large"]
    rows = []
    for title in SIZES:
        for solver, cell in found[title].items():
            rows.append(
                [
                    *(title, solver, cell["status"], f"{cell['certified']:.1g}"),
                    *(f"{cell['recomputed']:.1g}", "yes" if cell["true"] else "NO"),
                    f"{cell['seconds']:.0f} s",
                ]
            )
    copies, one = found["known"].values()
    told = [
        f"{name} {copies[name]['off']:.1g} off"
        + ("" if copies[name]["converged"] else " (not converged)")
        for name in ("entropy", "projection")
    ]
    single = [found["single"][name]["off"] for name in SOLVERS]
    headings = ["problem", "solver", "status", "certified gap", "recomputed"]
    return (
        lay_out([*headings, "true", "time"], rows)
        + f"\nWhere the answer is known: {copies['signals']:,} signals, copies of 20, "
        f"{', '.join(told)}; entropy of one signal and {one['classes']:,} classes, "
        f"{one['off']:.1g} off. Votes in single precision move a label by at most "
        f"{max(single):.1g}.\n"
    )


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


def load_chunks() -> str:
    """Memory and time of both halves of many chunks."""
    found = load("load")["chunks"]
    rows = [
        [
            *(name, f"{found['chunks']:,}", f"{found['rows']:,}"),
            *(f"{one[f'seconds_{part}_half']:.0f} s" for part in ("first", "second")),
            *(f"{one[part] / 1e6:.0f} MB" for part in ("halfway", "end")),
            f"{one['apart']:.0g}",
        ]
        for name, one in found["labelers"].items()
    ]
    headings = ["labeler", "chunks", "examples", "first half", "second half"]
    headings += ["memory halfway", "at the end", "labels apart from one fit"]
    return lay_out(headings, rows)


def load_workbench() -> str:
    """What clients got, and what the server held."""
    found = load("load")["workbench"]
    rows = []
    for kind, one in found["kinds"].items():
        done = sum(one["answers"].get(status, 0) for status in ("200", "204"))
        told = [f"{one['answers'].get(status, 0):,}" for status in ("409", "422")]
        times = [f"{one[p] * 1000:.0f} ms" for p in ("p50", "p95", "p99")]
        others = one["requests"] - done - sum(int(n.replace(",", "")) for n in told)
        rows.append([kind, f"{done:,}", *told, f"{others}", *times])
    headings = ["request", "answered", "409", "422", "anything else", "p50", "p95"]
    held = found["held"]
    moments = {"minute 1": "early", "halfway": "halfway", "at the end": "end"}
    whole = [
        [
            *(moment, f"{held[name]['resident'] / 1e6:.0f} MB"),
            *(f"{held[name][part]}" for part in ("threads", "files")),
        ]
        for moment, name in moments.items()
    ]
    kept = all(
        found[name]
        for name in ("every_version_once", "every_edit_kept", "labels_as_fresh")
    )
    said = "has all of them, with the labels of a fresh computation"
    return (
        lay_out([*headings, "p99"], rows)
        + f"\n{found['clients']} clients for {found['minutes']:g} minutes; "
        f"{found['acts']:,} edits were acknowledged, and the project that was read again "
        f"{said if kept else 'LACKS SOME'}. Of the server, the most in a tenth of the "
        "time:\n\n" + lay_out(["", "memory", "threads", "open files"], whole)
    )


def load_engines() -> str:
    """Two engines on the same rows."""
    found = load("load")["engines"]
    rows = []
    for run in found["runs"]:
        same = f"{run['apart']:.0g}" if run["same_rows"] else "OTHER ROWS"
        for engine, name in (("duckdb", "DuckDB"), ("spark", "Spark, two cores")):
            one = run[engine]
            took, peak = f"{one['seconds']:.0f} s", f"{one['peak'] / 1e6:,.0f} MB"
            rows.append([f"{run['rows']:,}", name, took, peak, same])
    return lay_out(["rows", "engine", "time", "peak memory", "labels apart"], rows)


def findings() -> str:
    """What was found and mended."""
    rows = [[one.found_by, one.what, f"`{one.test}`"] for one in FINDINGS]
    return lay_out(["found by", "what was wrong", "test"], rows)


def if_stored(
    name: str, write: Callable[[], str], part: str | None = None
) -> Callable[[], str]:
    """A table, or a sentence where its part has not been run yet."""

    def write_if_stored() -> str:
        found = load(name)
        there = found if part is None else found.get(part)
        return write() if there else "No result is stored yet.\n"

    return write_if_stored


TABLES = {
    "reliability fuzz": if_stored("fuzz", fuzz),
    "reliability guided": if_stored("guided", guided),
    "reliability faults": if_stored("faults", faults),
    "reliability hostile": if_stored("hostile", hostile),
    "reliability numbers": if_stored("numbers", numbers),
    "reliability large numbers": if_stored("numbers", large_numbers, "large"),
    "reliability versions": if_stored("versions", versions),
    "reliability load chunks": if_stored("load", load_chunks, "chunks"),
    "reliability load workbench": if_stored("load", load_workbench, "workbench"),
    "reliability load engines": if_stored("load", load_engines, "engines"),
    "reliability findings": findings,
}


def write_page() -> bool:
    """Write the tables of the page anew."""
    text = PAGE.read_text()
    PAGE.write_text(fill_blocks(text, TABLES))
    return True
