"""Eager data frames (pandas, Polars, PyArrow, ...) as columns, through narwhals."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral.errors import SignalsError
from corral.signals.coding import is_missing


def is_frame(data: object) -> bool:
    """Whether `data` is a data frame, eager or lazy."""
    if isinstance(data, np.ndarray | list | tuple):
        return False
    try:
        wrapped = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        return True
    return isinstance(wrapped, nw.DataFrame | nw.LazyFrame)


def as_frame(data: Any) -> nw.DataFrame[Any]:
    """Wrap a native frame; say what is taken if it is something else."""
    try:
        frame: nw.DataFrame[Any] = nw.from_native(data, eager_only=True)
        names = list(frame.columns)
    except nw.exceptions.DuplicateError as error:
        raise SignalsError(f"the table has two columns of one name: {error}") from error
    except TypeError as error:
        raise SignalsError(
            "a pandas, Polars or PyArrow data frame was expected; "
            f"{type(data).__name__} was given. Lazy frames, DuckDB relations and Spark "
            "frames are labelled by corral.label; collect them for anything else."
        ) from error
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SignalsError(f"the table has two columns named {', '.join(twice)}.")
    return frame


def column_names(
    frame: nw.DataFrame[Any], signals: str | Sequence[str] | None
) -> list[str]:
    """The signal columns: all of them, or those named."""
    if signals is None:
        return list(frame.columns)
    names = [signals] if isinstance(signals, str) else list(signals)
    # pandas may call columns 0, 1, 2; a labeler remembers them as text.
    as_text = {str(column): column for column in frame.columns}
    names = [n if n in frame.columns else as_text.get(n, n) for n in names]
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
    kinds = {name: _kind(frame.get_column(name)) for name in names}
    if {"numbers", "text"} <= set(kinds.values()):
        pairs = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise SignalsError(
            f"signal columns must be all numbers or all text; they are {pairs}. "
            "Choose the columns with `signals=`."
        )
    series = [frame.get_column(name) for name in names]
    if _are_truths(series):
        kinds = dict.fromkeys(names, "objects")  # as numbers they would be 0 and 1
    columns = [_column(s, kinds[s.name]) for s in series]
    if {"text", "objects"} & set(kinds.values()):
        columns = [column.astype(object) for column in columns]
    return np.column_stack(columns)


def values(series: nw.Series[Any]) -> NDArray[Any] | list[Any]:
    """The entries of any column: whole numbers as an array, all else as a list."""
    if series.dtype.is_integer() and not series.null_count():
        return series.to_numpy()
    return series.to_list()


def fill_missing(array: NDArray[Any], abstain: Any) -> NDArray[Any]:
    """Write the abstain value where a table has nulls."""
    if abstain is None or array.dtype.kind not in "fO":
        return array
    if array.dtype.kind == "O":
        missing = np.vectorize(is_missing, [bool])(array)
    elif isinstance(abstain, Real):
        missing = np.isnan(array)
    else:
        return array  # the coding says that numbers and this value do not fit
    return np.where(missing, abstain, array)


def new_columns(frame: nw.DataFrame[Any], added: dict[str, Any]) -> nw.DataFrame[Any]:
    """An eager frame with arrays as further columns."""
    series = [
        nw.new_series(name, _plain(values), backend=frame.implementation)
        for name, values in added.items()
    ]
    return frame.with_columns(*series)


def _plain(values: NDArray[Any]) -> Any:
    """Arrays for numbers; lists for text and gaps, which every library reads alike."""
    listed = values.dtype.kind in "OU" or np.ma.isMaskedArray(values)
    return values.tolist() if listed else np.ascontiguousarray(values)


def _are_truths(columns: Sequence[nw.Series[Any]]) -> bool:
    """Whether all columns are booleans, some of them with nulls."""
    return all(c.dtype == nw.Boolean for c in columns) and any(
        c.null_count() for c in columns
    )


def _column(series: nw.Series[Any], kind: str) -> NDArray[Any]:
    if kind == "numbers":
        if series.null_count() or series.dtype == nw.Decimal:
            return series.cast(nw.Float64).to_numpy().astype(float)
        return series.to_numpy()
    if kind == "empty":
        return np.full(len(series), np.nan)
    return np.fromiter(series.to_list(), object, len(series))


def _kind(series: nw.Series[Any]) -> str:
    dtype = series.dtype
    if series.null_count() == len(series):
        return "empty"
    if dtype.is_numeric() or dtype in (nw.Boolean, nw.Decimal):
        return "numbers"
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return "text"
    if dtype == nw.Object:
        return "objects"  # pandas: anything; the values are looked at later
    raise SignalsError(
        f"a signal column holds {dtype}; votes are numbers or text. Choose the "
        "columns with `signals=`."
    )
