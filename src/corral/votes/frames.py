"""Eager data frames (pandas, Polars, PyArrow, ...) as columns, through narwhals."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral.errors import SignalsError
from corral.votes.coding import is_missing, list_abstains


def is_frame(data: object) -> bool:
    """Whether `data` is a data frame, eager or lazy, or holds Arrow columns."""
    if _holds_arrow(data):
        return True
    if isinstance(data, np.ndarray | list | tuple):
        return False
    try:
        wrapped = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        return True
    return isinstance(wrapped, nw.DataFrame | nw.LazyFrame)


def as_frame(data: Any) -> nw.DataFrame[Any]:
    """Wrap a native frame; say what is taken if it is something else."""
    if _holds_arrow(data):
        data = ARROW_READERS[_module(data)](data)
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


def _module(data: object) -> str:
    """The library that data, or the first of a list, come from."""
    first = data[0] if isinstance(data, list | tuple) and data else data
    return type(first).__module__.partition(".")[0]


def _holds_arrow(data: Any) -> bool:
    """Whether data are columns of Arrow, or a list of batches; a single array is not."""
    module = _module(data)
    if module != "pyarrow":
        return module == "datasets"
    first = data[0] if isinstance(data, list | tuple) else data
    return hasattr(first, "schema") or hasattr(first, "to_table")


def _read_arrow(data: Any) -> Any:
    """Record batches, readers of them and datasets of files, as one table."""
    import pyarrow

    if isinstance(data, pyarrow.RecordBatch):
        data = [data]
    if isinstance(data, list | tuple):
        return pyarrow.Table.from_batches(data)
    if isinstance(data, pyarrow.RecordBatchReader):
        return data.read_all()
    return data.to_table() if hasattr(data, "to_table") else data


def _read_hugging_face(data: Any) -> Any:
    """The rows of a Hugging Face dataset, in their order, as an Arrow table."""
    import datasets
    import pyarrow

    if not isinstance(data, datasets.Dataset):
        raise SignalsError(
            f"a {type(data).__name__} of datasets has several splits, or rows that are "
            "not there yet. Choose a split, such as dataset['train'], and load it."
        )
    table = data.with_format("arrow")[:]
    kinds = data.features.items()
    named = {
        n: kind.names for n, kind in kinds if isinstance(kind, datasets.ClassLabel)
    }
    spelled = list(named.values())
    if spelled and spelled.count(spelled[0]) == len(spelled):
        codes = {None, *range(-1, len(spelled[0]))}
        for name in table.column_names:
            column = table[name]
            whole = name not in named and pyarrow.types.is_integer(column.type)
            if whole and codes.issuperset(column.unique().to_pylist()):
                return table  # votes that have codes only
    for name, names in named.items():
        # Another column may have the same codes for other classes; -1 is no vote.
        words = [*names, None]
        said = [words[-1 if c is None else c] for c in table[name].to_pylist()]
        at = table.column_names.index(name)
        table = table.set_column(at, name, pyarrow.array(said, pyarrow.string()))
    return table


ARROW_READERS = {"pyarrow": _read_arrow, "datasets": _read_hugging_face}
"""By the library of the data: who has its objects has loaded it."""


def as_given(data: Any, frame: nw.DataFrame[Any]) -> Any:
    """A frame made from `data`, as what `data` was; of Arrow, a table."""
    if _module(data) != "datasets":
        return frame.to_native()
    if len(frame) != len(data):  # one row per task, of a table with one per vote
        return type(data).from_dict(frame.to_dict(as_series=False))
    for name in frame.columns[len(data.column_names) :]:
        data = data.add_column(name, frame.get_column(name).to_list())
    return data


def column_names(
    frame: nw.DataFrame[Any], signals: str | Sequence[str] | None
) -> list[str]:
    """The signal columns: all of them, or those named."""
    if signals is None:
        return list(frame.columns)
    return choose_columns(frame.columns, signals)


def choose_columns(
    columns: Sequence[Any], chosen: str | Sequence[str], *, twice: bool = False
) -> list[Any]:
    """Columns by their names or by patterns such as ``rule_*``.

    Parameters
    ----------
    columns : sequence of str
        Those of the table; pandas may call them 0, 1, 2.
    chosen : str or sequence of str
    twice : bool
        Take a column that is named twice once, instead of refusing it.

    Examples
    --------
    >>> from corral.votes.frames import choose_columns
    >>> choose_columns(["id", "rule_a", "rule_b", "model"], ["rule_*", "model"])
    ['rule_a', 'rule_b', 'model']
    """
    # A labeler remembers the names of pandas' columns 0, 1, 2 as text.
    as_text = {str(column): column for column in columns}
    found: list[Any] = []
    for name in [chosen] if isinstance(chosen, str) else chosen:
        if name in columns or name in as_text:
            found.append(name if name in columns else as_text[name])
            continue
        matching = [c for text, c in as_text.items() if fnmatchcase(text, str(name))]
        if not matching:
            raise SignalsError(
                f"no column {'matches' if _is_pattern(name) else 'named'} {name!r}; the "
                f"table has {', '.join(map(repr, columns))}."
            )
        found += [column for column in matching if column not in found]
    if len(set(found)) != len(found):
        if not twice:
            raise SignalsError(f"a signal column is named twice: {found}.")
        found = list(dict.fromkeys(found))
    return found


def _is_pattern(name: Any) -> bool:
    return any(mark in str(name) for mark in "*?[")


def matrix(frame: nw.DataFrame[Any], names: Sequence[str]) -> NDArray[Any]:
    """Columns as one array (n, m): integers, floats (null: NaN) or objects (None)."""
    kinds = {name: _kind(frame.get_column(name)) for name in names}
    if {"numbers", "text"} <= set(kinds.values()):
        pairs = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise SignalsError(
            f"signal columns must be all numbers or all text; they are {pairs}. "
            f"Choose the columns with `signals=`."
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
    values = list_abstains(abstain)
    if not values or any(map(is_missing, values)) or array.dtype.kind not in "fO":
        return array
    if array.dtype.kind == "O":
        missing = np.vectorize(is_missing, [bool])(array)
    elif isinstance(values[0], Real) or np.isnan(array).all():
        missing = np.isnan(array)
    else:
        return array  # the coding says that numbers and this value do not fit
    return np.where(missing, values[0], array)


def new_columns(frame: nw.DataFrame[Any], added: dict[str, Any]) -> nw.DataFrame[Any]:
    """An eager frame with arrays as further columns."""
    series = [
        nw.new_series(name, plain_values(values), backend=frame.implementation)
        for name, values in added.items()
    ]
    return frame.with_columns(*series)


def plain_values(values: NDArray[Any]) -> Any:
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
        f"columns with `signals=`."
    )
