"""DuckDB relations of votes, and the queries that files of votes share with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError, SignalsError
from corral.tables.column_names import fresh_name, refuse_twins
from corral.tables.sql import (
    heed_interrupts,
    make_template,
    null_abstains,
    quote_name,
    quote_text,
    round_to_grid,
)
from corral.tables.vote_table import ORDERED_UP_TO, Columns, VoteTable
from corral.votes.other_columns import ROWS_LOOKED_AT

NOT_COUNTED = quote_text("a row has votes that were not counted; is its file damaged?")


class DuckTable(VoteTable):
    """A DuckDB relation of votes.

    Patterns and their labels are kept in temporary tables of its connection, so the
    relation that `labelled` gives lives as long as that does.

    Parameters
    ----------
    relation : DuckDBPyRelation
    name : str
        What messages call it.
    votes : str, optional
        What queries call it, where it has such a name already.
    """

    def __init__(
        self, relation: Any, name: str = "the relation", votes: str | None = None
    ) -> None:
        super().__init__()
        self._relation = relation
        self._name = name
        self._votes = votes or fresh_name("votes")
        self._source = self._votes  # one row per example
        self._hidden: list[str] = []  # columns of the source that are not shown
        self.columns = list(relation.columns)
        refuse_twins(self.columns, "DuckDB")
        if not self._fetch(f"SELECT 1 FROM {self._votes} LIMIT 1"):
            raise SignalsError(f"{self._name} has no rows.")

    # -- SQL where the relation lives -----------------------------------------

    @heed_interrupts()
    def _run(self, query: str, corral_added: Any = None) -> Any:  # noqa: ARG002
        """Run a query; DuckDB finds the arrays in `corral_added` under that name."""
        return self._relation.query(self._votes, query)

    def _create(self, query: str, added: Any = None) -> str:
        """A temporary table of what a query gives."""
        import duckdb

        name = fresh_name("table")
        try:
            self._run(f"CREATE TEMP TABLE {name} AS {query}", added)
        except duckdb.Error as error:
            raise SignalsError(self._explain(error)) from error
        return name

    def _drop(self, table: str) -> None:
        """Delete a table that the result does not need from the user's connection."""
        self._run(f"DROP TABLE {table}")

    def _fetch(self, query: str) -> list[Any]:
        return self._fetch_as("fetchall", query)

    def _fetch_arrays(self, query: str) -> dict[str, Any]:
        """Columns as arrays, masked where they are NULL."""
        return self._fetch_as("fetchnumpy", query)

    def _fetch_as(self, form: str, query: str) -> Any:
        import duckdb

        try:
            return self._work(getattr(self._run(query), form))
        except duckdb.Error as error:
            raise SignalsError(self._explain(error)) from error

    @heed_interrupts()
    def _work(self, work: Callable[[], Any]) -> Any:
        """Let DuckDB do some work; files do it so that Ctrl-C stops it."""
        return work()

    def _explain(self, error: Exception) -> str:
        """What to say of an error of DuckDB."""
        return f"DuckDB cannot read {self._name}: {error}"

    # -- counting -------------------------------------------------------------

    def is_text(self, column: str) -> bool:
        self._require(column)
        kind = str(self._relation.types[self._relation.columns.index(column)])
        return kind.startswith(("VARCHAR", "ENUM"))

    def _first_rows(self, columns: Sequence[str]) -> dict[str, Any]:
        listed = ", ".join(map(quote_name, columns))
        query = f"SELECT {listed} FROM {self._votes} LIMIT {ROWS_LOOKED_AT}"
        return dict(zip(columns, zip(*self._fetch(query), strict=True), strict=True))

    def _value(self, column: str) -> str:
        """SQL for what a column holds, with a place ``{v}`` for the name of a table."""
        return make_template(column)

    def _order(self, name: str, column: str) -> str:  # noqa: ARG002
        """SQL for the sort key of a column that a query calls `name`."""
        return name

    def _has_nulls(self, column: str) -> bool:
        query = (
            f"SELECT 1 FROM {self._votes} WHERE {quote_name(column)} IS NULL LIMIT 1"
        )
        return bool(self._fetch(query))

    def _count(
        self, columns: Sequence[str], bins: int | None = None, abstain: Any = None
    ) -> FloatArray:
        self._keys = {c: round_to_grid(self._value(c), bins, abstain) for c in columns}
        self._patterns = self._group(self._source, "count(*)")
        return self._sizes()

    def _group(self, source: str, size: str) -> str:
        """Make a table of the distinct rows of the keys, and how large each group is."""
        keys = enumerate(self._keys.values())
        listed = ", ".join(f"{key.format(v='')} AS c{i}" for i, key in keys)
        return self._create(f"SELECT {listed}, {size} AS n FROM {source} GROUP BY ALL")

    def _measure_moves(
        self, columns: Sequence[str], bins: int, abstain: Any
    ) -> list[Sequence[float]]:
        wanted = []
        for c in columns:
            value = null_abstains(f"{self._value(c).format(v='')}::DOUBLE", abstain)
            moved = f"abs({value} - floor({value} * {bins} + 0.5) / {bins})"
            wanted += [f"{f}({moved})" for f in ("sum", "count", "max")]
            wanted += [f"min({value})", f"max({value})"]
        found = self._fetch(f"SELECT {', '.join(wanted)} FROM {self._votes}")[0]
        return [found[a : a + 5] for a in range(0, len(found), 5)]

    def _sizes(self) -> FloatArray:
        query = f"SELECT n FROM {self._patterns} ORDER BY rowid"
        return np.ma.getdata(self._fetch_arrays(query)["n"]).astype(float)

    def _sort(self) -> FloatArray:
        unsorted = self._patterns
        order = [self._order(f"c{i}", c) for i, c in enumerate(self._keys)]
        self._patterns = self._create(f"FROM {unsorted} ORDER BY {', '.join(order)}")
        self._drop(unsorted)
        return self._sizes()

    def _groups(self, at: slice | IntArray, columns: Sequence[str]) -> NDArray[Any]:
        names = [f"c{list(self._keys).index(c)}" for c in columns]
        if isinstance(at, slice):
            source = f"{self._patterns}{_within(at)}"
        else:
            chosen = self._create("FROM corral_added", {"row": at})
            source = f"{self._patterns} WHERE rowid IN (FROM {chosen})"
        # Ordered: with several threads DuckDB returns rows in any order.
        query = f"SELECT {', '.join(names)} FROM {source} ORDER BY rowid"
        fetched = self._fetch_arrays(query)
        if not isinstance(at, slice):
            self._drop(chosen)
        arrays = {c: fetched[name] for c, name in zip(columns, names, strict=True)}
        return _stack_columns(arrays)

    def _make_tasks(self, task: str, codes: IntArray) -> str:
        worker, label = (key.format(v="v.") for key in self._keys.values())
        row = f"v.{quote_name(task)}"
        coded = self._attach({"a": codes}, np.arange(len(codes)))
        key = fresh_name("key")
        self._source = self._create(
            f"SELECT {row}, coalesce(string_agg(l.a, ',' ORDER BY l.a) "
            f"FILTER (l.a >= 0), '') AS {key} FROM {self._votes} v LEFT JOIN {coded} l "
            f"ON {worker} IS NOT DISTINCT FROM l.c0 AND {label} IS NOT DISTINCT FROM "
            f"l.c1 GROUP BY {row} ORDER BY {self._order(row, task)}"
        )
        for table in (coded, self._patterns):
            self._drop(table)
        self._hidden = [key]
        return key

    # -- labels ---------------------------------------------------------------

    def _labelled(self, added: Iterable[Columns], keep_order: bool | None) -> Any:
        return self._run(self._join_query(added, keep_order))

    def _join_query(
        self, added: Iterable[Columns], keep_order: bool | None, replacements: str = ""
    ) -> str:
        """The query that gives the table with its labels.

        `replacements` says, in SQL, what some columns ``v.name`` are replaced by.
        """
        if keep_order is None:
            keep_order = self.n_rows <= ORDERED_UP_TO
        self._check_order(keep_order)
        labels, names = self._label_patterns(added)
        # DuckDB believes what a Parquet file says of its values; one that is damaged may
        # have other votes here than where they were counted.
        found = f"CASE WHEN l.n IS NULL THEN error({NOT_COUNTED}) ELSE l.a0 END"
        values = [found, *(f"l.a{i}" for i in range(1, len(names)))]
        pairs = zip(values, map(quote_name, names), strict=True)
        named = ", ".join(f"{value} AS {name}" for value, name in pairs)
        source, hidden, order = self._source, list(self._hidden), ""
        if keep_order:
            row = fresh_name("row")
            source = f"(SELECT *, row_number() OVER () AS {row} FROM {source})"
            hidden, order = [*hidden, row], f" ORDER BY v.{row}"
        rest = f" EXCLUDE ({', '.join(hidden)})" if hidden else ""
        rest += f" REPLACE ({replacements})" if replacements else ""
        # A left join makes DuckDB build its hash table of the labels, which are few.
        return (
            f"SELECT v.*{rest}, {named} FROM {source} v LEFT JOIN {labels} l "
            f"ON {self._match_keys()}{order}"
        )

    def _label_patterns(self, added: Iterable[Columns]) -> tuple[str, list[str]]:
        """Make a table of patterns and labels; give its name and the labels' columns."""
        table, start, names = "", 0, [""]
        for batch in added:
            names = list(batch)
            # Text as objects: an array of text is a type of its own in every batch.
            values = {
                f"a{i}": array.astype(object) if array.dtype.kind == "U" else array
                for i, array in enumerate(batch.values())
            }
            stop = start + len(batch[names[0]])
            some = self._attach(values, np.arange(start, stop))
            start = stop
            if table:
                self._run(f"INSERT INTO {table} FROM {some}")
                self._drop(some)
            else:
                table = some
        self._drop(self._patterns)
        if start != self.n_patterns:
            raise SignalsError(
                f"{start} values were given for {self.n_patterns} patterns."
            )
        return table, names

    def _attach(self, values: dict[str, NDArray[Any]], at: IntArray) -> str:
        """A table of some patterns, with columns of one value per pattern."""
        return self._create(
            f"SELECT p.*, a.* EXCLUDE (corral_row) FROM {self._patterns} p "
            "JOIN corral_added a ON p.rowid = a.corral_row",
            {"corral_row": at} | values,
        )

    def _match_keys(self) -> str:
        """SQL that is true where a row ``v`` has the pattern ``l``."""
        return " AND ".join(
            f"{key.format(v='v.')} IS NOT DISTINCT FROM l.c{i}"
            for i, key in enumerate(self._keys.values())
        )

    def find_row(self, wanted: int | str, column: str | None) -> tuple[int, int]:
        """The number of a row (from 1) and the position of its votes in what was read.

        Parameters
        ----------
        wanted : int or str
            The number of the row, or what it has in `column`.
        column : str, optional
        """
        row = fresh_name("row")
        if column is None:
            condition, named = f"v.{row} = {int(wanted)}", f"number {wanted}"
        else:
            self._require(column)
            text = quote_text(str(wanted))
            condition = f"CAST(v.{quote_name(column)} AS VARCHAR) = {text}"
            named = f"{wanted!r} in column {column!r}"
        found = self._fetch(
            f"SELECT v.{row}, l.rowid FROM "
            f"(SELECT *, row_number() OVER () AS {row} FROM {self._source}) v "
            f"JOIN {self._patterns} l ON {self._match_keys()} WHERE {condition} "
            f"ORDER BY v.{row} LIMIT 2"
        )
        if not found:
            raise ParameterError(
                f"there is no row {named}; the table has {self.n_rows:,} rows."
            )
        if len(found) > 1:
            raise ParameterError(
                f"several rows have {named}, the first are {found[0][0]:,} and "
                f"{found[1][0]:,}. Name a column that tells rows apart first, or none, and "
                "the row by its number."
            )
        ((number, pattern),) = found
        return int(number), int(pattern)

    def rows_with(
        self, patterns: IntArray, times: IntArray, columns: Sequence[str]
    ) -> list[tuple[Any, ...]]:
        """Different rows with the votes of some patterns, picked as if at random.

        Parameters
        ----------
        patterns : (p,) array of int
            Positions in what was read, all different.
        times : (p,) array of int
            How many rows of each.
        columns : sequence of str
            What to return of every row.

        Returns
        -------
        list of tuples
            The place in `patterns`, the number of the row (from 1), and the columns.
        """
        at = patterns if self.sample_at is None else self.sample_at[patterns]
        numbers = {"corral_at": np.arange(len(at)), "corral_n": times}
        wanted = self._attach(numbers, at)
        row = fresh_name("row")
        named = "".join(f", v.{quote_name(c)}" for c in columns)
        found = self._fetch(
            f"SELECT l.corral_at, v.{row}{named} FROM "
            f"(SELECT *, row_number() OVER () AS {row} FROM {self._source}) v "
            f"JOIN {wanted} l ON {self._match_keys()} QUALIFY row_number() OVER "
            f"(PARTITION BY l.corral_at ORDER BY hash(v.{row}), v.{row}) <= l.corral_n "
            f"ORDER BY l.corral_at, v.{row}"
        )
        self._drop(wanted)
        return found

    def rows_in_order(
        self, columns: Sequence[str], names: Sequence[str] = ()
    ) -> Columns:
        """Some columns in memory in the order of the rows; else as `rows` gives them."""
        for name in columns:
            self._require(name)
        self._as_written = set(names)
        self._learn_types([name for name in columns if name not in names])
        row = fresh_name("row")
        listed = ", ".join(
            f"{self._value(c).format(v='')} AS c{i}" for i, c in enumerate(columns)
        )
        fetched = self._fetch_arrays(
            f"SELECT {listed} FROM (SELECT *, row_number() OVER () AS {row} FROM "
            f"{self._source}) ORDER BY {row}"
        )
        self.n_rows = len(fetched["c0"])
        return {name: _fill_gaps(fetched[f"c{i}"]) for i, name in enumerate(columns)}

    def find_values(
        self, key: str, names: Sequence[Any], column: str
    ) -> dict[str, Any]:
        """A value of a column for some names in another one, by name as text.

        Parameters
        ----------
        key, column : str
            Columns of the table as it came; of a long one, before it had a row per task.
        names : sequence
        """
        wanted = self._create(
            "FROM corral_added", {"name": np.array(list(map(str, names)), object)}
        )
        name = f"{quote_name(key)}::VARCHAR"
        found = self._fetch(
            f"SELECT {name}, min({quote_name(column)}) FROM {self._votes} "
            f"WHERE {name} IN (FROM {wanted}) GROUP BY 1"
        )
        self._drop(wanted)
        return dict(found)


def _within(at: slice) -> str:
    last = at.stop
    return "" if last is None else f" WHERE rowid BETWEEN {at.start} AND {last - 1}"


def _fill_gaps(array: NDArray[Any]) -> NDArray[Any]:
    """A column without a mask: None where a text is missing, NaN where a number is."""
    is_text = _kind(array) == "text" and not np.ma.getmaskarray(array).all()
    return _objects(array) if is_text else _numbers(array)


def _stack_columns(arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Columns by name as one array (rows, columns), all numbers or all text."""
    kinds = {
        name: _kind(array)
        for name, array in arrays.items()
        if not np.ma.getmaskarray(array).all()
    }
    if len(set(kinds.values())) > 1 or "other" in kinds.values():
        described = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise SignalsError(
            "votes must be all numbers or all text; choose the columns with "
            f"`signals=`. They are {described}."
        )
    truths = all(array.dtype.kind == "b" for array in arrays.values())
    convert = _objects if "text" in kinds.values() or truths else _numbers
    return np.column_stack([convert(array) for array in arrays.values()])


def _kind(array: NDArray[Any]) -> str:
    if array.dtype.kind in "biuf":
        return "numbers"
    return "text" if array.dtype.kind in "OU" else "other"


def _objects(array: Any) -> NDArray[Any]:
    column = np.array(np.ma.getdata(array), dtype=object)
    column[np.ma.getmaskarray(array)] = None
    return column


def _numbers(array: Any) -> NDArray[Any]:
    if not np.ma.is_masked(array):
        return np.ma.getdata(array)
    if array.dtype.kind not in "biuf":
        return np.full(len(array), np.nan)
    if array.dtype.itemsize == 1:  # half of what a double takes, and as exact
        return np.ma.filled(array.astype(np.float32), np.nan)
    return np.ma.filled(array.astype(float), np.nan)
