"""What ``corral apply`` does: functions on the rows of a file, votes to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.functions import Row, apply, load_functions
from corral.results import Part, Result, Table
from corral.tables import VoteFiles
from corral.votes import WeakSignals
from corral.votes.frames import choose_columns


@dataclass(frozen=True, eq=False, repr=False)
class AppliedFile(Result):
    """What functions said of the rows of a file.

    Attributes
    ----------
    rows : int
    classes : (k,) array
    probabilities : bool
        Whether any function gives probabilities.
    covered : float
        Share of the rows on which any function votes.
    signals : tuple of str
    coverage, conflicts : (m,) arrays of float
    kept, columns : tuples of str
        Columns of the data that were written, and those that were added.
    """

    rows: int
    classes: NDArray[Any]
    probabilities: bool
    covered: float
    signals: tuple[str, ...]
    coverage: FloatArray
    conflicts: FloatArray
    kept: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def title(self) -> str:
        return "What the functions say"

    def parts(self) -> Iterator[Part]:
        shares = {"coverage": self.coverage, "conflicts": self.conflicts}
        yield Table(
            {"signal": self.signals, **shares}, formats=dict.fromkeys(shares, ".1%")
        )
        yield f"{self.rows:,} rows, {self.covered:.1%} covered"


def apply_file(
    functions: str | PathLike[str],
    data: str | PathLike[str],
    output: str | PathLike[str],
    *,
    keep: Sequence[str] | None = None,
    prefix: str = "",
    overwrite: bool = False,
    classes: Sequence[Any] | None = None,
    on_error: Literal["raise", "abstain"] = "raise",
    cache: str | PathLike[str] | None = None,
    jobs: int = 1,
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
    classes, on_error, cache, jobs
        As for `corral.apply`; the version of the functions is the content of their file.
    """
    table = VoteFiles(data)
    table.check_target(output, overwrite)
    kept = table.columns if keep is None else choose_columns(table.columns, keep)
    chosen = load_functions(functions)
    rows = [
        Row(dict(zip(table.columns, cells, strict=True))) for cells in table.read_rows()
    ]
    found = apply(
        chosen,
        rows,
        classes=classes,
        on_error=on_error,
        cache=cache,
        version=Path(functions).read_bytes(),
        jobs=jobs,
    )
    added = {f"{prefix}{name}": cells for name, cells in _columns_of(found).items()}
    table.write_beside(output, added, keep=kept, overwrite=overwrite)
    return AppliedFile(
        len(found),
        found.classes,
        not found.is_hard,
        float(found.covered.mean()),
        found.names,
        found.coverage,
        found.conflicts,
        tuple(kept),
        tuple(added),
    )


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
