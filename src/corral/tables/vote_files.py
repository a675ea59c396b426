"""Files of votes of any size, which DuckDB reads, counts, joins and writes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from corral._types import FloatArray
from corral.checks import check_flag
from corral.errors import ParameterError, SignalsError
from corral.progress import watch
from corral.storage.drafts import draft_of
from corral.tables.column_names import fresh_name, refuse_clash, warn_of_missing
from corral.tables.csv_files import (
    LOOKED_AT,
    explain_csv_error,
    refuse_data_as_header,
)
from corral.tables.duckdb_work import (
    Result,
    heed_interrupts,
    read_size,
    run_interruptibly,
    writer_of,
)
from corral.tables.engine import Columns
from corral.tables.file_readers import read_files
from corral.tables.json_files import json_text
from corral.tables.paths import check_output, find_files, kind_of, watch_files
from corral.tables.spreadsheet_formulas import (
    escape_texts,
    require_csv,
    warn_of_formulas,
)
from corral.tables.sql import (
    make_template,
    quote_files,
    quote_name,
    quote_text,
    write_json_number,
)
from corral.tables.text_columns import TextTable

BYTES_PER_CELL = 64
"""Memory allowed for one vote of one pattern, for reading, labeling and joining it."""
LOADED_UP_TO = 1 << 28
"""Bytes of text up to which DuckDB loads it into a table of its own, and parses it once."""


class VoteFiles(TextTable):
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
    escape_formulas : bool
        Put an apostrophe before texts that a spreadsheet would run, in CSV and TSV.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        memory_limit: str | None = None,
        threads: int | None = None,
        escape_formulas: bool = False,
    ) -> None:
        import duckdb

        check_flag("escape_formulas", escape_formulas)
        self._path, self._escape = path, escape_formulas
        self._files = find_files(path)
        name = repr(Path(path).name)
        self._refuse_changes = watch_files(self._files, name)
        kinds = {kind_of(file) for file in self._files}
        if len(kinds) > 1:
            raise SignalsError(
                f"{name} holds files of different kinds: {', '.join(sorted(kinds))}."
            )
        self._kind = kinds.pop()
        self._connection = duckdb.connect()
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
                partial(read_files, self._connection, self._kind, self._files)
            )
            self._run(
                f"CREATE TEMP {'TABLE' if loaded else 'VIEW'} {votes} AS FROM {reader}"
            )
            relation = self._connection.sql(f"FROM {votes}")
        except duckdb.Error as error:
            raise SignalsError(self._explain(error)) from error
        if loaded:  # from here on the files are not read again
            self._refuse_changes()
        super().__init__(relation, name, votes, is_loaded=loaded)
        self._texts = {column: json_text(make_template(column)) for column in kept}
        if self._kind in (".csv", ".tsv"):
            self._texts = {column: make_template(column) for column in self.columns}
            first = self._fetch(f"FROM {votes} LIMIT {LOOKED_AT}")
            refuse_data_as_header(self.columns, first, name)
        if memory_limit is not None:
            ((taken,),) = self._fetch("SELECT current_setting('memory_limit')")
            self.cells = min(self.cells, read_size(taken) // BYTES_PER_CELL)

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

    def _work(self, work: Callable[[], Result]) -> Result:
        return run_interruptibly(self._connection, work)

    def _explain(self, error: Exception) -> str:
        if self._kind in (".csv", ".tsv"):
            return explain_csv_error(str(error), self._files)
        said = str(error).splitlines()[0].split(" Try ")[0]
        return f"cannot read {self._name}: {said}"

    # -- counting and writing -------------------------------------------------

    def _count(
        self, columns: Sequence[str], bins: int | None = None, abstain: Any = None
    ) -> FloatArray:
        warn_of_missing(columns, self._names_of, self._name)
        with self._show_counting():
            found = super()._count(columns, bins, abstain)
        self._refuse_mixture()
        return found

    def rows_with(self, *given: Any, **options: Any) -> list[Any]:
        found = super().rows_with(*given, **options)
        self._refuse_mixture()
        return found

    def find_values(self, *given: Any, **options: Any) -> dict[Any, Any]:
        found = super().find_values(*given, **options)
        self._refuse_mixture()
        return found

    def _refuse_mixture(self) -> None:
        """Refuse files that have changed since they were opened, if they are read again.

        A report would show rows of one version with labels of another.
        """
        if not self._is_loaded:
            self._refuse_changes()

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
        target = Path(path)
        check_output(target, self._path, self._files, overwrite)
        if self._escape:
            require_csv(target)
        return target

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
            checked: Iterable[Columns] = map(self._checked, added)
            if kind in (".csv", ".tsv") and not self._escape:
                checked = warn_of_formulas(checked)
            return self._join_query(checked, keep_order, self._replacements(kind))

        self._write_query(path, query, overwrite, escape=self._escape)

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
        escape_formulas: bool = False,
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
        escape_formulas : bool
            Even if the table was opened without.
        """
        refuse_clash(added, keep, ignore_case=True)
        escape = self._escape or escape_formulas
        tables: list[str] = []

        def query(kind: str) -> str:
            if kind in (".csv", ".tsv") and not escape:
                list(warn_of_formulas([added]))
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
            self._write_query(path, query, overwrite, escape=escape)
        finally:
            for table in tables:  # a workbench writes many times
                self._drop(table)

    def _write_query(
        self,
        path: str | os.PathLike[str],
        query: Callable[[str], str],
        overwrite: bool,
        *,
        escape: bool,
    ) -> None:
        """Write what a query gives, which is made for the kind of file that is written."""
        import duckdb

        target = self.check_target(path, overwrite)
        kind = kind_of(target)
        try:
            with draft_of(target) as draft:
                made = query(kind)
                if escape:
                    made = escape_texts(made, self._connection.sql(made))
                rows = self._copy(made, writer_of(target), draft, target.name)
                if rows != self.n_rows:
                    raise SignalsError(
                        f"{self.n_rows:,} rows were read and {rows:,} would be written, so "
                        f"{target.name!r} was not. Did {self._name} change meanwhile?"
                    )
                self._refuse_mixture()
        except duckdb.Error as error:
            raise SignalsError(self._explain(error)) from error
        except OSError as error:
            said = f"cannot write {target.name!r}: {error.strerror}."
            raise SignalsError(said) from error

    def _copy(self, table: str, writer: str, draft: Path, name: str) -> int:
        """Write what a query gives; how many rows it was."""
        import duckdb

        # DuckDB would write to a file of its own, on which `draft_of` holds no lock.
        how = f"{writer}, USE_TMP_FILE false"
        try:
            with watch(
                f"writing {name}", lambda: draft.stat().st_size / 1e6, unit="MB"
            ):
                ((rows,),) = self._run(
                    f"COPY ({table}) TO {quote_text(str(draft))} ({how})"
                ).fetchall()
        except duckdb.Error as error:
            self._refuse_mixture()  # which would explain it
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
