"""Parts of other libraries that a command loads only if it uses them.

scikit-learn's base class loads scipy.stats, and pandas where there is one, which take half
of the time to label a file. A command may interfere with imports; a library may not.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

LATE = (
    *("numpy.ctypeslib", "numpy.f2py", "numpy.polynomial", "numpy.testing"),
    *("scipy.special", "scipy.stats", "asyncio"),
)
"""Modules that are loaded when something in them is used."""


class LateFinder(MetaPathFinder):
    """Finds the modules of `LATE`, and leaves their loading for later."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname not in LATE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def load_late() -> None:
    """Load the modules of `LATE` late from now on, in this process."""
    sys.meta_path.insert(0, LateFinder())


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
