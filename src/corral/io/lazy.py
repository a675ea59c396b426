"""Tables whose rows stay in their engine: one count and one join through narwhals.

DuckDB, Polars and Spark count the distinct rows of votes. Python labels these patterns,
and the engine joins the labels to its rows. In a join of narwhals NULL differs from NULL,
so keys are filled, and a further key says where they were NULL.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError, SignalsError
from corral.votes.columns import (
    ROW,
    ROWS_LOOKED_AT,
    as_column,
    matrix,
    new_columns,
    plain_values,
)

Columns: TypeAlias = dict[str, NDArray[Any]]
ORDERED_UP_TO = 5_000_000
"""Rows up to which DuckDB sorts the result into the order of the rows."""
MASK_BITS = 60  # columns whose missing values one whole number can tell
MAX_EXACT = 2**53  # whole numbers below this are exact as floating point
POLARS, SPARK = "polars", "pyspark"
ENGINES = {
    nw.Implementation.POLARS: POLARS,
    nw.Implementation.PYSPARK: SPARK,
    nw.Implementation.PYSPARK_CONNECT: SPARK,
}


def fresh_name(what: str) -> str:
    """A name that no table of a user has."""
    return f"corral_{what}_{os.urandom(6).hex()}"


def names_twice(names: Iterable[str]) -> list[str]:
    """Names that occur twice, whatever their case."""
    folded = Counter(name.lower() for name in names)
    return sorted(name for name, times in folded.items() if times > 1)


def refuse_names_twice(names: Iterable[str], engine: str) -> None:
    """Refuse names that are the same to an engine that ignores case."""
    if twice := names_twice(names):
        raise SignalsError(
            f"the table has two columns named {', '.join(twice)}; to {engine} upper and "
            "lower case are the same."
        )


def refuse_clash(added: Iterable[str], columns: Iterable[Any], *, exact: bool) -> None:
    """Refuse added columns that the table, or another of them, has already.

    Unless `exact`, names that differ in upper and lower case only are the same.
    """
    names, taken = list(added), set(columns)
    if not exact:
        taken |= {str(name).lower() for name in taken}
        if twice := names_twice(names):
            raise SignalsError(
                f"two classes would have the column {twice[0]!r}, but for upper and lower "
                "case. Rename one of the classes."
            )
    if clash := [n for n in names if n in taken or (not exact and n.lower() in taken)]:
        raise ParameterError(
            f"the table already has columns named {', '.join(map(repr, clash))}; choose "
            "another `prefix=`."
        )


def _as_name(column: str, kind: Any) -> nw.Expr:
    """What a column calls a row, as text: 7.0 is "7", as in a file of gold."""
    cell = nw.col(column)
    if not kind.is_float():
        return cell.cast(nw.String)
    whole = nw.when(cell.abs() < 2**53).then(cell).otherwise(0).cast(nw.Int64)
    text = whole.cast(nw.String)
    return nw.when(cell == whole).then(text).otherwise(cell.cast(nw.String))


class LazyTable:
    """A lazy frame of Polars or Spark; `DuckTable` is one of DuckDB.

    Python sees distinct rows of votes only, the patterns.
    """

    n_rows = n_patterns = 0
    """Rows, and distinct rows of what was counted."""
    _name = "the table"

    def __init__(self, frame: nw.LazyFrame[Any]) -> None:
        self._frame: nw.LazyFrame[Any] = frame
        self._engine = ENGINES.get(frame.implementation, "DuckDB")
        self.has_order = self._engine != SPARK
        self._counted: list[str] = []
        self._joined: list[str] = []  # columns beside those of the user
        self._row = ""  # that with the numbers of rows, if one is among them
        self.columns: list[str] = list(frame.collect_schema().names())
        if self._engine == SPARK:
            refuse_names_twice(self.columns, "Spark")
        if not self._fetch_rows(frame.head(1).select(nw.len()))[0][0]:
            raise SignalsError(f"{self._name} has no rows.")

    # -- what engines do differently -------------------------------------------

    def _collect(self, frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
        if self._engine == POLARS:
            return frame.collect("polars", engine="streaming")
        return frame.collect("pyarrow")

    def _fetch_rows(self, frame: nw.LazyFrame[Any]) -> list[tuple[Any, ...]]:
        return self._collect(frame).rows()

    def _fetch_arrays(self, frame: nw.LazyFrame[Any]) -> Columns:
        found = self._collect(frame)
        return {name: as_column(found.get_column(name)) for name in found.columns}

    def _keep_patterns(self, groups: nw.LazyFrame[Any]) -> IntArray:
        """Keep the counted groups, sorted so that sums repeat; give their sizes."""
        self._patterns: Any = self._collect(groups).sort(*self._keys.values())
        sizes: IntArray = self._patterns.get_column(self._size).to_numpy()
        return sizes

    def _pattern_cells(self, columns: Sequence[str]) -> NDArray[Any]:
        """(p, m) cells of all patterns: numbers (NULL: NaN) or text (NULL: None)."""
        names = {self._keys[c]: c for c in columns}
        return matrix(self._patterns.select(*names).rename(names), list(columns))

    def _attach(self, added: Columns) -> nw.LazyFrame[Any]:
        """A small table of the patterns with columns of one value per pattern."""
        return self._lazy(new_columns(self._patterns.drop(self._size), added))

    def _lazy(self, frame: nw.DataFrame[Any]) -> nw.LazyFrame[Any]:
        if self._engine == POLARS:
            return frame.lazy()
        import pyspark.sql.functions as F  # noqa: N812

        session = self._frame.to_native().sparkSession
        # Broadcast: labels are sent to the rows, so the rows are not shuffled.
        return nw.from_native(F.broadcast(session.createDataFrame(frame.to_native())))

    def _number_rows(self, frame: nw.LazyFrame[Any], row: str) -> nw.LazyFrame[Any]:
        """Rows with their number from 1."""
        return nw.from_native(frame.to_native().with_row_index(row, 1))

    def _keeps_order(self) -> bool:
        return self.has_order

    def _read_as(
        self,
        columns: Sequence[str],
        names: Sequence[str],  # noqa: ARG002
    ) -> tuple[nw.LazyFrame[Any], dict[str, str]]:
        """The frame, and the columns that have what some others mean."""
        for name in columns:
            self.require(name)
        return self._frame, {}

    def make(self, columns: Columns) -> Any:
        """A table of the kind of this one from columns in memory."""
        listed = {name: plain_values(values) for name, values in columns.items()}
        backend: Any = "polars" if self._engine == POLARS else "pyarrow"
        return self._lazy(nw.from_dict(listed, backend=backend)).to_native()

    # -- counting ----------------------------------------------------------------

    def require(self, name: str) -> None:
        """Refuse a column that is not there, or that the engine cannot group by."""
        if name not in self.columns and name not in self._joined:
            raise SignalsError(
                f"no column named {name!r}; the table has "
                f"{', '.join(map(repr, self.columns))}."
            )
        if self._engine == SPARK and ("." in name or "`" in name):
            raise SignalsError(f"Spark takes dots and ` for syntax; rename {name!r}.")

    def is_text(self, column: str) -> bool:
        """Whether a column holds text."""
        self.require(column)
        kind = self._frame.collect_schema()[column]
        return kind in (nw.String, nw.Categorical, nw.Enum)

    def head(self, columns: Sequence[str]) -> dict[str, list[Any]]:
        """The first rows, column by column."""
        for name in columns:
            self.require(name)
        first = self._fetch_rows(self._frame.select(*columns).head(ROWS_LOOKED_AT))
        return {name: [row[i] for row in first] for i, name in enumerate(columns)}

    def _group(self, columns: Sequence[str], names: Sequence[str] = ()) -> IntArray:
        """Find the distinct rows of some columns, and how often each occurs."""
        self._source, typed = self._read_as(columns, names)
        self._keys = {c: typed.get(c, c) for c in columns}
        self._hidden = list(typed.values())
        self._size = fresh_name("n")
        groups = self._source.group_by(*self._keys.values())
        sizes = self._keep_patterns(groups.agg(nw.len().alias(self._size)))
        self._counted = list(columns)
        self.n_rows, self.n_patterns = int(sizes.sum()), len(sizes)
        return sizes

    def count(self, columns: Sequence[str]) -> tuple[NDArray[Any], FloatArray]:
        """The distinct rows (p, m) of some columns, sorted, and how often each occurs.

        Cells are numbers (NULL: NaN) or text (NULL: None).
        """
        sizes = self._group(columns)
        cells = self._pattern_cells(columns)
        self._find_nulls(cells.T)
        return cells, sizes.astype(float)

    def _find_nulls(self, cells: Iterable[NDArray[Any]]) -> None:
        """Keep which keys are NULL somewhere, and the ends of those of whole numbers."""
        kinds = self._source.collect_schema()
        self._with_nulls: list[str] = []
        self._ends: dict[str, tuple[int, int]] = {}
        for key, column in zip(self._keys.values(), cells, strict=True):
            null = (column != column) | (column == None)  # noqa: E711
            if null.any():
                self._with_nulls.append(key)
            if kinds[key].is_integer() and not null.all():
                self._ends[key] = int(column[~null].min()), int(column[~null].max())

    def rows(self, columns: Sequence[str], names: Sequence[str] = ()) -> Columns:
        """Some columns in memory, row by row; NULL: NaN or None.

        Columns in `names` hold names, so in files of text they stay text: ``007`` is not 7.
        """
        frame, typed = self._read_as(columns, names)
        chosen = [nw.col(typed.get(c, c)).alias(c) for c in columns]
        found = self._fetch_arrays(frame.select(*chosen))
        self.n_rows = len(found[columns[0]])
        return found

    def distinct_rows(
        self, columns: Sequence[str], names: Sequence[str] = ()
    ) -> tuple[Columns, IntArray]:
        """The distinct rows of `rows`, sorted, and how often each occurs."""
        sizes = self._group(columns, names)
        found = {c: self._pattern_cells([c])[:, 0] for c in columns}
        self._find_nulls(found.values())
        return found, sizes

    def has_repeats(self, column: str) -> bool:
        """Whether a value stands in several rows of a column."""
        frame, typed = self._read_as([column], [column])
        name = typed.get(column, column)
        counted = frame.select(
            nw.col(name).n_unique().alias("n"), nw.len().alias("all")
        )
        ((different, rows),) = self._fetch_rows(counted)
        return bool(different < rows)

    # -- labels ------------------------------------------------------------------

    def join_labels(
        self, keys: Sequence[Any], cells: Sequence[tuple[str, ...]], labels: list[Any]
    ) -> tuple[str, list[int]]:
        """Join known labels to rows, as a column that is counted but never written.

        `keys` are the columns that name rows, and may begin with `ROW`, their number from
        1; `cells` is what these have, for every label. Gives the new column, and how many
        rows every label has.
        """
        by_number = keys[0] == ROW and ROW not in self.columns
        source, typed = self._read_as(*[keys[by_number:]] * 2)
        label, at, row = map(fresh_name, ("label", "at", "row"))
        hidden = [*typed.values(), label, at]
        if self.has_order:  # a join loses it
            source, self._row = self._number_rows(source, row), row
            hidden.append(row)
        elif by_number:
            raise ParameterError(
                "Spark does not number rows; name them by a column.", parameter="gold"
            )
        left = {fresh_name("key"): typed.get(key, key) for key in keys}
        right = {fresh_name("key"): list(each) for each in zip(*cells, strict=True)}
        known = {label: labels, at: list(range(len(labels))), **right}
        small = nw.from_native(self.make({n: np.array(c) for n, c in known.items()}))
        kinds = source.collect_schema()
        named = {
            key: nw.col(row).cast(nw.String)
            if by_number and column == ROW
            else _as_name(column, kinds[column]).fill_null("")
            for key, column in left.items()
        }
        joined = source.with_columns(**named).join(
            small, left_on=[*left], right_on=[*right], how="left"
        )
        self._frame = joined.drop(*left)
        self._joined = hidden
        counted = self._frame.group_by(at).agg(nw.len().alias("n"))
        found = {i: n for i, n in self._fetch_rows(counted) if i is not None}
        return label, [int(found.get(i, 0)) for i in range(len(labels))]

    def labelled(self, added: Columns) -> Any:
        """The table, of the kind it was, with columns of one value per pattern."""
        return self._join(added).to_native()

    def _join(
        self, added: Columns, how: Any = "left", row: str | None = None
    ) -> nw.LazyFrame[Any]:
        """The rows, numbered in a column `row`, with columns added by pattern."""
        refuse_clash(added, self.columns, exact=False)
        nameless = not set(self.columns) - set(self._counted)
        if nameless and not self.has_order:
            raise SignalsError(
                "nothing would tell whose labels these are, as every column is a signal "
                "and Spark does not keep the order of rows. Add a column with an id."
            )
        ordered = row is not None or nameless or self._keeps_order()
        labels = self._attach(added)
        number = row or fresh_name("row")
        source = self._source
        if ordered and self._row:
            source = source.with_columns(nw.col(self._row).alias(number))
        elif ordered:
            source = self._number_rows(source, number)
        left, right = self._fill_keys("l"), self._fill_keys("r")
        joined = source.with_columns(**left).join(
            labels.select(*added, **right), left_on=[*left], right_on=[*right], how=how
        )
        if ordered:
            joined = joined.sort(number)
        gone = [number] if ordered and row is None else []
        return joined.drop(*left, *self._hidden, *gone, *self._joined)

    def _fill_keys(self, side: str) -> dict[str, nw.Expr]:
        """The keys without NULL, and whole numbers whose bits say where it was.

        Whole numbers are digits of a single key, until its 63 bits are used up. The key is
        NULL where a row was not counted, whose number could be that of another.
        """
        kinds, nulls = self._source.collect_schema(), self._with_nulls
        name = f"corral_{side}_{self._size}"
        found, number, worth, digits = {}, nw.lit(0, nw.Int64), 1, set()
        for i, key in enumerate(self._keys.values()):
            low, high = self._ends.get(key, (0, MAX_EXACT))
            size = high - low + 2  # one is for NULL
            if -low < MAX_EXACT > high and worth * size < 2**63:
                digit = (nw.col(key).cast(nw.Int64) - low) * worth
                known = nw.when(nw.col(key).is_between(low, high)).then(digit)
                none = nw.when(nw.col(key).is_null()).then((size - 1) * worth)
                number, worth = number + none.otherwise(known), worth * size
                digits.add(key)
                continue
            text = kinds[key] in (nw.String, nw.Categorical, nw.Enum)
            blank: Any = "" if text else kinds[key] != nw.Boolean and 0
            value = nw.col(key).fill_null(blank) if key in nulls else nw.col(key)
            found[f"{name}_{i}"] = value
        if digits:
            found[f"{name}_number"] = number
        nulls = [key for key in nulls if key not in digits]
        for start in range(0, len(nulls), MASK_BITS):
            bits = [
                nw.when(nw.col(key).is_null())
                .then(nw.lit(1 << i, nw.Int64))
                .otherwise(0)
                for i, key in enumerate(nulls[start : start + MASK_BITS])
            ]
            found[f"{name}_null_{start}"] = reduce(add, bits)
        return found
