"""Parts of other libraries that a command loads only if it uses them.

scikit-learn's base class loads all of scipy.stats, and pandas where there is one; SciPy's
arrays load f2py and NumPy's tools for tests. None of it labels a file, and it took half of
the time. A library may not interfere with imports. A command may: the process is its own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader, _LazyModule  # type: ignore[attr-defined]
from threading import Lock
from types import ModuleType
from typing import Any

LATE = (
    *("numpy.ctypeslib", "numpy.f2py", "numpy.polynomial", "numpy.testing"),
    *("scipy.special", "scipy.stats", "asyncio"),
)
"""Loaded at the first look at anything in them."""


class LateModule(ModuleType):
    """A module that is loaded at the first look at anything but where it is from.

    Python's imports look at that first, and forget whatever is raised then, be it Ctrl-C:
    the module would stay half loaded, and the command go on.
    """

    def __getattribute__(self, name: str) -> Any:
        if name == "__spec__":
            return super().__getattribute__(name)
        with _one_at_a_time:
            if type(self) is LateModule:
                self.__class__ = _LazyModule
        return getattr(self, name)


class LateLoader(LazyLoader):
    """Makes modules of that kind."""

    def exec_module(self, module: ModuleType) -> None:
        """Load a module later."""
        super().exec_module(module)
        module.__class__ = LateModule


_one_at_a_time = Lock()


class LateFinder(MetaPathFinder):
    """Finds the modules of `LATE`, and leaves their loading for later."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Where a module is, if it is one of these."""
        spec = (
            PathFinder.find_spec(fullname, path, target) if fullname in LATE else None
        )
        if spec is not None and spec.loader is not None:
            spec.loader = LateLoader(spec.loader)
        return spec


def load_late() -> None:
    """Load the modules of `LATE` late from now on, in this process."""
    if not any(isinstance(finder, LateFinder) for finder in sys.meta_path):
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
