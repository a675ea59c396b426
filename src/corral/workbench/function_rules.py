"""Rules of a Python file of functions: run once, shown, never edited."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corral.errors import FunctionError, SignalsError
from corral.functions import Row, apply, load_functions
from corral.workbench.row_store import RowStore


@dataclass(frozen=True)
class FunctionRules:
    """What the functions of a file say of all rows.

    Attributes
    ----------
    file : str
        Its name.
    names : tuple of str
    classes : tuple of str
        All that they vote for.
    values : tuple
        The same as the functions have them: texts, or whole numbers.
    votes : (n, m) array of int8
        Positions in `classes`, -1 where a function abstains.
    """

    file: str
    names: tuple[str, ...]
    classes: tuple[str, ...]
    values: tuple[Any, ...]
    votes: Any

    @property
    def ids(self) -> dict[str, str]:
        """Name by id."""
        return {f"f:{name}": name for name in self.names}

    @property
    def values_by_name(self) -> dict[str, Any]:
        """What the functions call every class."""
        return dict(zip(self.classes, self.values, strict=True))

    def coded(self, classes: tuple[str, ...]) -> Any:
        """(n, m) the same votes as positions in other classes, which have all of these."""
        to = np.array([*(classes.index(c) for c in self.classes), -1], np.int8)
        return to[self.votes]  # -1 is the last


def run_functions(
    path: str | os.PathLike[str], store: RowStore, classes: Any
) -> FunctionRules:
    """Apply the functions of a file to all rows.

    Parameters
    ----------
    path : path
    store : RowStore
    classes : sequence of str or None
        All classes, where they are known.
    """
    functions = load_functions(path)
    rows = [Row(cells) for cells in store.all_rows()]
    try:
        signals = apply(functions, rows)
    except SignalsError:  # they may speak of one class only
        if not classes:
            raise
        signals = apply(functions, rows, classes=classes)
    if not signals.is_hard:
        raise FunctionError(
            f"{Path(path).name!r} has functions that give probabilities; the workbench "
            "takes votes. Let them answer with a class, or None."
        )
    votes = np.full(signals.shape, -1, np.int8)
    row, column, vote = signals.cells()
    votes[row, column] = vote
    values = tuple(signals.classes.tolist())
    names = tuple(map(str, values))
    return FunctionRules(Path(path).name, signals.names, names, values, votes)
