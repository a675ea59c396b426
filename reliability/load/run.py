"""Run the parts of the long load, and store what each found."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from reliability.results import commit, load, store


def run_load(
    parts: Sequence[str],
    *,
    chunks: int = 10_000,
    clients: int = 50,
    minutes: float = 10,
    rows: int = 100_000_000,
) -> bool:
    """Run some parts; whether everything held. What other parts found stays stored."""
    failures = []
    for part in parts:
        work, find_failures = _load_part(part, chunks, clients, minutes, rows)
        began = time.monotonic()
        found = work()
        seconds = round(time.monotonic() - began, 1)
        missed = find_failures(found)
        found |= {"commit": commit(), "took": seconds, "failures": missed}
        store("load", {**load("load"), part: found})
        print(f"{part}: {seconds:.0f} s, {', '.join(missed) or 'all held'}", flush=True)
        failures += missed
    return not failures


def _load_part(
    part: str, chunks: int, clients: int, minutes: float, rows: int
) -> tuple[Callable[[], dict[str, Any]], Callable[[dict[str, Any]], list[str]]]:
    """What runs a part, and what finds its failures; each loads what it needs."""
    if part == "chunks":
        from reliability.load import chunks as fed

        return lambda: fed.run_chunks(chunks), fed.find_failures
    if part == "workbench":
        from reliability.load import workbench

        run = workbench.run_workbench
        return lambda: run(clients, minutes), workbench.find_failures
    from reliability.load import engines

    return lambda: engines.run_engines(rows), engines.find_failures
