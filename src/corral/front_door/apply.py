"""What ``corral apply`` does: functions on the rows of a file, votes to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from corral._plain import as_plain, as_rows
from corral._types import IntArray
from corral.functions import apply, load_functions
from corral.functions.row_table import Row
from corral.signals import WeakSignals
from corral.signals.frames import choose_columns
from corral.tables import VoteFiles


@dataclass(frozen=True)
class AppliedFile:
    """What functions said of the rows of a file.

    Attributes
    ----------
    signals : WeakSignals
    kept, columns : tuples of str
        Columns of the data that were written, and those that were added.
    """

    signals: WeakSignals
    kept: tuple[str, ...]
    columns: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain values: one line of ``signals`` per function."""
        read = self.signals
        return {
            "rows": len(read),
            "classes": as_plain(read.classes),
            "probabilities": not read.is_hard,
            "covered": float(read.covered.mean()),
            "signals": as_rows(
                signal=read.names, coverage=read.coverage, conflicts=read.conflicts
            ),
            "kept": list(self.kept),
            "columns": list(self.columns),
        }


def apply_file(
    functions: str | PathLike[str],
    data: str | PathLike[str],
    output: str | PathLike[str],
    *,
    keep: Sequence[str] | None = None,
    prefix: str = "",
    overwrite: bool = False,
    escape_formulas: bool = False,
    classes: Sequence[Any] | None = None,
    on_error: Literal["raise", "abstain"] = "raise",
    cache: str | PathLike[str] | None = None,
    jobs: int | None = None,
) -> AppliedFile:
    """Apply the functions of a Python file to the rows of a file, and write their votes.

    Parameters
    ----------
    functions : path
        See `corral.functions.load_functions`.
    data : path
        CSV, TSV, Parquet or JSON lines, as `corral.label` reads them; read into memory.
    output : path
        Gets the columns of the data, and one per function: its votes, or, if any function
        gives probabilities, that of the second of two classes, or one column per class.
    keep : sequence of str, optional
        Columns of the data to keep, or patterns; default: all.
    prefix : str
        In front of the names of the added columns.
    overwrite : bool
    escape_formulas : bool
        As for `corral.label`.
    classes, on_error, cache, jobs
        As for `corral.apply`.
    """
    table = VoteFiles(data, escape_formulas=escape_formulas)
    table.check_target(output, overwrite)
    kept = table.columns if keep is None else choose_columns(table.columns, keep)
    chosen = load_functions(functions)
    rows = [
        Row(dict(zip(table.columns, cells, strict=True))) for cells in table.read_rows()
    ]
    found = apply(
        chosen, rows, classes=classes, on_error=on_error, cache=cache, jobs=jobs
    )
    added = {f"{prefix}{name}": cells for name, cells in _columns_of(found).items()}
    table.write_beside(output, added, keep=kept, overwrite=overwrite)
    return AppliedFile(found, tuple(kept), tuple(added))


def _columns_of(signals: WeakSignals) -> dict[str, NDArray[Any]]:
    """What signals say as columns, empty where they abstain."""
    if not signals.is_hard:
        two = signals.n_label_columns == 1
        return {
            name if two else f"{name}_{signals.classes[k]}": np.ma.masked_invalid(
                signals.values[k][i]
            )
            for i, name in enumerate(signals.names)
            for k in range(signals.n_label_columns)
        }
    codes = np.full(signals.shape, -1)
    row, column, vote = signals.cells()
    codes[row, column] = vote
    return {
        name: _name_classes(signals.classes, codes[:, i])
        for i, name in enumerate(signals.names)
    }


def _name_classes(classes: NDArray[Any], codes: IntArray) -> NDArray[Any]:
    """Classes in the place of their codes, nothing in that of -1."""
    if classes.dtype.kind in "biuf":
        return np.ma.masked_array(classes[codes], codes < 0)
    cells = classes.astype(object)[codes]
    cells[codes < 0] = None
    return cells
