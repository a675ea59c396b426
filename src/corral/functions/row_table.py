"""The data that functions are applied to: frames, columns, lists and arrays alike."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Sequence
from itertools import accumulate
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.errors import SignalsError
from corral.signals import frames
from corral.signals.abstains import is_missing


class Row:
    """One row of a data frame: ``row["text"]`` or ``row.text``.

    As with a dict, there are ``"text" in row``, ``row.get("text")`` and ``dict(row)``.

    Parameters
    ----------
    values : dict
        By column.
    """

    __slots__ = ("_values",)

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __getitem__(self, column: str) -> Any:
        try:
            return self._values[column]
        except KeyError:
            raise KeyError(
                f"no column {column!r}; the row has {', '.join(self._values)}"
            ) from None

    def __getattr__(self, column: str) -> Any:
        if column.startswith("__") or column == "_values":
            raise AttributeError(column)  # what copying and pickling look for
        try:
            return self[column]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __contains__(self, column: object) -> bool:
        return column in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def keys(self) -> KeysView[str]:
        """The columns."""
        return self._values.keys()

    def get(self, column: str, default: Any = None) -> Any:
        """The entry of a column, if there is one."""
        return self._values.get(column, default)

    def __repr__(self) -> str:
        return f"Row({self._values!r})"


class Table:
    """Rows and columns of any data, read once for all functions.

    Parameters
    ----------
    data : pandas, Polars or PyArrow frame or column, list, tuple or array
        A list or an array is one entry per row: a text, an image, a mapping of columns or
        anything else. Columns of a two-dimensional array are numbered.
    """

    def __init__(self, data: Any) -> None:
        self.native = data
        self._frame: nw.DataFrame[Any] | None = None
        if frames.is_frame(data):
            self._frame = frames.as_frame(data)
            self._length = len(self._frame)
        elif isinstance(data, list | tuple) or (
            isinstance(data, np.ndarray) and data.ndim
        ):
            self._length = len(data)
        elif hasattr(data, "to_pylist"):  # a column of PyArrow
            self.native = data.to_pylist()
            self._length = len(self.native)
        else:
            series = nw.from_native(data, series_only=True, pass_through=True)
            if not isinstance(series, nw.Series):
                raise SignalsError(
                    "a data frame, a column, a list or an array was expected; "
                    f"{type(data).__name__} was given."
                )
            self.native = series.to_list()
            self._length = len(self.native)
        if not self._length:
            raise SignalsError("the data have 0 rows; there is nothing to answer.")
        self._columns: dict[Any, Any] = {}
        self._texts: dict[Any, Any] = {}
        self._joined: dict[Any, tuple[str, list[int]]] = {}
        self._places: dict[Any, Any] = {}
        self._rows: Sequence[Any] | None = None

    @classmethod
    def of(cls, data: Any) -> Table:
        """A table of the data; a table is returned as it is."""
        return data if isinstance(data, cls) else cls(data)

    def __len__(self) -> int:
        return self._length

    def rows(self) -> Sequence[Any]:
        """Every row: `Row` of a frame, else the entry itself."""
        if self._frame is None:
            return self.native
        if self._rows is None:
            named = self._frame.iter_rows(named=True)
            self._rows = [Row(values) for values in named]
        return self._rows

    def column(self, name: Any) -> Sequence[Any] | NDArray[Any]:
        """The entries of a column; None: the data themselves."""
        if name not in self._columns:
            self._columns[name] = self._read(name)
        return self._columns[name]

    def _read(self, name: Any) -> Any:
        if self._frame is not None:
            if name is None:
                raise SignalsError(
                    "the data are a frame, so a function must name the column that it "
                    f"reads; there are {', '.join(map(repr, self._frame.columns))}."
                )
            found = frames.column_names(self._frame, [name])[0]
            series = self._frame.get_column(found)
            numbers = series.dtype.is_numeric() and not series.null_count()
            return series.to_numpy() if numbers else series.to_list()
        if name is None:
            return self.native
        if isinstance(self.native, np.ndarray) and self.native.ndim > 1:
            try:
                return self.native[:, name]
            except (IndexError, TypeError) as error:
                raise SignalsError(
                    f"no column {name!r} in an array of shape {self.native.shape}; "
                    "columns of an array are numbered from 0."
                ) from error
        read = [_get_entry(row, entry, name) for row, entry in enumerate(self.native)]
        if all(value is _NO_KEY for value in read):
            raise SignalsError(f"no column {name!r} in any row.")
        return [None if value is _NO_KEY else value for value in read]

    def part(self, columns: Any) -> Any:
        """What a model reads: all data, a column, or several as given."""
        if columns is None:
            return self.native
        if isinstance(columns, str | int):
            return self.column(columns)
        if self._frame is not None:
            names = frames.column_names(self._frame, list(columns))
            return self._frame.select(names).to_native()
        return np.column_stack([np.asarray(self.column(name)) for name in columns])

    def texts(self, name: Any) -> tuple[list[str | None], dict[int, TypeError]]:
        """A column of texts, None where missing; and what is neither, by row."""
        if name not in self._texts:
            entries = _to_list(self.column(name))
            wrong: dict[int, TypeError] = {}
            if set(map(type, entries)) != {str}:
                for row, entry in enumerate(entries):
                    if not isinstance(entry, str):
                        missing = is_scalar(entry) and is_missing(entry)
                        if not missing:
                            wrong[row] = TypeError(
                                f"text was expected; {entry!r:.80} came"
                            )
                        entries[row] = None
            self._texts[name] = entries, wrong
        return self._texts[name]

    def joined(
        self, name: Any, lowercase: bool
    ) -> tuple[str, list[int], dict[int, TypeError]]:
        """A column of texts as one text with a NUL after each; where each begins.

        One place more is where the next would begin. And what is no text, by row.
        """
        entries, wrong = self.texts(name)
        if (name, lowercase) not in self._joined:
            cased = [(t or "").lower() if lowercase else t or "" for t in entries]
            starts = [0, *accumulate(len(text) + 1 for text in cased)]
            self._joined[name, lowercase] = "\0".join([*cased, ""]), starts
        return *self._joined[name, lowercase], wrong

    def numbers(self, name: Any) -> tuple[FloatArray, dict[int, TypeError]]:
        """A column of numbers, NaN where missing; and what is neither, by row."""
        entries = self.column(name)
        if isinstance(entries, np.ndarray) and entries.dtype.kind in "biuf":
            if entries.ndim == 1:
                return entries.astype(float), {}
            entries = list(entries)
        wrong: dict[int, TypeError] = {}
        values = np.full(len(self), np.nan)
        for row, entry in enumerate(_to_list(entries)):
            try:
                if not is_scalar(entry) or not is_missing(entry):
                    values[row] = _number(entry)
            except (TypeError, ValueError):
                wrong[row] = TypeError(f"a number was expected; {entry!r:.80} came")
        return values, wrong

    def places(self, name: Any) -> tuple[dict[Any, list[int]], dict[int, TypeError]]:
        """The rows of every distinct entry of a column; and what is none, by row."""
        if name not in self._places:
            found: dict[Any, list[int]] = {}
            wrong: dict[int, TypeError] = {}
            for row, entry in enumerate(_to_list(self.column(name))):
                try:
                    found.setdefault(entry, []).append(row)
                except TypeError:
                    wrong[row] = TypeError(
                        f"text or a number was expected; {entry!r:.80} came"
                    )
            self._places[name] = found, wrong
        return self._places[name]


_NO_KEY = object()


def _get_entry(row: int, entry: Any, name: Any) -> Any:
    """A column of one row of a list; what a mapping lacks is missing, as in a frame."""
    if entry is None:
        return _NO_KEY
    if isinstance(entry, Mapping | Row):
        return entry.get(name, _NO_KEY)
    try:
        if isinstance(entry, str):  # an index would find a letter
            raise TypeError("texts have no columns")
        return entry[name]
    except (TypeError, KeyError, IndexError) as error:
        raise SignalsError(
            f"no column {name!r} in row {row + 1}, a {type(entry).__name__}. Give "
            "column=None where the entries themselves are meant, or a data frame."
        ) from error


def is_scalar(entry: Any) -> bool:
    """Whether an entry is one value, so that it can be asked whether it is missing."""
    return np.ndim(entry) == 0 and not isinstance(entry, dict | set)


def _number(entry: Any) -> float:
    if isinstance(entry, str):
        raise TypeError
    return float(entry)


def _to_list(entries: Any) -> list[Any]:
    """A new list of entries, plain values of an array."""
    return entries.tolist() if isinstance(entries, np.ndarray) else list(entries)
