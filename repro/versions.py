"""Versions of methods, so that results of older code are found.

The code of a method may change without its labels. So a version is a number in
``versions.toml``, raised by hand, and a test compares sums over labels of fixed votes with
those that are written beside it.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

VERSIONS = Path(__file__).parent / "versions.toml"


BASES = {"descent": "CLL", "constant": "CLL", "true": "CLL"}
"""Columns that are a method with rates of their own."""


def version_of(column: str) -> int:
    """The version of a column's method; 1 of what has no labels, such as a bound.

    Of "MMCE, zeros missing" that is the version of MMCE.
    """
    method = BASES.get(column, column.partition(",")[0])
    return int(read_versions().get(method, {"version": 1})["version"])


@cache
def read_versions() -> dict[str, dict[str, Any]]:
    """Version and sums over labels, by method."""
    return tomllib.loads(VERSIONS.read_text("utf-8"))
