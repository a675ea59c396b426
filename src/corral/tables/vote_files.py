"""Files of votes of any size, which DuckDB reads, counts, joins and writes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from corral._types import FloatArray
from corral.errors import ParameterError, SignalsError
from corral.progress import watch
from corral.storage.atomic_write import atomic_write, check_output
from corral.tables.column_names import (
    fresh_name,
    refuse_clash,
    twins_of,
    warn_of_missing,
)
from corral.tables.csv_files import (
    LOOKED_AT,
    csv_reader,
    explain_csv_error,
    explain_encoding,
    refuse_data_as_header,
)
from corral.tables.duckdb_table import DuckTable
from corral.tables.json_files import json_reader, json_text
from corral.tables.paths import COMPRESSIONS, find_files, kind_of
from corral.tables.sql import (
    ask_types,
    heed_interrupts,
    make_template,
    null_no_votes,
    quote_files,
    quote_name,
    quote_text,
    write_json_number,
)
from corral.tables.vote_table import Columns

BYTES_PER_CELL = 64
"""Memory allowed for one vote of one pattern, for reading, labeling and joining it."""
LOADED_UP_TO = 1 << 28
"""Bytes of text up to which DuckDB loads it into a table of its own, and parses it once."""
WIDTH = 100
"""Columns of a table that are put aside where all of them would make queries slow."""
WRITERS = {
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".parquet": "FORMAT parquet",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
}


class VoteFiles(DuckTable):
    """A table of votes in one or many files, to be written again with labels.

    Text files do not say what is a number, so of CSV and TSV every column is text; those
    that are read as signals are numbers if all of their cells are.

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
        path: str | os.PathLike[str],
        *,
        memory_limit: str | None = None,
        threads: int | None = None,
    ) -> None:
        import duckdb

        self._path = path
        self._files = find_files(path)
        name = repr(Path(path).name)
        kinds = {kind_of(file) for file in self._files}
        if len(kinds) > 1:
            raise SignalsError(
                f"{name} holds files of different kinds: {', '.join(sorted(kinds))}."
            )
        self._kind = kinds.pop()
        self._connection = duckdb.connect()
        self._thread = ThreadPoolExecutor(1)
        self._set("enable_progress_bar", True)  # so that it can be asked for
        self._set("enable_progress_bar_print", False)  # on standard output
        self._set("memory_limit", memory_limit)
        self._set("threads", threads)
        self._name = name
        votes = fresh_name("votes")
        size = sum(file.stat().st_size for file in self._files)
        loaded = self._kind != ".parquet" and size <= LOADED_UP_TO
        try:
            reader, kept, self._names_of = self._work(
                partial(_read_files, self._connection, self._kind, self._files)
            )
            self._run(
                f"CREATE TEMP {'TABLE' if loaded else 'VIEW'} {votes} AS FROM {reader}"
            )
            relation = self._connection.sql(f"FROM {votes}")
        except duckdb.Error as error:
            raise SignalsError(self._explain(error)) from error
        super().__init__(relation, name, votes)
        self._is_loaded = loaded  # otherwise every query reads the files
        # Columns that are text, and SQL for it.
        self._texts = {column: json_text(make_template(column)) for column in kept}
        self._types: dict[str, str] = {}  # what those hold, once it was found out
        self._codes: set[str] = set()  # those with codes such as 01, or 1 beside 1.0
        self._gaps: set[str] = set()  # those with cells that say "N/A" or the like
        self._only_gaps: set[str] = set()  # those with no others
        # Columns that were grouped as text already: the table of groups, their sizes.
        self._text_groups: tuple[list[str], str, str] | None = None
        if self._kind in (".csv", ".tsv"):
            self._texts = {column: make_template(column) for column in self.columns}
            first = self._fetch(f"FROM {votes} LIMIT {LOOKED_AT}")
            refuse_data_as_header(self.columns, first, name)
        if memory_limit is not None:
            ((taken,),) = self._fetch("SELECT current_setting('memory_limit')")
            number, unit = taken.split()  # such as "1.8 GiB"
            size = int(float(number) * 1024 ** "BKMGT".index(unit[0].upper()))
            self.cells = min(self.cells, size // BYTES_PER_CELL)

    @heed_interrupts()
    def _set(self, setting: str, value: Any) -> None:
        import duckdb

        if value is None:
            return
        try:
            self._connection.execute(f"SET {setting} = ?", [value])
        except duckdb.Error as error:
            raise ParameterError(
                f"cannot be {value!r}: {str(error).splitlines()[0]}", parameter=setting
            ) from error

    # -- queries that can be interrupted --------------------------------------

    def _run(self, query: str, corral_added: Any = None) -> Any:
        def run(corral_added: Any = corral_added) -> Any:  # noqa: ARG001
            return self._connection.execute(query)

        return self._work(run)

    def _work(self, work: Callable[[], Any]) -> Any:
        """Work in the one thread of the table, so that Ctrl-C stops DuckDB at once.

        In the main thread DuckDB 2.0 hears Ctrl-C seconds late, or never, as soon as it
        has threads of its own.
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

    def _explain(self, error: Exception) -> str:
        if self._kind in (".csv", ".tsv"):
            return explain_csv_error(str(error), self._files)
        if "UTF-8" in str(error):
            named = (file for file in self._files if str(file) in str(error))
            return explain_encoding(next(named, self._files[0]))
        said = str(error).splitlines()[0].split(" Try ")[0]
        return f"cannot read {self._name}: {said}"

    # -- types of text --------------------------------------------------------

    def is_text(self, column: str) -> bool:
        self._require(column)
        if column not in self._texts:
            return super().is_text(column)
        self._learn_types(list(self._texts))
        return self._types[column] == "VARCHAR"

    def _learn_types(self, columns: Sequence[str], counted: bool = False) -> None:
        unknown = [c for c in columns if c in self._texts and c not in self._types]
        if not unknown:
            return
        source = self._votes
        if counted:
            size, names = fresh_name("n"), ", ".join(map(quote_name, columns))
            with self._show_counting():
                source = self._create(
                    f"SELECT {names}, count(*) AS {size} FROM {self._source} GROUP BY ALL"
                )
            self._text_groups = list(columns), source, size
        tests = {c: ask_types(self._texts[c].format(v="")) for c in unknown}
        if source == self._votes and not self._is_loaded:
            every = ", ".join(test for each in tests.values() for test in each)
            (found,) = self._fetch(f"SELECT {every} FROM {source}")  # one look at files
        else:
            found = [
                answer
                for each in self._test_by_column(source, tests)
                for answer in each
            ]
        for i, column in enumerate(unknown):
            words, fractions, gaps, codes = found[4 * i : 4 * i + 4]
            if codes:
                self._codes.add(column)
            number = "DOUBLE" if fractions else "BIGINT"
            is_text = words or (words is None and not gaps)
            self._types[column] = "VARCHAR" if is_text else number
            if gaps and words is None:
                self._only_gaps.add(column)
            if gaps and not is_text:
                self._gaps.add(column)
                self.gap_texts = tuple(sorted({*self.gap_texts, *gaps}))

    def keep_codes(self, columns: Sequence[str]) -> None:
        self._learn_types(columns)
        if self._codes.intersection(columns):
            self._types |= {c: "VARCHAR" for c in columns if c in self._texts}
            self.gap_texts = ()

    def _test_by_column(
        self, source: str, tests: Mapping[str, Sequence[str]]
    ) -> Iterator[tuple[Any, ...]]:
        """The answers to the tests of every column, from its distinct texts.

        They are few, and a query of 900 tests takes DuckDB minutes. Any query of a table
        takes as long as the table is wide, so a few columns at a time are put aside.
        """
        columns = list(tests)
        for start in range(0, len(columns), WIDTH):
            some, part = columns[start : start + WIDTH], source
            if len(columns) > WIDTH:
                listed = ", ".join(map(quote_name, some))
                part = self._create(f"SELECT {listed} FROM {source}")
            for column in some:
                each, name = ", ".join(tests[column]), quote_name(column)
                (answers,) = self._fetch(
                    f"SELECT {each} FROM (SELECT DISTINCT {name} FROM {part})"
                )
                yield answers
            if part != source:
                self._drop(part)

    def _value(self, column: str) -> str:
        if column not in self._texts:
            return super()._value(column)
        text, kind = self._texts[column], self._types.get(column, "VARCHAR")
        if column in self._as_written or kind == "VARCHAR":
            return text
        if column in self._only_gaps and not self._counts_numbers():
            return text  # "none" may be a class
        if column in self._gaps:
            text = null_no_votes(text)
        return f"CAST({text} AS {kind})"

    def _counts_numbers(self) -> bool:
        """Whether a column that is counted holds numbers."""
        return any(
            self._types.get(column, "VARCHAR") != "VARCHAR"
            if column in self._texts
            else column in self.columns and not super(VoteFiles, self).is_text(column)
            for column in self._counted
            if column not in self._only_gaps
        )

    def _order(self, name: str, column: str) -> str:
        if column not in self._as_written or column not in self._texts:
            return name
        return f"TRY_CAST({name} AS DOUBLE), {name}"  # 9 before 10

    def _group(self, source: str, size: str) -> str:
        if self._text_groups is None or self._text_groups[0] != list(self._keys):
            return super()._group(source, size)
        _, texts, counts = self._text_groups
        self._text_groups = None
        groups = super()._group(texts, f"sum({counts})::BIGINT")
        self._drop(texts)
        return groups

    # -- counting and writing -------------------------------------------------

    def _count(
        self, columns: Sequence[str], bins: int | None = None, abstain: Any = None
    ) -> FloatArray:
        warn_of_missing(columns, self._names_of, self._name)
        with self._show_counting():
            return super()._count(columns, bins, abstain)

    def _show_counting(self) -> AbstractContextManager[None]:
        total, unit = self._rows_in_parquet(), "rows"
        if total is None:
            total, unit = 100, ""

        def done() -> float:
            return max(0.0, self._connection.query_progress()) / 100 * total

        return watch("counting patterns", done, total, unit)

    def _rows_in_parquet(self) -> int | None:
        """Rows of all files, where the files themselves say so."""
        if self._kind != ".parquet":
            return None
        files = quote_files(self._files)
        query = f"SELECT sum(num_rows) FROM parquet_file_metadata({files})"
        return int(self._fetch(query)[0][0])

    def check_target(
        self, path: str | os.PathLike[str], overwrite: bool = False
    ) -> Path:
        """Refuse a path that cannot be written to, before any work is done."""
        kind_of(Path(path))
        return check_output(path, inputs=[self._path], overwrite=overwrite)

    def write(
        self,
        path: str | os.PathLike[str],
        added: Iterable[Columns],
        keep_order: bool | None = None,
        *,
        overwrite: bool = False,
    ) -> None:
        """Write the labelled table: at `path` is the old file or the new, never a part.

        Parameters
        ----------
        path : path
        added, keep_order
            As for `labelled`.
        overwrite : bool
            Replace a file that is there; an input never is replaced.
        """

        def query(kind: str) -> str:
            checked = map(self._checked, added)
            return self._join_query(checked, keep_order, self._replacements(kind))

        self._write_query(path, query, overwrite)

    def read_rows(self) -> list[tuple[Any, ...]]:
        """All rows in memory, in their order; cells of text that are numbers as numbers."""
        self._learn_types(self.columns)
        found = self._fetch(f"SELECT {self._typed_cells()} FROM {self._votes}")
        self.n_rows = len(found)
        return found

    def _typed_cells(self) -> str:
        """SQL for all cells of a row, once it is known which are numbers."""
        values = {c: self._value(c).format(v="") for c in self.columns}
        return ", ".join(f"{value} AS {quote_name(c)}" for c, value in values.items())

    def write_beside(
        self,
        path: str | os.PathLike[str],
        added: Columns,
        *,
        keep: Sequence[str],
        overwrite: bool = False,
    ) -> None:
        """Write some columns of the table, and columns of one value per row beside them.

        Parameters
        ----------
        path : path
        added : dict
            Arrays by name, in the order of `read_rows`.
        keep : sequence of str
            Columns of the table.
        overwrite : bool
            As for `write`.
        """
        refuse_clash(added, keep, ignore_case=True)
        tables: list[str] = []

        def query(kind: str) -> str:  # noqa: ARG001
            values = {f"a{i}": array for i, array in enumerate(added.values())}
            beside = self._create("FROM corral_added", values)
            tables.append(beside)
            kept = [f"v.{quote_name(column)}" for column in keep]
            named = [f"l.a{i} AS {quote_name(name)}" for i, name in enumerate(added)]
            return (
                f"SELECT {', '.join([*kept, *named])} FROM {self._votes} v "
                f"POSITIONAL JOIN {beside} l"
            )

        try:
            self._write_query(path, query, overwrite)
        finally:
            for table in tables:  # a workbench writes many times
                self._drop(table)

    def _write_query(
        self,
        path: str | os.PathLike[str],
        query: Callable[[str], str],
        overwrite: bool,
    ) -> None:
        """Write what a query gives, which is made for the kind of file that is written."""
        import duckdb

        target = Path(path)
        self.check_target(target, overwrite)
        try:
            with atomic_write(target, overwrite=True) as draft:
                rows = self._copy(query(kind_of(target)), draft, target)
                if rows != self.n_rows:
                    raise SignalsError(
                        f"{self.n_rows:,} rows were read and {rows:,} would be written, so "
                        f"{target.name!r} was not. Did {self._name} change meanwhile?"
                    )
        except duckdb.Error as error:
            raise SignalsError(self._explain(error)) from error

    def _copy(self, table: str, draft: Path, target: Path) -> int:
        """Write what a query gives; how many rows it was."""
        import duckdb

        name, packed = target.name, COMPRESSIONS.get(target.suffix.lower())
        how = (
            f"{WRITERS[kind_of(target)]}, USE_TMP_FILE false"  # `draft` is one already
        )
        if packed:
            how += f", COMPRESSION {packed}"
        try:
            with watch(
                f"writing {name}", lambda: draft.stat().st_size / 1e6, unit="MB"
            ):
                ((rows,),) = self._run(
                    f"COPY ({table}) TO {quote_text(str(draft))} ({how})"
                ).fetchall()
        except duckdb.Error as error:
            if re.search("CSV Error|CSV Parser|JSON in file", str(error)):
                raise SignalsError(self._explain(error)) from error
            why = str(error).splitlines()[0].replace(str(draft), name)
            raise SignalsError(f"cannot write {name!r}: {why}") from error
        return int(rows)

    def _replacements(self, kind: str) -> str:
        """SQL for the columns that a file of some kind holds in another form."""
        replacements = {}
        for column, native in zip(
            self._relation.columns, self._relation.types, strict=True
        ):
            name = f"v.{quote_name(column)}"
            if column not in self.columns:
                continue
            if kind in (".jsonl", ".ndjson"):
                if column in self._counted and self._kind in (".csv", ".tsv"):
                    replacements[column] = self._value(column).format(v="v.")
                elif str(native) in ("FLOAT", "DOUBLE"):
                    replacements[column] = write_json_number(name, column)
            elif self._kind in (".jsonl", ".ndjson") and column in self._texts:
                replacements[column] = self._texts[column].format(v="v.")
            elif kind == ".parquet" and column in self._counted:
                replacements[column] = self._value(column).format(v="v.")
        return ", ".join(f"{sql} AS {quote_name(c)}" for c, sql in replacements.items())


def _read_files(
    connection: Any, kind: str, files: Sequence[Path]
) -> tuple[str, list[str], dict[str, tuple[str, ...]]]:
    """SQL for what files of a kind hold, the columns it has as JSON, and names by file.

    Parameters
    ----------
    connection : DuckDBPyConnection
    kind : str
        The ending, such as ``".csv"``.
    files : sequence of paths

    Returns
    -------
    reader : str
    kept : list of str
        Columns whose values are JSON; only of JSON lines.
    names : dict
        The columns of every file, where they may differ.
    """
    if kind == ".parquet":
        # Columns come from the files, not from the names of folders.
        options = "union_by_name=true, hive_partitioning=false"
        names = _parquet_names(connection, files)
        return f"read_parquet({quote_files(files)}, {options})", [], names
    if kind in (".csv", ".tsv"):
        reader, names = csv_reader(connection, files, "\t" if kind == ".tsv" else None)
        return reader, [], names
    return *json_reader(connection, files), {}


def _parquet_names(
    connection: Any, files: Sequence[Path]
) -> dict[str, tuple[str, ...]]:
    """Names of columns by name of file; refused if two of a file are the same.

    DuckDB would read ``a`` and ``A`` as ``a`` and ``A_1``.
    """
    schema = f"parquet_schema({quote_files(files)})"
    query = f"SELECT file_name, name, num_children FROM {schema}"
    rows = iter(connection.execute(query).fetchall())
    found = {}
    for file, _, size in rows:  # the root of a file; what it holds comes next
        found[file] = names = tuple(_next_name(rows) for _ in range(size or 0))
        if twins := twins_of(names):
            raise SignalsError(
                f"{Path(file).name!r} has two columns named "
                f"{', '.join(map(repr, twins))}; upper and lower case are the same. Give "
                "every column a name of its own."
            )
    return found


def _next_name(rows: Iterator[tuple[str, str, int | None]]) -> str:
    """The next column, past the parts that it has if it is nested."""
    _, name, parts = next(rows)
    for _ in range(parts or 0):
        _next_name(rows)
    return name
