"""DuckDB relations, and files of votes of any size: counted, joined, written."""

from __future__ import annotations

import atexit
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, clear_overloads
from weakref import finalize

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral._types import IntArray
from corral.errors import SignalsError
from corral.io import scan
from corral.io.lazy import (
    ENGINES,
    ORDERED_UP_TO,
    Columns,
    LazyTable,
    fresh_name,
    refuse_clash,
    refuse_names_twice,
)
from corral.io.scan import quote_files, quote_name, quote_text
from corral.progress import heed_interrupts
from corral.storage import KINDS, AnyPath, atomic_write, find_files, kind_of
from corral.votes.columns import ROWS_LOOKED_AT, stack_columns

LOADED_UP_TO = 1 << 28
"""Bytes of text up to which DuckDB loads it into a table of its own, and parses it once."""
READABLE = (*KINDS, ".json", ".xlsx")  # endings of the files of votes that are read
WRITERS = {
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    # DuckDB keeps Bloom filters of all row groups until a file ends: 1.2 GB for a billion.
    ".parquet": "FORMAT parquet, WRITE_BLOOM_FILTER false",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
}

# Python keeps the overloads of narwhals to its end, and they keep types of DuckDB, which
# then prints them as leaks.
atexit.register(clear_overloads)


# -- relations -----------------------------------------------------------------------


class DuckTable(LazyTable):
    """A DuckDB relation of votes.

    Patterns and labels are temporary tables of its connection, so the relation that
    `labelled` gives lives as long as that does.
    """

    _name = "the relation"

    def __init__(self, relation: Any, run: Callable[[str], Any] | None = None) -> None:
        self._run = partial(relation.query, "corral_rows") if run is None else run
        refuse_names_twice(relation.columns, "DuckDB")
        super().__init__(nw.from_native(relation))

    @property
    def _relation(self) -> Any:
        return self._frame.to_native()

    def _explain(self, error: Exception) -> str:
        return f"DuckDB cannot read {self._name}: {error}"

    def _work(self, work: Callable[[], Any]) -> Any:
        with heed_interrupts():
            return work()

    def _do(self, work: Callable[[], Any]) -> Any:
        """Let DuckDB do some work; messages of its errors name the table."""
        import duckdb

        try:
            return self._work(work)
        except duckdb.Error as error:
            raise SignalsError(self._explain(error)) from error

    def _query(
        self, query: str, corral_added: Columns | None = None, joined: Any = None
    ) -> Any:
        """Query the arrays ``corral_added``, or a relation as ``corral_joined``."""
        run = self._run if joined is None else partial(joined.query, "corral_joined")

        def work(corral_added: Any = corral_added) -> Any:  # noqa: ARG001
            return run(query)  # DuckDB finds the arrays by the name of this variable

        return self._do(work)

    def _create(
        self, query: str, added: Columns | None = None, joined: Any = None
    ) -> str:
        """A temporary table of what a query gives."""
        name = fresh_name("table")
        self._query(f"CREATE TEMP TABLE {name} AS {query}", added, joined)
        return name

    def _fetch(self, query: str, joined: Any = None) -> list[tuple[Any, ...]]:
        found = self._query(query, joined=joined)
        rows: list[tuple[Any, ...]] = self._do(found.fetchall)
        return rows

    # -- what `LazyTable` asks an engine for

    def _fetch_rows(self, frame: nw.LazyFrame[Any]) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._do(frame.to_native().fetchall)
        return rows

    def _fetch_arrays(self, frame: nw.LazyFrame[Any]) -> Columns:
        found = self._do(frame.to_native().fetchnumpy)
        names = frame.collect_schema().names()
        return {name: _fill_gaps(found[name]) for name in names}

    def _keep_patterns(self, groups: nw.LazyFrame[Any]) -> IntArray:
        ordered = groups.sort(*self._keys.values()).to_native()
        self._patterns = self._create("FROM corral_joined", joined=ordered)
        return np.ma.getdata(self._fetch_patterns([self._size])[self._size])

    def _pattern_cells(self, columns: Sequence[str]) -> NDArray[Any]:
        keys = [self._keys[c] for c in columns]
        fetched = self._fetch_patterns(list(map(quote_name, keys)))
        arrays = map(_fill_gaps, fetched.values())
        return stack_columns(dict(zip(columns, arrays, strict=True)))

    def _fetch_patterns(self, columns: Sequence[str]) -> dict[str, Any]:
        # Ordered: with several threads DuckDB returns rows in any order.
        query = f"SELECT {', '.join(columns)} FROM {self._patterns} ORDER BY rowid"
        found: dict[str, Any] = self._do(self._query(query).fetchnumpy)
        return found

    def _attach(self, added: Columns) -> nw.LazyFrame[Any]:
        table = self._create(
            f"SELECT p.* EXCLUDE ({self._size}), a.* EXCLUDE (corral_row) "
            f"FROM {self._patterns} p JOIN corral_added a ON p.rowid = a.corral_row",
            {"corral_row": np.arange(self.n_patterns)} | _without_text_arrays(added),
        )
        return nw.from_native(self._relation.query("corral_rows", f"FROM {table}"))

    def _value(self, column: str, names: Sequence[str]) -> str:  # noqa: ARG002
        """SQL for what a column holds, if it is not one of `names`, which stay text."""
        return quote_name(column)

    def _read_as(
        self, columns: Sequence[str], names: Sequence[str]
    ) -> tuple[nw.LazyFrame[Any], dict[str, str]]:
        super()._read_as(columns, names)
        named, listed = {}, "*"
        for column in columns:
            value = self._value(column, names)
            # narwhals takes a dot in a name for syntax.
            if value != quote_name(column) or not re.fullmatch(r"\w+", column):
                named[column] = fresh_name("key")
                listed += f", {value} AS {named[column]}"
        if not named:
            return self._frame, {}
        return nw.from_native(self._relation.project(listed)), named

    def _number_rows(self, frame: nw.LazyFrame[Any], row: str) -> nw.LazyFrame[Any]:
        numbered = f"*, row_number() OVER () AS {row}"
        return nw.from_native(frame.to_native().project(numbered))

    def _keeps_order(self) -> bool:
        return self.n_rows <= ORDERED_UP_TO

    def labelled(self, added: Columns) -> Any:
        found = super().labelled(added)
        self._query(f"DROP TABLE {self._patterns}")  # the result does not need it
        return found

    def make(self, columns: Columns) -> Any:
        table = self._create("FROM corral_added", _without_text_arrays(columns))
        return self._relation.query("corral_rows", f"FROM {table}")

    def rows_with(
        self, patterns: IntArray, times: IntArray, columns: Sequence[str]
    ) -> list[tuple[Any, ...]]:
        """Different rows with the votes of some patterns, picked as if at random.

        For every pattern, given by its position, as many rows as `times` (p,) says. A row
        is its place in `patterns`, its number (from 1), and the columns asked for.
        """
        at, row = fresh_name("at"), fresh_name("row")
        placed = self._join({at: np.arange(self.n_patterns)}, row=row).to_native()
        places = {"i": np.arange(len(patterns)), "at": patterns, "n": times}
        wanted = self._create("FROM corral_added", places)
        named = "".join(f", j.{quote_name(c)}" for c in columns)
        found = self._fetch(
            f"SELECT w.i, j.{row}{named} FROM corral_joined j "
            f"JOIN {wanted} w ON j.{at} = w.at "
            f"QUALIFY row_number() OVER (PARTITION BY w.i ORDER BY hash(j.{row}), "
            f"j.{row}) <= w.n ORDER BY w.i, j.{row}",
            joined=placed,
        )
        self._query(f"DROP TABLE {wanted}")
        return found


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


def _without_text_arrays(columns: Columns) -> Columns:
    """Columns as DuckDB takes them: text as objects."""
    return {
        name: array.astype(object) if array.dtype.kind == "U" else array
        for name, array in columns.items()
    }


def _fill_gaps(array: NDArray[Any]) -> NDArray[Any]:
    """A masked column of DuckDB as numbers (NaN: missing), else as objects (None)."""
    missing, cells = np.ma.getmaskarray(array), np.ma.getdata(array)
    if array.dtype.kind in "biuf" and not missing.any():
        return cells
    if missing.all():
        return np.full(len(array), np.nan)
    if array.dtype.kind in "iuf":
        return np.where(missing, np.nan, cells.astype(float))
    objects = cells.astype(object)  # also truths, which are not to be 0 and 1
    objects[missing] = None
    return objects


# -- files ---------------------------------------------------------------------------


@dataclass
class TextColumn:
    """A column of text, and what its cells hold, once somebody asked."""

    sql: str  # the text of a cell
    kind: str = ""  # VARCHAR, BIGINT or DOUBLE
    has_codes: bool = False  # a cell is a code such as 01, or 1 stands beside 1.0
    gaps: Sequence[str] = ()  # texts such as "N/A", which are none among numbers
    only_gaps: bool = False


class VoteFiles(DuckTable):
    """A table of votes in one or many files, to be written again with labels.

    Parameters
    ----------
    path : path
        A file, a folder of files or a pattern such as ``votes/*.parquet``: CSV, TSV,
        Parquet, JSON lines or a list in JSON by the ending, text also with ``.gz`` behind;
        or the first sheet of an ``.xlsx``.
    encoding : str, optional
        Of files of text; default UTF-8.
    """

    def __init__(self, path: AnyPath, *, encoding: str | None = None) -> None:
        import duckdb

        self._path = path
        self._name = repr(Path(path).name)
        self._files = [self._readable(file, encoding) for file in find_files(path)]
        kinds = {self._kind_of(file) for file in self._files}
        if len(kinds) > 1:
            raise SignalsError(
                f"{self._name} holds files of different kinds: {', '.join(sorted(kinds))}."
            )
        self._kind = kinds.pop()
        self._thread = ThreadPoolExecutor(1)
        self._connection = duckdb.connect()
        self._run = self._connection.execute
        reader, self._texts = self._do(self._scan)
        size = sum(file.stat().st_size for file in self._files)
        self._is_loaded = self._kind != ".parquet" and size <= LOADED_UP_TO
        what = "TABLE" if self._is_loaded else "VIEW"
        self._query(f"CREATE TEMP {what} it AS FROM {reader}")
        super().__init__(self._connection.sql("FROM it"), self._run)

    def _readable(self, file: Path, encoding: str | None) -> Path:
        """A file as DuckDB reads it: itself, or a copy that goes when this table does."""
        is_book = file.suffix.lower() == ".xlsx"
        if not is_book and (encoding is None or self._kind_of(file) == ".parquet"):
            return file
        folder = mkdtemp(prefix="corral-")
        finalize(self, rmtree, folder, ignore_errors=True)
        if is_book:
            return scan.copy_as_csv(file, folder)
        return scan.copy_as_utf8(file, str(encoding), folder)

    @staticmethod
    def _kind_of(file: Path) -> str:
        return ".jsonl" if file.suffix.lower() == ".json" else kind_of(file)

    def _work(self, work: Callable[[], Any]) -> Any:
        """Work in the one thread of the table, so that Ctrl-C stops DuckDB at once.

        In the main thread DuckDB 2.0 hears Ctrl-C late, or, one time in three, never.
        """
        try:
            return self._thread.submit(work).result()
        except KeyboardInterrupt:
            # Until the thread is idle: an interrupt that comes before the query begins has
            # no effect, and Ctrl-C within `submit` leaves work that nobody holds.
            idle = self._thread.submit(int)
            while not idle.done():
                self._connection.interrupt()
                wait([idle], timeout=0.05)
            raise

    def _explain(self, error: Exception) -> str:
        said = str(error)
        if self._kind in (".csv", ".tsv"):
            return scan.explain_csv(said, self._files)
        named = (file for file in self._files if str(file) in said)
        file = next(named, self._files[0])
        if "UTF-8" in said or "UTF-16" in said:
            return scan.explain_encoding(file)
        return f"cannot read {self._name}: {said.splitlines()[0].split(' Try ')[0]}"

    # -- reading

    def _scan(self) -> tuple[str, dict[str, TextColumn]]:
        """SQL for what the files hold, and the columns of text."""
        if self._kind in (".csv", ".tsv"):
            reader, columns = scan.scan_csv(self._files, self._kind)
            return reader, {c: TextColumn(quote_name(c)) for c in columns}
        if self._kind != ".parquet":
            reader, columns = scan.scan_json(self._connection, self._files)
            texts = {c: scan.json_text(quote_name(c)) for c in columns}
            return reader, {c: TextColumn(text) for c, text in texts.items()}
        # Columns come from the files, not from the names of folders.
        options = "union_by_name=true, hive_partitioning=false"
        return f"read_parquet({quote_files(self._files)}, {options})", {}

    def is_text(self, column: str) -> bool:
        self.require(column)
        if column not in self._texts:
            return super().is_text(column)
        self._learn_types([column])
        return self._texts[column].kind == "VARCHAR"

    def _learn_types(self, columns: Sequence[str]) -> None:
        """Find out which columns of text hold numbers, from their distinct texts."""
        texts = self._texts
        unknown = [c for c in columns if c in texts and not texts[c].kind]
        if not unknown:
            return
        listed = ", ".join(f"{texts[c].sql} AS {quote_name(c)}" for c in unknown)
        found = self._fetch(
            f"SELECT name, {', '.join(scan.ask_types('cell'))} FROM (SELECT DISTINCT name, "
            f"cell FROM (UNPIVOT (SELECT {listed} FROM it) ON COLUMNS(*) INTO NAME name "
            "VALUE cell)) GROUP BY name"
        )
        answers = {name: each for name, *each in found}
        for column in unknown:
            # A column without any text is not among the answers; "N/A" alone is text.
            words, fractions, gaps, codes = answers.get(column, [None] * 4)
            text, is_text = texts[column], words or words is None
            text.kind = "VARCHAR" if is_text else "DOUBLE" if fractions else "BIGINT"
            text.has_codes, text.gaps = bool(codes), gaps or ()
            text.only_gaps = bool(gaps) and words is None

    def keep_codes(self, columns: Sequence[str]) -> None:
        """Leave votes as text if one is not written as numbers are: ``01``, ``1e0``.

        A column of nothing but "N/A" is one of gaps beside numbers, and of text otherwise.
        """
        self._learn_types(columns)
        chosen = [self._texts[c] for c in columns if c in self._texts]
        has_codes = any(text.has_codes for text in chosen)
        has_numbers = not all(map(self.is_text, columns))
        for text in chosen:
            if has_codes:
                text.kind = "VARCHAR"
            elif has_numbers and text.only_gaps:
                text.kind = "BIGINT"

    def gap_texts(self) -> list[str]:
        """Texts that mean no vote in columns of numbers, such as "N/A"."""
        numbers = (t for t in self._texts.values() if t.kind not in ("", "VARCHAR"))
        return sorted({gap for text in numbers for gap in text.gaps})

    def _read_as(
        self, columns: Sequence[str], names: Sequence[str]
    ) -> tuple[nw.LazyFrame[Any], dict[str, str]]:
        self._learn_types([c for c in columns if c not in names])
        return super()._read_as(columns, names)

    def _value(self, column: str, names: Sequence[str] = ()) -> str:
        text = self._texts.get(column)
        if text is None:
            return quote_name(column)
        if column in names or text.kind in ("", "VARCHAR"):
            return text.sql
        cell = scan.null_no_votes(text.sql) if text.gaps else text.sql
        return f"CAST({cell} AS {text.kind})"

    def typed_cells(self) -> str:
        """SQL for all cells of a row of ``it``, as numbers if all of their column are."""
        self._learn_types(self.columns)
        values = {c: self._value(c) for c in self.columns}
        return ", ".join(f"{value} AS {quote_name(c)}" for c, value in values.items())

    def read_rows(self) -> list[tuple[Any, ...]]:
        """All rows in memory, in their order; cells of text that are numbers as numbers."""
        found = self._fetch(f"SELECT {self.typed_cells()} FROM it")
        self.n_rows = len(found)
        return found

    def load(self, text: str) -> Any:
        """Load all rows into ``it``, for all cursors of the connection, which it gives.

        The column `text` is not looked at as a whole: one word proves that it is text.
        """
        self._query("CREATE TABLE corral_loaded AS FROM it")
        self._query(f"DROP {'TABLE' if self._is_loaded else 'VIEW'} it")
        self._query("ALTER TABLE corral_loaded RENAME TO it")
        ((self.n_rows,),) = self._fetch("SELECT count(*) FROM it")
        if text in self._texts:
            words, *_ = scan.ask_types(self._texts[text].sql)
            query = f"SELECT {words} FROM (FROM it LIMIT {ROWS_LOOKED_AT})"
            if self._fetch(query)[0][0]:
                self._texts[text].kind = "VARCHAR"
        return self._connection

    # -- writing

    def write(self, path: AnyPath, added: Columns, *, overwrite: bool = False) -> None:
        """Write the labelled table: at `path` is the old file or the new, never a part.

        An input is never replaced. `added` is as for `labelled`.
        """
        # A row without labels was not counted, and is missing in an inner join.
        joined = self._join(added, "inner").to_native()
        replaced = self._replacements(kind_of(Path(path)))
        star = f"* REPLACE ({replaced})" if replaced else "*"
        self._write(path, f"SELECT {star} FROM corral_joined", joined, overwrite)

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
        beside = self._create("FROM corral_added", _without_text_arrays(added))
        kept = "".join(f"v.{quote_name(column)}, " for column in keep)
        query = f"SELECT {kept}l.* FROM it v POSITIONAL JOIN {beside} l"
        try:
            self._write(path, query, None, overwrite)
        finally:
            self._query(f"DROP TABLE {beside}")  # a workbench writes many times

    def _write(self, path: AnyPath, query: str, joined: Any, overwrite: bool) -> None:
        import duckdb

        target = Path(path)
        run = self._run if joined is None else partial(joined.query, "corral_joined")
        with atomic_write(target, inputs=[self._path], overwrite=overwrite) as draft:
            copy = _copy(query, draft, target)
            try:
                ((rows,),) = self._work(lambda: run(copy).fetchall())
            except duckdb.Error as error:
                if re.search("CSV Error|CSV Parser|JSON in file", str(error)):
                    raise SignalsError(self._explain(error)) from error
                why = str(error).splitlines()[0].replace(str(draft), target.name)
                raise SignalsError(f"cannot write {target.name!r}: {why}") from error
            if rows != self.n_rows:
                raise SignalsError(
                    f"{self.n_rows:,} rows were read and {rows:,} would be written: did "
                    f"{self._name} change meanwhile, or is it damaged?"
                )

    def _replacements(self, kind: str) -> str:
        """SQL for the columns that a file of some kind holds in another form."""
        of_json, to_json = (k in (".jsonl", ".ndjson") for k in (self._kind, kind))
        typed = kind == ".parquet" or (to_json and not of_json)
        types = dict(zip(self._relation.columns, self._relation.types, strict=True))
        found = []
        for column in self.columns:
            sql = name = quote_name(column)
            if of_json and not to_json and column in self._texts:
                sql = self._texts[column].sql
            elif typed and column in self._counted:
                sql = self._value(column)
            elif to_json and str(types[column]) in ("FLOAT", "DOUBLE"):
                sql = scan.json_number(name, column)
            if sql != name:
                found.append(f"{sql} AS {name}")
        return ", ".join(found)


def _copy(query: str, draft: Path, target: Path) -> str:
    """SQL that writes what a query gives; kind and compression are those of `target`."""
    how = f"{WRITERS[kind_of(target)]}, USE_TMP_FILE false"  # the draft is one
    if target.suffix.lower() == ".gz":
        how += ", COMPRESSION gzip"
    return f"COPY ({query}) TO {quote_text(str(draft))} ({how})"


def write_columns(path: AnyPath, columns: Columns, *, overwrite: bool = False) -> None:
    """Write columns in memory as a table, kind by the ending of the path."""
    import duckdb

    corral_added = _without_text_arrays(columns)
    with atomic_write(path, overwrite=overwrite) as draft:
        duckdb.connect().execute(_copy("FROM corral_added", draft, Path(path)))
    del corral_added  # which DuckDB finds by the name of the variable
