"""Parts of other libraries that a command loads only if it uses them.

They take half of the time to label a file: scikit-learn's base class loads scipy.stats, and
pandas where there is one. A command may interfere with imports; a library may not.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import LazyLoader
from typing import Any

LATE = (
    *("numpy.ctypeslib", "numpy.f2py", "numpy.polynomial", "numpy.testing"),
    *("scipy.special", "scipy.stats", "asyncio"),
)
"""Modules that are loaded when something in them is used."""


class LateFinder:
    """Finds the modules of `LATE`, and leaves their loading for later."""

    @staticmethod
    def find_spec(fullname: str, path: Any, target: Any = None) -> Any:  # noqa: ARG004
        spec = PathFinder.find_spec(fullname, path) if fullname in LATE else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def load_scikit_learn() -> None:
    """Load scikit-learn's base class without pandas, which DuckDB would look for."""
    absent = "pandas" not in sys.modules
    if absent:
        sys.modules["pandas"] = None  # type: ignore[assignment]
    try:
        import sklearn.base  # noqa: F401
    finally:
        if absent:
            del sys.modules["pandas"]
