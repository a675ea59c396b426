"""Which source every stored result measures, and whether it has changed since."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[1] / "src" / "corral"
RESULTS = Path(__file__).parent / "results"
LABELS = (
    *("checks.py", "constraints", "decisions.py", "labelers", "model.py"),
    *("rates", "solvers", "votes"),
)
"""From votes to labels."""
FILES = ("api.py", "io", "storage.py", *LABELS)
MEASURED: dict[str, tuple[str, ...]] = {
    "calibration": (*LABELS, "training"),
    "end_models": (*LABELS, "functions", "training"),
    "ordinal": LABELS,
    "panel": (*LABELS, "panels"),
    "panel_coverage": (*LABELS, "panels"),
    "preferences": ("ranking",),
    "quality": LABELS,
    "speed_billion": FILES,
    "speed_crowd": LABELS,
    "speed_default": LABELS,
    "speed_files": FILES,
    "speed_growth": LABELS,
    "speed_labelers": LABELS,
    "speed_soft": LABELS,
    "speed_spark": FILES,
    "speed_start": ("__init__.py", "cli", *FILES),
    "workbench": (*LABELS, "functions", "workbench"),
}
"""Files and folders of `SOURCE` that a result depends on, by its name."""


def fingerprint(name: str, source: Path = SOURCE) -> dict[str, str]:
    """A hash of each part of the source that a result measures, by the name of the part.

    Comments, docstrings and the layout of lines do not count.
    """
    return {part: hash_code(source / part) for part in MEASURED[name]}


def hash_code(path: Path) -> str:
    """A hash of the code in a file, or in all files of a folder."""
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    code = "\n".join(_plain_code(file.read_text("utf-8")) for file in files)
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def _plain_code(text: str) -> str:
    """Code without comments and without strings that are statements."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                kept = [each for each in block if not _is_docstring(each)]
                setattr(node, name, kept)
    return ast.unparse(tree)


def _is_docstring(node: Any) -> bool:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
        return False
    return isinstance(node.value.value, str)


def find_stale(
    results: Path = RESULTS, source: Path = SOURCE
) -> Mapping[str, list[str]]:
    """Parts of the source that changed since a stored result measured them, by result."""
    stale = {}
    for file in sorted(results.glob("*.json")):
        then = json.loads(file.read_text("utf-8")).get("source", {})
        now = fingerprint(file.stem, source)
        if changed := [part for part, code in now.items() if then.get(part) != code]:
            stale[file.stem] = changed
    return stale
