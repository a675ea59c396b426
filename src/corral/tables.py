"""Files of votes: read, label and write with DuckDB, which corral always has."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.errors import SignalsError

# No guessing of booleans and dates: "yes" is a class, and text stays as it was.
_TYPES = "auto_type_candidates=['BIGINT', 'DOUBLE', 'VARCHAR']"
READERS = {
    ".csv": f"read_csv(?, {_TYPES})",
    ".tsv": f"read_csv(?, {_TYPES}, delim='\t')",
    ".parquet": "read_parquet(?)",
    ".jsonl": "read_json(?, format='newline_delimited')",
    ".ndjson": "read_json(?, format='newline_delimited')",
}
WRITERS = {
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".parquet": "FORMAT parquet",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
}


class VoteFile:
    """A table of votes in a file, to be written again with labels beside it.

    Parameters
    ----------
    path : path
        CSV, TSV, Parquet or JSON lines, by its ending.

    Attributes
    ----------
    columns : list of str
    n_rows : int
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        import duckdb

        source = Path(path)
        reader = _by_ending(source, READERS)
        if not source.is_file():
            raise SignalsError(f"there is no file {str(source)!r}.")
        self._connection = duckdb.connect()
        try:
            self._connection.execute(
                # Escaped: the name of one file, not a pattern of names.
                f"CREATE TABLE votes AS FROM {reader}",
                [glob.escape(str(source))],
            )
        except duckdb.Error as error:
            raise SignalsError(f"cannot read {source.name!r}: {error}") from error
        described = self._connection.execute("DESCRIBE votes").fetchall()
        self.columns: list[str] = [row[0] for row in described]
        counted = self._connection.execute("SELECT count(*) FROM votes").fetchall()
        self.n_rows = int(counted[0][0])
        if not self.n_rows:
            raise SignalsError(f"{source.name!r} has no rows.")

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
        chosen = []
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

    def matrix(self, columns: Sequence[str]) -> NDArray[Any]:
        """Columns as one array (n, m): numbers (NULL: NaN) or text (NULL: None)."""
        listed = ", ".join(_quoted(name) for name in columns)
        fetched = self._connection.execute(f"SELECT {listed} FROM votes").fetchnumpy()
        arrays = [fetched[name] for name in columns]
        kinds = {
            name: _kind(array)
            for name, array in zip(columns, arrays, strict=True)
            if not np.ma.getmaskarray(array).all()
        }
        if len(set(kinds.values())) > 1 or "other" in kinds.values():
            listed = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
            raise SignalsError(
                "signal columns must be all numbers or all text; choose them with "
                f"--signals. They are {listed}."
            )
        if "text" in kinds.values():
            return np.column_stack([_objects(array) for array in arrays])
        return np.column_stack([_numbers(array) for array in arrays])

    def write(
        self, path: str | os.PathLike[str], added: dict[str, NDArray[Any]]
    ) -> None:
        """Write all columns and the added ones; the old file or the new, never half."""
        import duckdb

        target = Path(path)
        writer = _by_ending(target, WRITERS)
        if not target.parent.is_dir():
            raise SignalsError(f"there is no folder {str(target.parent)!r}.")
        for name, values in added.items():
            if len(values) != self.n_rows:
                raise SignalsError(
                    f"column {name!r} has {len(values)} values for {self.n_rows} rows."
                )
            if name.lower() in {column.lower() for column in self.columns}:
                raise SignalsError(f"the file already has a column {name!r}.")
        draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
        quoted = str(draft).replace("'", "''")
        try:
            self._connection.register("added", added)
            self._connection.execute(
                f"COPY (FROM votes POSITIONAL JOIN added) TO '{quoted}' ({writer})"
            )
            draft.replace(target)
        except (duckdb.Error, OSError) as error:
            raise SignalsError(f"cannot write {target.name!r}: {error}") from error
        finally:
            draft.unlink(missing_ok=True)


def _by_ending(path: Path, known: dict[str, str]) -> str:
    if path.suffix.lower() not in known:
        raise SignalsError(
            f"cannot tell what kind of file {path.name!r} is; its name must end in "
            f"{', '.join(known)}."
        )
    return known[path.suffix.lower()]


def _kind(array: NDArray[Any]) -> str:
    if array.dtype.kind in "biuf":
        return "numbers"
    return "text" if array.dtype.kind in "OU" else "other"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


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
