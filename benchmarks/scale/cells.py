"""One measurement: which, how it reads, where it is kept."""

from __future__ import annotations

import json
from typing import Any

from benchmarks import measure

RESULTS = measure.RESULTS_FOLDER / "scale.json"
Cell = dict[str, Any]
"""``method``, ``rows``, ``signals``, and either the numbers or the ``reason`` of none."""
Key = tuple[str, int, int]
"""Method, rows, signals."""


def key(cell: Cell) -> Key:
    """What was measured."""
    return cell["method"], cell["rows"], cell["signals"]


def duration(seconds: float) -> str:
    """Seconds as text, about three digits."""
    if seconds < 1:
        return f"{seconds * 1e3:.0f} ms"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"


def volume(count: float) -> str:
    """Bytes as text."""
    return f"{count / 1e6:.0f} MB" if count < 1e9 else f"{count / 1e9:.2f} GB"


def store(cells: list[Cell]) -> bool:
    """Put cells in place of those stored of the same; drop those of another machine."""
    held = json.loads(RESULTS.read_text())
    kept = held["found"]["cells"] if held["machine"] == measure.machine() else []
    merged = {key(cell): cell for cell in (*kept, *cells)}
    ordered = sorted(merged.values(), key=lambda c: (c["signals"], c["rows"]))
    return measure.store("scale", {"cells": ordered})
