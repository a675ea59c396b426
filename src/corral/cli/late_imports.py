"""Parts of other libraries that a command loads only if it uses them.

scikit-learn's base class loads all of scipy.stats, and pandas where there is one; SciPy's
arrays load f2py and NumPy's tools for tests. None of it labels a file, and it takes half of
the time. A library may not interfere with imports. A command may: the process is its own.
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
"""Loaded at the first look at anything in them."""


class LateFinder(MetaPathFinder):
    """Finds the modules of `LATE`, and leaves their loading for later."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Where a module is, if it is one of these."""
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
    """Load scikit-learn's base class, but not pandas, which it has no use for.

    DuckDB looks for frames of pandas where that is loaded, so late loading would not do.
    """
    absent = "pandas" not in sys.modules
    if absent:
        sys.modules["pandas"] = None  # type: ignore[assignment]
    try:
        import sklearn.base  # noqa: F401
    finally:
        if absent:
            del sys.modules["pandas"]
