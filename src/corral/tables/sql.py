"""Names and texts in SQL."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from pathlib import Path


def quoted(name: str) -> str:
    """A column's name."""
    return '"' + name.replace('"', '""') + '"'


def as_text(value: str) -> str:
    """A text."""
    return "'" + value.replace("'", "''") + "'"


def listed(files: Iterable[Path]) -> str:
    """Names of files, escaped: they are no patterns."""
    return f"[{', '.join(as_text(glob.escape(str(file))) for file in files)}]"
