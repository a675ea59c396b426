"""DuckDB relations, and files of votes of any size: counted, joined, written."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError, SignalsError, SignalsWarning, warn_user
from corral.io.lazy import (
    ENGINES,
    ORDERED_UP_TO,
    Columns,
    LazyTable,
    as_numbers,
    as_objects,
    fresh_name,
    kind_of_array,
    refuse_clash,
    refuse_twins,
    stack_columns,
)
from corral.io.scan import (
    NUMBER,
    ask_types,
    explain_csv,
    explain_encoding,
    json_number,
    json_text,
    null_no_votes,
    quote_files,
    quote_name,
    quote_text,
    scan_csv,
    scan_json,
)
from corral.progress import heed_interrupts, watch
from corral.storage import (
    COMPRESSIONS,
    AnyPath,
    atomic_write,
    check_output,
    find_files,
    kind_of,
)

LOOKED_AT = 1000
"""Rows that a header is compared with."""
BYTES_PER_CELL = 64
"""Memory allowed for one vote of one pattern, for reading, labeling and joining it."""
LOADED_UP_TO = 1 << 28
"""Bytes of text up to which DuckDB loads it into a table of its own, and parses it once."""
MAX_COLUMNS_PER_QUERY = 100
"""Columns that are put aside together, as every query of a wide table is slow."""
WRITERS = {
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".parquet": "FORMAT parquet",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
}


# -- relations -----------------------------------------------------------------------


class DuckTable(LazyTable):
    """A DuckDB relation of votes; messages call it by `name`.

    Patterns and labels are temporary tables of its connection, so the relation that
    `labelled` gives lives as long as that does.
    """

    def __init__(self, relation: Any, name: str = "the relation") -> None:
        self._relation, self._name = relation, name
        refuse_twins(relation.columns, "DuckDB")
        super().__init__(nw.from_native(relation))

    def _explain(self, error: Exception) -> str:
        return f"DuckDB cannot read {self._name}: {error}"

    def _work(self, work: Callable[[], Any]) -> Any:
        """Let DuckDB do some work; files do it so that Ctrl-C stops it."""
        with heed_interrupts():
            return work()

    def _do(self, work: Callable[[], Any]) -> Any:
        """Let DuckDB do some work; messages of its errors name the table."""
        import duckdb

        try:
            return self._work(work)
        except duckdb.Error as error:
            raise SignalsError(self._explain(error)) from error

    def _query(self, relation: Any, query: str, corral_added: Any = None) -> Any:
        """Query a relation, called ``it``; `corral_added` is a table of arrays."""

        def run(corral_added: Any = corral_added) -> Any:  # noqa: ARG001
            return relation.query("it", query)

        return self._do(run)

    def _create(self, query: str, added: Any = None, it: Any = None) -> str:
        """A temporary table of what a query gives."""
        name = fresh_name("table")
        relation = self._relation if it is None else it
        self._query(relation, f"CREATE TEMP TABLE {name} AS {query}", added)
        return name

    def _drop(self, table: str) -> None:
        self._query(self._relation, f"DROP TABLE {table}")

    def _fetch(self, query: str, it: Any = None) -> list[tuple[Any, ...]]:
        found = self._query(self._relation if it is None else it, query)
        rows: list[tuple[Any, ...]] = self._do(found.fetchall)
        return rows

    # -- what `LazyTable` asks an engine for

    def _has_rows(self) -> bool:
        return bool(self._fetch("SELECT 1 FROM it LIMIT 1"))

    def _fetch_rows(self, frame: nw.LazyFrame[Any]) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._do(frame.to_native().fetchall)
        return rows

    def _fetch_arrays(self, frame: nw.LazyFrame[Any]) -> Columns:
        found = self._do(frame.to_native().fetchnumpy)
        return {
            name: _fill_gaps(found[name]) for name in frame.collect_schema().names()
        }

    def _keep_patterns(self, groups: nw.LazyFrame[Any]) -> FloatArray:
        keys = list(self._keys.values())
        ordered = groups.sort(*keys).to_native()
        self._patterns = self._create("FROM it", it=ordered)
        listed = ", ".join(f"count({quote_name(key)})" for key in keys)
        ((total, *known),) = self._fetch(
            f"SELECT count(*), {listed} FROM {self._patterns}"
        )
        self._with_nulls = [k for k, n in zip(keys, known, strict=True) if n < total]
        query = f"SELECT {self._size} FROM {self._patterns} ORDER BY rowid"
        sizes = self._do(self._query(self._relation, query).fetchnumpy)[self._size]
        return np.ma.getdata(sizes).astype(float)

    def _pattern_cells(
        self, at: slice | IntArray, columns: Sequence[str]
    ) -> NDArray[Any]:
        source = self._patterns
        if not isinstance(at, slice):
            chosen = self._create("FROM corral_added", {"row": at})
            source += f" WHERE rowid IN (FROM {chosen})"
        elif at.stop is not None:
            source += f" WHERE rowid BETWEEN {at.start} AND {at.stop - 1}"
        names = [f"{quote_name(self._keys[c])} AS c{i}" for i, c in enumerate(columns)]
        # Ordered: with several threads DuckDB returns rows in any order.
        query = f"SELECT {', '.join(names)} FROM {source} ORDER BY rowid"
        fetched = self._do(self._query(self._relation, query).fetchnumpy)
        if not isinstance(at, slice):
            self._drop(chosen)
        return stack_columns({c: fetched[f"c{i}"] for i, c in enumerate(columns)})

    def _attach(self, added: Iterable[Columns]) -> nw.LazyFrame[Any]:
        table, start = "", 0
        for batch in added:
            # Text as objects: an array of text is a type of its own in every batch.
            values = {
                name: array.astype(object) if array.dtype.kind == "U" else array
                for name, array in batch.items()
            }
            stop = start + len(next(iter(values.values())))
            self._check_number(stop if stop > self.n_patterns else self.n_patterns)
            some = self._create(
                f"SELECT p.* EXCLUDE ({self._size}), a.* EXCLUDE (corral_row) "
                f"FROM {self._patterns} p JOIN corral_added a ON p.rowid = a.corral_row",
                {"corral_row": np.arange(start, stop)} | values,
            )
            start = stop
            if table:
                self._query(self._relation, f"INSERT INTO {table} FROM {some}")
                self._drop(some)
            table = table or some
        self._check_number(start)
        return nw.from_native(self._query(self._relation, f"FROM {table}"))

    def _value(self, column: str, read: Sequence[str]) -> str:  # noqa: ARG002
        """SQL for what a column holds, beside the others that are read."""
        return quote_name(column)

    def _read_as(
        self, columns: Sequence[str]
    ) -> tuple[nw.LazyFrame[Any], dict[str, str]]:
        super()._read_as(columns)
        values = {c: self._value(c, columns) for c in columns}
        # narwhals takes a dot in a name for syntax.
        named = {
            c: fresh_name("key")
            for c, value in values.items()
            if value != quote_name(c) or not re.fullmatch(r"\w+", c)
        }
        if not named:
            return self._frame, {}
        listed = "".join(f", {values[c]} AS {key}" for c, key in named.items())
        return nw.from_native(self._relation.project(f"*{listed}")), named

    def _number_rows(self, row: str) -> nw.LazyFrame[Any]:
        numbered = f"*, row_number() OVER () AS {row}"
        return nw.from_native(self._source.to_native().project(numbered))

    def _keeps_order(self, asked: bool | None) -> bool:
        return self.n_rows <= ORDERED_UP_TO if asked is None else asked

    def labelled(self, added: Iterable[Columns], keep_order: bool | None = None) -> Any:
        found = super().labelled(added, keep_order)
        self._drop(self._patterns)  # what the result needs is left, and nothing else
        return found

    def make(self, columns: Columns) -> Any:
        return self._query(
            self._relation, f"FROM {self._create('FROM corral_added', columns)}"
        )

    # -- single rows

    def _placed(self, at: str, row: str) -> Any:
        """The rows with their number from 1, and the position of their pattern."""
        positions = {at: np.arange(self.n_patterns)}
        return self._join([positions], True, row=row).to_native()

    def find_row(self, wanted: int | str, column: str | None) -> tuple[int, int]:
        """The number of a row (from 1) and the position of its votes in what was read.

        The row is found by its number, or by what it has in a column.
        """
        at, row = fresh_name("at"), fresh_name("row")
        if column is None:
            condition, named = f"{row} = {int(wanted)}", f"number {wanted}"
        else:
            self.require(column)
            text = quote_text(str(wanted))
            condition = f"CAST({quote_name(column)} AS VARCHAR) = {text}"
            named = f"{wanted!r} in column {column!r}"
        query = f"SELECT {row}, {at} FROM it WHERE {condition} ORDER BY {row} LIMIT 2"
        found = self._fetch(query, it=self._placed(at, row))
        if not found:
            raise ParameterError(
                f"the table has no row {named}; it has {self.n_rows:,} rows."
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

        For every pattern, given by its position, as many rows as `times` (p,) says. A row
        is its place in `patterns`, its number (from 1), and the columns asked for.
        """
        at, row = fresh_name("at"), fresh_name("row")
        positions = patterns if self.sample_at is None else self.sample_at[patterns]
        places = {"i": np.arange(len(positions)), "at": positions, "n": times}
        wanted = self._create("FROM corral_added", places)
        named = "".join(f", it.{quote_name(c)}" for c in columns)
        found = self._fetch(
            f"SELECT w.i, it.{row}{named} FROM it JOIN {wanted} w ON it.{at} = w.at "
            f"QUALIFY row_number() OVER (PARTITION BY w.i ORDER BY hash(it.{row}), "
            f"it.{row}) <= w.n ORDER BY w.i, it.{row}",
            it=self._placed(at, row),
        )
        self._drop(wanted)
        return found

    def find_values(
        self, key: str, names: Sequence[Any], column: str
    ) -> dict[str, Any]:
        """A value of a column for some names in another one, by name as text."""
        texts = np.array(list(map(str, names)), object)
        wanted = self._create("FROM corral_added", {"name": texts})
        name = f"{quote_name(key)}::VARCHAR"
        found = self._fetch(
            f"SELECT {name}, min({quote_name(column)}) FROM it "
            f"WHERE {name} IN (FROM {wanted}) GROUP BY 1"
        )
        self._drop(wanted)
        return dict(found)


def open_table(data: Any) -> LazyTable | None:
    """A lazy frame of Polars or Spark, or a relation of DuckDB; None for all else."""
    # If `data` is a relation, DuckDB is loaded; otherwise it need not be.
    duckdb = sys.modules.get("duckdb")
    if duckdb is not None and isinstance(data, duckdb.DuckDBPyRelation):
        return DuckTable(data)
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:  # eager, and refused where it is read
        return None
    if not isinstance(frame, nw.LazyFrame):
        return None
    if frame.implementation not in ENGINES:
        raise SignalsError(
            f"{type(data).__module__} frames are not labelled in their engine; collect "
            "them first. Polars, DuckDB and Spark are."
        )
    return LazyTable(frame)


def _fill_gaps(array: NDArray[Any]) -> NDArray[Any]:
    """A column without a mask: None where a text is missing, NaN where a number is."""
    is_text = kind_of_array(array) == "text" and not np.ma.getmaskarray(array).all()
    return as_objects(array) if is_text else as_numbers(array)


# -- files ---------------------------------------------------------------------------


@dataclass
class TextColumn:
    """A column of text, and what its cells hold, once somebody asked."""

    sql: str
    """The text of a cell in SQL."""
    kind: str = ""
    """VARCHAR, BIGINT or DOUBLE."""
    has_codes: bool = False
    """Whether a cell is a code such as 01, or 1 stands beside 1.0."""
    has_gaps: bool = False
    """Whether texts such as "N/A" stand among numbers."""
    only_gaps: bool = False
    is_name: bool = False
    """Whether cells are names, which stay as they are."""


class VoteFiles(DuckTable):
    """A table of votes in one or many files, to be written again with labels.

    Parameters
    ----------
    path : path
        A file, a folder of files or a pattern such as ``votes/*.parquet``: CSV, TSV,
        Parquet or JSON lines by the ending, text also with ``.gz`` or ``.zst`` behind.
    memory_limit : str, optional
        What DuckDB may use, such as ``"2GB"``; beyond that it works on disk.
    threads : int, optional
        Default: all cores.
    """

    def __init__(
        self,
        path: AnyPath,
        *,
        memory_limit: str | None = None,
        threads: int | None = None,
    ) -> None:
        self._path, self._files = path, find_files(path)
        self._name = repr(Path(path).name)
        kinds = {kind_of(file) for file in self._files}
        if len(kinds) > 1:
            raise SignalsError(
                f"{self._name} holds files of different kinds: {', '.join(sorted(kinds))}."
            )
        self._kind = kinds.pop()
        self._thread = ThreadPoolExecutor(1)
        self._connection = _connect(memory_limit, threads)
        self._votes = fresh_name("votes")
        size = sum(file.stat().st_size for file in self._files)
        self._is_loaded = self._kind != ".parquet" and size <= LOADED_UP_TO
        reader, kept, self._names_of = self._do(self._scan)
        self._run(
            f"CREATE TEMP {'TABLE' if self._is_loaded else 'VIEW'} {self._votes} AS "
            f"FROM {reader}"
        )
        self._texts = {name: TextColumn(json_text(quote_name(name))) for name in kept}
        super().__init__(self._connection.sql(f"FROM {self._votes}"), self._name)
        if self._kind in (".csv", ".tsv"):
            self._texts = {name: TextColumn(quote_name(name)) for name in self.columns}
            self._refuse_data_as_header()
        if memory_limit is not None:
            ((taken,),) = self._fetch("SELECT current_setting('memory_limit')")
            number, unit = taken.split()  # such as "1.8 GiB"
            size = int(float(number) * 1024 ** "BKMGT".index(unit[0].upper()))
            self.cells = min(self.cells, size // BYTES_PER_CELL)

    def _work(self, work: Callable[[], Any]) -> Any:
        """Work in the one thread of the table, so that Ctrl-C stops DuckDB at once.

        In the main thread DuckDB 2.0 hears Ctrl-C late, or, one time in three, never.
        """
        done = self._thread.submit(work)
        try:
            return done.result()
        except KeyboardInterrupt:
            # Again and again: one that comes before the query begins has no effect.
            while not (done.cancel() or done.done()):
                self._connection.interrupt()
                wait([done], timeout=0.05)
            raise

    def _query(self, relation: Any, query: str, corral_added: Any = None) -> Any:
        # A query of the files themselves goes to the connection, which plans it once.
        if relation is not self._relation or query.startswith("FROM "):
            return super()._query(relation, query, corral_added)
        return self._run(
            query.replace("FROM it ", f"FROM {self._votes} "), corral_added
        )

    def _run(self, query: str, corral_added: Any = None) -> Any:
        def run(corral_added: Any = corral_added) -> Any:  # noqa: ARG001
            return self._connection.execute(query)

        return self._do(run)

    def _explain(self, error: Exception) -> str:
        said = str(error)
        if self._kind in (".csv", ".tsv"):
            return explain_csv(said, self._files)
        named = (file for file in self._files if str(file) in said)
        file = next(named, self._files[0])
        if "UTF-8" in said:
            return explain_encoding(file)
        return f"cannot read {self._name}: {said.splitlines()[0].split(' Try ')[0]}"

    # -- scans

    def _scan(self) -> tuple[str, list[str], dict[str, list[str]]]:
        """SQL for what the files hold, the columns it has as JSON, and names by file."""
        if self._kind in (".csv", ".tsv"):
            return scan_csv(self._connection, self._files, self._kind)
        if self._kind != ".parquet":
            return *scan_json(self._connection, self._files), {}
        # Columns come from the files, not from the names of folders.
        options = "union_by_name=true, hive_partitioning=false"
        names = {
            file.name: self._connection.sql(
                f"FROM read_parquet({quote_files([file])}, hive_partitioning=false)"
            ).columns
            for file in (self._files if len(self._files) > 1 else ())
        }
        return f"read_parquet({quote_files(self._files)}, {options})", [], names

    def _refuse_data_as_header(self) -> None:
        """Refuse a first line with numbers where the lines below it have numbers, too."""
        first = self._fetch(f"SELECT * FROM it LIMIT {LOOKED_AT}")
        for i, name in enumerate(self.columns):
            cells = {row[i].strip() for row in first if row[i]}
            numbers = all(map(NUMBER.fullmatch, cells))
            # A rule may be named after the one class that it votes for.
            if cells - {name} and numbers and NUMBER.fullmatch(name):
                raise SignalsError(
                    f"{self._name} seems to have no header line: its first line, "
                    f"{', '.join(map(repr, self.columns))}, looks like the lines after it. "
                    "Put the names of the columns there."
                )

    def _warn_of_missing(self, columns: Iterable[str]) -> None:
        """Warn of columns that only some files have: a header may have a typing error."""
        having = {f: {c.lower() for c in names} for f, names in self._names_of.items()}
        said = []
        for column in columns:
            without = [f for f, names in having.items() if column.lower() not in names]
            if 0 < len(without) < len(having):
                more = f" and {len(without) - 1} more" if len(without) > 1 else ""
                said.append(f"{column!r} is not in {without[0]!r}{more}")
        if said:
            warn_user(
                f"the files of {self._name} do not all have the same columns: "
                f"{'; '.join(said[:3])}. The rows of such a file have no votes there. If a "
                "header has a typing error, correct it.",
                SignalsWarning,
            )

    # -- types of text

    def is_text(self, column: str) -> bool:
        self.require(column)
        if column not in self._texts:
            return super().is_text(column)
        self._learn_types([column])
        return self._texts[column].kind == "VARCHAR"

    def count(self, columns: Sequence[str]) -> tuple[NDArray[Any], FloatArray]:
        self._warn_of_missing(columns)
        self._learn_types(columns)
        total, unit = 100, ""
        if self._kind == ".parquet":
            files = quote_files(self._files)
            query = f"SELECT sum(num_rows) FROM parquet_file_metadata({files})"
            total, unit = int(self._fetch(query)[0][0]), "rows"

        def done() -> float:
            return max(0.0, self._connection.query_progress()) / 100 * total

        with watch("counting patterns", done, total, unit):
            return super().count(columns)

    def rows(self, columns: Sequence[str], names: Sequence[str] = ()) -> Columns:
        self._warn_of_missing(columns)
        self._read_names(columns, names)
        return super().rows(columns)

    def distinct_rows(
        self, columns: Sequence[str], names: Sequence[str] = ()
    ) -> tuple[Columns, IntArray]:
        self._read_names(columns, names)
        return super().distinct_rows(columns)

    def _read_names(self, columns: Sequence[str], names: Sequence[str]) -> None:
        for name in columns:
            self.require(name)
        for name, text in self._texts.items():
            text.is_name = name in names
        self._learn_types([name for name in columns if name not in names])

    def _learn_types(self, columns: Sequence[str]) -> None:
        """Find out which columns of text hold numbers."""
        texts = self._texts
        unknown = [c for c in columns if c in texts and not texts[c].kind]
        if not unknown:
            return
        tests = {c: ask_types(texts[c].sql) for c in unknown}
        if not self._is_loaded:  # one look at the files
            every = ", ".join(test for each in tests.values() for test in each)
            (answers,) = self._fetch(f"SELECT {every} FROM {self._votes}")
            found = [answers[i : i + 4] for i in range(0, len(answers), 4)]
        else:
            found = list(self._test_by_column(tests))
        for column, (words, fractions, gaps, codes) in zip(unknown, found, strict=True):
            text = texts[column]
            is_text = words or (words is None and not gaps)
            text.kind = "VARCHAR" if is_text else "DOUBLE" if fractions else "BIGINT"
            text.has_codes, text.has_gaps = bool(codes), bool(gaps) and not is_text
            text.only_gaps = bool(gaps) and words is None
            if text.has_gaps:
                self.gap_texts = tuple(sorted({*self.gap_texts, *gaps}))

    def _test_by_column(
        self, tests: Mapping[str, Sequence[str]]
    ) -> Iterator[tuple[Any, ...]]:
        """The answers to the tests of every column, from its distinct texts.

        They are few, and one query of 900 tests takes DuckDB minutes. Any query of a table
        takes as long as the table is wide, so a few columns at a time are put aside.
        """
        columns = list(tests)
        for start in range(0, len(columns), MAX_COLUMNS_PER_QUERY):
            some, part = columns[start : start + MAX_COLUMNS_PER_QUERY], self._votes
            if len(columns) > MAX_COLUMNS_PER_QUERY:
                listed = ", ".join(map(quote_name, some))
                part = self._create(f"SELECT {listed} FROM {self._votes}")
            for column in some:
                each, name = ", ".join(tests[column]), quote_name(column)
                (answers,) = self._fetch(
                    f"SELECT {each} FROM (SELECT DISTINCT {name} FROM {part})"
                )
                yield answers
            if part != self._votes:
                self._drop(part)

    def keep_codes(self, columns: Sequence[str]) -> None:
        """Leave votes as text if one is not written as numbers are: ``01``, ``1e0``."""
        self._learn_types(columns)
        chosen = [self._texts[c] for c in columns if c in self._texts]
        if any(text.has_codes for text in chosen):
            for text in chosen:
                text.kind = "VARCHAR"
            self.gap_texts = ()

    def _value(self, column: str, read: Sequence[str]) -> str:
        text = self._texts.get(column)
        if text is None:
            return quote_name(column)
        if text.is_name or text.kind in ("", "VARCHAR"):
            return text.sql
        if text.only_gaps:
            others = (
                c for c in read if c not in self._texts or not self._texts[c].only_gaps
            )
            if all(map(self.is_text, others)):
                return text.sql  # "none" may be a class
        cell = null_no_votes(text.sql) if text.has_gaps else text.sql
        return f"CAST({cell} AS {text.kind})"

    # -- writing

    def check_target(self, path: AnyPath, overwrite: bool = False) -> Path:
        """Refuse a path that cannot be written to, before any work is done."""
        kind_of(Path(path))
        return check_output(path, inputs=[self._path], overwrite=overwrite)

    def write(
        self,
        path: AnyPath,
        added: Iterable[Columns],
        keep_order: bool | None = None,
        *,
        overwrite: bool = False,
    ) -> None:
        """Write the labelled table: at `path` is the old file or the new, never a part.

        An input is never replaced. `added` and `keep_order` are as for `labelled`.
        """
        self.check_target(path, overwrite)
        # A row without labels was not counted, and is missing in an inner join.
        joined = self._join(added, keep_order, "inner").to_native()
        replaced = self._replacements(kind_of(Path(path)))
        star = f"* REPLACE ({replaced})" if replaced else "*"
        self._write_rows(path, f"SELECT {star} FROM it", joined)

    def write_beside(
        self,
        path: AnyPath,
        added: Columns,
        *,
        keep: Sequence[str],
        overwrite: bool = False,
    ) -> None:
        """Write the columns `keep`, and beside them arrays in the order of `rows`."""
        refuse_clash(added, keep, exact=False)
        self.check_target(path, overwrite)
        beside = self._create("FROM corral_added", added)
        kept = "".join(f"v.{quote_name(column)}, " for column in keep)
        query = f"SELECT {kept}l.* FROM {self._votes} v POSITIONAL JOIN {beside} l"
        try:
            self._write_rows(path, query)
        finally:
            self._drop(beside)  # a workbench writes many times

    def read_rows(self) -> list[tuple[Any, ...]]:
        """All rows in memory, in their order; cells of text that are numbers as numbers."""
        self._learn_types(self.columns)
        found = self._fetch(f"SELECT {self._typed_cells()} FROM {self._votes}")
        self.n_rows = len(found)
        return found

    def _typed_cells(self) -> str:
        """SQL for all cells of a row, once it is known which are numbers."""
        values = {c: self._value(c, self.columns) for c in self.columns}
        return ", ".join(f"{value} AS {quote_name(c)}" for c, value in values.items())

    def _write_rows(self, path: AnyPath, query: str, it: Any = None) -> None:
        target = Path(path)
        with atomic_write(target, overwrite=True) as draft:
            rows = self._copy(query, it, draft, target)
            if rows != self.n_rows:
                raise SignalsError(
                    f"{self.n_rows:,} rows were read and {rows:,} would be written, so "
                    f"{target.name!r} was not. Did {self._name} change meanwhile, or is it "
                    "damaged?"
                )

    def _copy(self, query: str, it: Any, draft: Path, target: Path) -> int:
        """Write what a query gives, of a relation called ``it``; how many rows it was."""
        import duckdb

        how = f"{WRITERS[kind_of(target)]}, USE_TMP_FILE false"  # the draft is one
        if packed := COMPRESSIONS.get(target.suffix.lower()):
            how += f", COMPRESSION {packed}"
        copy = f"COPY ({query}) TO {quote_text(str(draft))} ({how})"
        size = lambda: draft.stat().st_size / 1e6  # noqa: E731
        try:
            with watch(f"writing {target.name}", size, unit="MB"):
                run = (
                    self._connection.execute if it is None else partial(it.query, "it")
                )
                ((rows,),) = self._work(lambda: run(copy).fetchall())
        except duckdb.Error as error:
            if re.search("CSV Error|CSV Parser|JSON in file", str(error)):
                raise SignalsError(self._explain(error)) from error
            why = str(error).splitlines()[0].replace(str(draft), target.name)
            raise SignalsError(f"cannot write {target.name!r}: {why}") from error
        return int(rows)

    def _replacements(self, kind: str) -> str:
        """SQL for the columns that a file of some kind holds in another form."""
        of_json, to_json = (
            each in (".jsonl", ".ndjson") for each in (self._kind, kind)
        )
        types = dict(zip(self._relation.columns, self._relation.types, strict=True))
        found = {}
        for column, native in types.items():
            name = quote_name(column)
            if to_json and column in self._counted and not of_json:
                found[column] = self._value(column, self._counted)
            elif to_json and str(native) in ("FLOAT", "DOUBLE"):
                found[column] = json_number(name, column)
            elif of_json and not to_json and column in self._texts:
                found[column] = self._texts[column].sql
            elif kind == ".parquet" and column in self._counted:
                found[column] = self._value(column, self._counted)
        found = {c: sql for c, sql in found.items() if sql != quote_name(c)}
        return ", ".join(f"{sql} AS {quote_name(c)}" for c, sql in found.items())


def _connect(memory_limit: str | None, threads: int | None) -> Any:
    import duckdb

    connection = duckdb.connect()
    settings = {
        "enable_progress_bar": True,  # so that it can be asked for
        "enable_progress_bar_print": False,
        "memory_limit": memory_limit,
        "threads": threads,
    }
    for setting, value in settings.items():
        if value is None:
            continue
        try:
            with heed_interrupts():
                connection.execute(f"SET {setting} = ?", [value])
        except duckdb.Error as error:
            raise ParameterError(
                f"cannot be {value!r}: {str(error).splitlines()[0]}", parameter=setting
            ) from error
    return connection


def write_columns(path: AnyPath, columns: Columns, *, overwrite: bool = False) -> None:
    """Write columns in memory as a table, kind by the ending of the path."""
    target, kind = Path(path), kind_of(Path(path))
    corral_added = {
        name: array.astype(object) if array.dtype.kind == "U" else array
        for name, array in columns.items()
    }
    packed = COMPRESSIONS.get(target.suffix.lower())
    how = f"{WRITERS[kind]}{f', COMPRESSION {packed}' if packed else ''}"
    with atomic_write(target, overwrite=overwrite) as draft:
        into = f"COPY (FROM corral_added) TO {quote_text(str(draft))} ({how})"
        assert corral_added
        _connect(None, None).execute(into)
