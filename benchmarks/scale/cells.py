"""One measurement: which, how it reads, where it is kept."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from typing import Any

from benchmarks.measure import RESULTS_FOLDER, machine

RESULTS = RESULTS_FOLDER / "scale.json"
PICTURE = RESULTS.with_suffix(".svg")
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


def circumstances() -> dict[str, Any]:
    """When and with which code."""
    call = ["git", "describe", "--always", "--dirty"]
    ran = subprocess.run(call, capture_output=True, text=True, check=False)
    day = datetime.now(UTC).date().isoformat()
    return {"commit": ran.stdout.strip(), "day": day}


def store(cells: list[Cell]) -> None:
    """Put cells in place of those stored of the same; drop those of another machine."""
    here = machine()
    stored = {"machine": here, "cells": []}
    if RESULTS.exists():
        found = json.loads(RESULTS.read_text())
        stored = found if found["machine"] == here else stored
    merged = {key(cell): cell for cell in (*stored["cells"], *cells)}
    stored["cells"] = sorted(merged.values(), key=lambda c: (c["signals"], c["rows"]))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(stored, indent=1) + "\n")
