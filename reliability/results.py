"""Where results are stored, and what they depend on."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

FOLDER = Path(
    os.environ.get("CORRAL_RELIABILITY_RESULTS", Path(__file__).parent / "results")
)


def load(name: str) -> Any:
    """What was stored last; empty if nothing was."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def store(name: str, found: Any) -> None:
    """Write a result, whole or not at all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    draft = FOLDER / f".{name}.draft"
    draft.write_text(json.dumps(found, indent=1) + "\n")
    draft.replace(FOLDER / f"{name}.json")


def commit() -> str:
    """The commit that is tested, marked where files differ from it."""
    asked = ("git", "describe", "--always", "--dirty", "--abbrev=10")
    found = subprocess.run(
        asked, capture_output=True, text=True, cwd=Path(__file__).parent
    )
    return found.stdout.strip() or "unknown"
