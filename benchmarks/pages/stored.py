"""Results that the benchmarks have stored."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from benchmarks.measure import RESULTS_FOLDER


@cache
def stored(name: str) -> Any:
    """What ``make bench NAME=...`` has stored last."""
    return json.loads((RESULTS_FOLDER / f"{name}.json").read_text())


@cache
def cells() -> dict[tuple[str, int, int], dict[str, Any]]:
    """The cells of the benchmark *scale*, by method, rows and signals."""
    return {
        (cell["method"], cell["rows"], cell["signals"]): cell
        for cell in stored("scale")["cells"]
    }
