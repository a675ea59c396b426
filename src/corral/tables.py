"""Files of votes: counted, labelled and written by DuckDB, which corral always has.

The distinct rows of votes are counted in the engine, labelled in memory, and joined back
in the engine. Rows never pass through Python, so files may be larger than memory.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.errors import ParameterError, SignalsError

# No guessing of booleans and dates: "yes" is a class, and text stays as it was.
_CSV = "auto_type_candidates=['BIGINT', 'DOUBLE', 'VARCHAR'], union_by_name=true"
READERS = {
    ".csv": f"read_csv({{files}}, {_CSV}, sample_size={{sample}})",
    ".tsv": f"read_csv({{files}}, {_CSV}, sample_size={{sample}}, delim='\t')",
    ".parquet": "read_parquet({files}, union_by_name=true)",
    ".jsonl": "read_json({files}, format='newline_delimited', union_by_name=true)",
    ".ndjson": "read_json({files}, format='newline_delimited', union_by_name=true)",
}
WRITERS = {
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".parquet": "FORMAT parquet",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
}
COMPRESSIONS = {".gz": ", COMPRESSION gzip", ".zst": ", COMPRESSION zstd"}
ORDERED_UP_TO = 5_000_000
"""Rows up to which the order of rows is kept unless asked not to."""
LOOKED_AT, FEWEST = 10_000, 50
"""Rows looked at for ids among the signals, and how many it takes to tell."""
SNIFF_WHOLE = 1 << 28
"""Bytes of text up to which every row is looked at to tell numbers from words."""


class VoteFiles:
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

    Attributes
    ----------
    columns : list of str
    n_rows : int
        Known after `count`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        memory_limit: str | None = None,
        threads: int | None = None,
    ) -> None:
        import duckdb

        self._name = Path(path).name
        files = _find(path)
        ending = {_ending(file, READERS) for file in files}
        if len(ending) > 1:
            raise SignalsError(
                f"{self._name!r} holds files of different kinds: "
                f"{', '.join(sorted(ending))}."
            )
        size = sum(file.stat().st_size for file in files)
        reader = READERS[ending.pop()].format(
            # Escaped: these are names, not patterns.
            files=f"[{', '.join(_text(glob.escape(str(file))) for file in files)}]",
            sample=-1 if size <= SNIFF_WHOLE else 1_000_000,
        )
        self._connection = duckdb.connect()
        self._set("enable_progress_bar", False)  # it would go to standard output
        self._set("memory_limit", memory_limit)
        self._set("threads", threads)
        self._run(f"CREATE TEMP VIEW votes AS FROM {reader}", "read")
        described = self._run("DESCRIBE votes", "read").fetchall()
        self.columns: list[str] = [row[0] for row in described]
        if not self._run("SELECT 1 FROM votes LIMIT 1", "read").fetchall():
            raise SignalsError(f"{self._name!r} has no rows.")
        self.n_rows = 0
        self._counted: list[str] = []
        self._n_patterns = 0

    def _set(self, setting: str, value: Any) -> None:
        import duckdb

        if value is None:
            return
        try:
            self._connection.execute(f"SET {setting} = ?", [value])
        except duckdb.Error as error:
            raise ParameterError(
                f"{setting} cannot be {value!r}: {str(error).splitlines()[0]}"
            ) from error

    def _run(self, query: str, doing: str) -> Any:
        import duckdb

        try:
            return self._connection.execute(query)
        except duckdb.Error as error:
            raise SignalsError(f"cannot {doing} {self._name!r}: {error}") from error

    def choose(
        self, patterns: Sequence[str] | None, id_column: str | None
    ) -> list[str]:
        """Signal columns: those that match a pattern, or all but the id."""
        if id_column is not None and id_column not in self.columns:
            raise SignalsError(
                f"no column named {id_column!r}; the file has "
                f"{', '.join(map(repr, self.columns))}."
            )
        if not patterns:
            return [name for name in self.columns if name != id_column]
        chosen: list[str] = []
        for pattern in patterns:
            found = [name for name in self.columns if name == pattern]
            found = found or [c for c in self.columns if fnmatchcase(c, pattern)]
            if not found:
                raise SignalsError(
                    f"no column matches {pattern!r}; the file has "
                    f"{', '.join(map(repr, self.columns))}."
                )
            chosen += [name for name in found if name not in chosen]
        return chosen

    def count(self, columns: Sequence[str]) -> tuple[NDArray[Any], FloatArray]:
        """The distinct rows of some columns, and how often each occurs.

        Returns
        -------
        votes : (p, m) array
            Numbers (NULL: NaN) or text (NULL: None).
        counts : (p,) array of float
        """
        self._refuse_ids(columns)
        self._counted = list(columns)
        listed = ", ".join(f"{_quoted(c)} AS c{i}" for i, c in enumerate(columns))
        self._run(
            "CREATE OR REPLACE TEMP TABLE patterns AS "
            f"SELECT {listed}, count(*) AS n FROM votes GROUP BY ALL",
            "read",
        )
        fetched = self._run("FROM patterns", "read").fetchnumpy()
        counts = np.ma.getdata(fetched["n"]).astype(float)
        self.n_rows, self._n_patterns = int(counts.sum()), len(counts)
        arrays = {c: fetched[f"c{i}"] for i, c in enumerate(columns)}
        kinds = {
            name: _kind(array)
            for name, array in arrays.items()
            if not np.ma.getmaskarray(array).all()
        }
        if len(set(kinds.values())) > 1 or "other" in kinds.values():
            described = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
            raise SignalsError(
                "signal columns must be all numbers or all text; choose them with "
                f"--signals. They are {described}."
            )
        whole = _objects if "text" in kinds.values() else _numbers
        return np.column_stack([whole(array) for array in arrays.values()]), counts

    def _refuse_ids(self, columns: Sequence[str]) -> None:
        """Stop before counting a column that has a new value in nearly every row."""
        listed = ", ".join(f"count(DISTINCT {_quoted(c)})" for c in columns)
        first = f"(FROM votes LIMIT {LOOKED_AT})"
        found = self._run(f"SELECT count(*), {listed} FROM {first}", "read").fetchall()
        n, *distinct = found[0]
        for name, different in zip(columns, distinct, strict=True):
            if n >= FEWEST and different > n / 2:
                raise SignalsError(
                    f"column {name!r} has another value in nearly every row, so it is "
                    "no signal. Name it as the id, or choose the signals: --id and "
                    "--signals, id= and signals= in Python."
                )

    def write(
        self,
        path: str | os.PathLike[str],
        added: dict[str, NDArray[Any]],
        keep_order: bool | None = None,
    ) -> None:
        """Write all columns and those added a pattern; the old file or the new.

        Parameters
        ----------
        path : path
        added : dict of (p,) arrays
            In the order of the rows that `count` gave.
        keep_order : bool, optional
            Write the rows in the order they were read. It takes a sort, so the default
            is to do it up to five million rows.
        """
        import duckdb

        target = Path(path)
        writer = WRITERS[_ending(target, WRITERS)]
        writer += COMPRESSIONS.get(target.suffix.lower(), "")
        if not target.parent.is_dir():
            raise SignalsError(f"there is no folder {str(target.parent)!r}.")
        taken = {column.lower() for column in self.columns}
        for name, array in added.items():
            if name.lower() in taken:
                raise SignalsError(f"the file already has a column {name!r}.")
            if len(array) != self._n_patterns:
                raise SignalsError(
                    f"column {name!r} has {len(array)} values for {self._n_patterns} "
                    "patterns."
                )
        values = {f"a{i}": array for i, array in enumerate(added.values())}
        named = ", ".join(f"l.a{i} AS {_quoted(c)}" for i, c in enumerate(added))
        same = " AND ".join(
            f"v.{_quoted(c)} IS NOT DISTINCT FROM l.c{i}"
            for i, c in enumerate(self._counted)
        )
        draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
        try:
            self._connection.register("added", values)
            self._connection.execute(
                "CREATE OR REPLACE TEMP TABLE labels AS "
                "FROM patterns POSITIONAL JOIN added"
            )
            if keep_order is None:
                keep_order = self.n_rows <= ORDERED_UP_TO
            source, rest, order = "votes", "", ""
            if keep_order:
                row = _quoted(f"row {os.urandom(8).hex()}")  # no user has this column
                source = f"(SELECT *, row_number() OVER () AS {row} FROM votes)"
                rest, order = f" EXCLUDE ({row})", f" ORDER BY v.{row}"
            # A left join: the small table is then the one that is looked up.
            self._connection.execute(
                f"COPY (SELECT v.*{rest}, {named} FROM {source} v LEFT JOIN labels l "
                f"ON {same}{order}) TO {_text(str(draft))} ({writer})"
            )
            draft.replace(target)
        except (duckdb.Error, OSError) as error:
            raise SignalsError(f"cannot write {target.name!r}: {error}") from error
        finally:
            draft.unlink(missing_ok=True)


def _find(path: str | os.PathLike[str]) -> list[Path]:
    """The files that a path, a folder or a pattern of names stands for."""
    source = Path(path)
    if source.is_file():
        return [source]
    if source.is_dir():
        files = [
            file
            for file in sorted(source.iterdir())
            if file.is_file() and not file.name.startswith((".", "_"))
        ]
    else:
        found = sorted(glob.glob(str(source), recursive=True))
        files = [file for file in map(Path, found) if file.is_file()]
    if not files:
        raise SignalsError(f"there is no file {str(source)!r}.")
    return files


def _ending(path: Path, known: dict[str, str]) -> str:
    """The kind of a file by its name, whatever it is compressed with."""
    plain = path
    if path.suffix.lower() in COMPRESSIONS:
        plain = path.with_suffix("")
    ending = plain.suffix.lower()
    if ending not in known or (plain is not path and ending == ".parquet"):
        raise SignalsError(
            f"cannot tell what kind of file {path.name!r} is; its name must end in "
            f"{', '.join(known)}."
        )
    return ending


def _kind(array: NDArray[Any]) -> str:
    if array.dtype.kind in "biuf":
        return "numbers"
    return "text" if array.dtype.kind in "OU" else "other"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _objects(array: Any) -> NDArray[Any]:
    column = np.array(np.ma.getdata(array), dtype=object)
    column[np.ma.getmaskarray(array)] = None
    return column


def _numbers(array: Any) -> NDArray[Any]:
    if not np.ma.is_masked(array):
        return np.ma.getdata(array)
    if array.dtype.kind not in "biuf":
        return np.full(len(array), np.nan)
    return np.ma.filled(array.astype(float), np.nan)
