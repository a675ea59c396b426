"""Eager data frames (pandas, Polars, PyArrow, ...) as columns, through narwhals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral.errors import SignalsError


def is_frame(data: object) -> bool:
    """Whether `data` is a data frame that narwhals can read eagerly."""
    if isinstance(data, np.ndarray | list | tuple):
        return False
    return isinstance(
        nw.from_native(data, eager_only=True, pass_through=True),
        nw.DataFrame,
    )


def as_frame(data: Any) -> nw.DataFrame[Any]:
    """Wrap a native frame; say what is taken if it is something else."""
    try:
        return nw.from_native(data, eager_only=True)
    except TypeError as error:
        raise SignalsError(
            "a pandas, Polars or PyArrow data frame was expected; "
            f"{type(data).__name__} was given. Collect lazy frames first."
        ) from error


def column_names(
    frame: nw.DataFrame[Any], signals: str | Sequence[str] | None
) -> list[str]:
    """The signal columns: all of them, or those named."""
    if signals is None:
        return list(frame.columns)
    names = [signals] if isinstance(signals, str) else list(signals)
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise SignalsError(
            f"no column named {', '.join(map(repr, missing))}; the table has "
            f"{', '.join(map(repr, frame.columns))}."
        )
    if len(set(names)) != len(names):
        raise SignalsError(f"a signal column is named twice: {names}.")
    return names


def matrix(frame: nw.DataFrame[Any], names: Sequence[str]) -> NDArray[Any]:
    """Columns as one array (n, m): integers, floats (null: NaN) or objects (None)."""
    columns = []
    kinds = {}
    for name in names:
        series = frame[name]
        kinds[name] = _kind(series.dtype)
        if kinds[name] == "text":
            columns.append(series.cast(nw.String).to_numpy().astype(object))
        elif series.null_count():
            columns.append(series.cast(nw.Float64).to_numpy().astype(float))
        else:
            columns.append(series.to_numpy())
    spoken = {kind for kind in kinds.values() if kind != "empty"}
    if len(spoken) > 1:
        pairs = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise SignalsError(
            f"signal columns must be all numbers or all text; they are {pairs}. "
            "Choose the columns with `signals=`."
        )
    if spoken == {"text"}:
        columns = [
            column if kinds[name] == "text" else np.full(len(column), None)
            for name, column in zip(names, columns, strict=True)
        ]
    return np.column_stack(columns)


def _kind(dtype: Any) -> str:
    if dtype.is_numeric() or dtype == nw.Boolean:
        return "numbers"
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return "text"
    if dtype == nw.Unknown or str(dtype) == "Object":
        # pandas object columns and all-null columns
        return "text" if str(dtype) == "Object" else "empty"
    raise SignalsError(
        f"a signal column holds {dtype}; votes are numbers or text. Choose the "
        "columns with `signals=`."
    )
