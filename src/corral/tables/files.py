"""Files of votes, of any size: DuckDB reads, counts, joins and writes them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from corral._types import FloatArray
from corral.errors import ParameterError, SignalsError
from corral.progress import watched
from corral.tables.base import Columns
from corral.tables.duck import DuckTable

# No guessing of booleans and dates: "yes" is a class, and text stays as it was.
_CSV = "auto_type_candidates=['BIGINT', 'DOUBLE', 'VARCHAR'], {all}"
_JSON = "format='newline_delimited', {all}"
# Columns come from the files, not from the names of folders.
_ALL = "union_by_name=true, hive_partitioning=false"
READERS = {
    ".csv": f"read_csv({{files}}, {_CSV}, sample_size={{sample}})",
    ".tsv": f"read_csv({{files}}, {_CSV}, sample_size={{sample}}, delim='\t')",
    ".parquet": "read_parquet({files}, {all})",
    ".jsonl": f"read_json({{files}}, {_JSON}, sample_size={{sample}})",
    ".ndjson": f"read_json({{files}}, {_JSON}, sample_size={{sample}})",
}
WRITERS = {
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".parquet": "FORMAT parquet",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
}
COMPRESSIONS = {".gz": ", COMPRESSION gzip", ".zst": ", COMPRESSION zstd"}
BYTES_A_CELL = 64
"""Memory allowed for one vote of one pattern, for reading, labeling and joining it."""
SNIFF_WHOLE = 1 << 28
"""Bytes of text up to which every row is looked at to tell numbers from words."""


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
        path: str | os.PathLike[str],
        *,
        memory_limit: str | None = None,
        threads: int | None = None,
    ) -> None:
        import duckdb

        name = repr(Path(path).name)
        files = _find(path)
        endings = {_ending(file, READERS) for file in files}
        if len(endings) > 1:
            raise SignalsError(
                f"{name} holds files of different kinds: {', '.join(sorted(endings))}."
            )
        ending = endings.pop()
        size = sum(file.stat().st_size for file in files)
        reader = READERS[ending].format(
            files=_listed(files),
            sample=-1 if size <= SNIFF_WHOLE else 1_000_000,
            all=_ALL,
        )
        self._connection = duckdb.connect()
        self._set("enable_progress_bar", True)  # so that it can be asked for
        self._set("enable_progress_bar_print", False)  # on standard output
        self._set("memory_limit", memory_limit)
        self._set("threads", threads)
        try:
            if ending != ".parquet" and size <= SNIFF_WHOLE:
                # Read once: to tell numbers from words takes a look at every row.
                self._connection.execute(f"CREATE TEMP TABLE text AS FROM {reader}")
                reader = "text"
            relation = self._connection.sql(f"FROM {reader}")
        except duckdb.Error as error:
            raise SignalsError(f"cannot read {name}: {error}") from error
        _refuse_ragged(relation.columns, name)
        super().__init__(relation, name)
        self._files = files
        if memory_limit is not None:
            ((taken,),) = self._rows("SELECT current_setting('memory_limit')")
            self.cells = min(self.cells, _bytes(taken) // BYTES_A_CELL)

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

    def _count(
        self, columns: Sequence[str], bins: int | None = None, abstain: Any = None
    ) -> FloatArray:
        total, unit = self._rows_in_parquet(), "rows"
        if total is None:
            total, unit = 100, ""

        def done() -> float:
            return max(0.0, self._connection.query_progress()) / 100 * total

        with watched("counting patterns", done, total, unit):
            return super()._count(columns, bins, abstain)

    def _rows_in_parquet(self) -> int | None:
        """Rows of all files, where the files themselves say so."""
        if _ending(self._files[0], READERS) != ".parquet":
            return None
        query = (
            f"SELECT sum(num_rows) FROM parquet_file_metadata({_listed(self._files)})"
        )
        return int(self._rows(query)[0][0])

    @staticmethod
    def check_target(path: str | os.PathLike[str]) -> Path:
        """Refuse a path that cannot be written to, before any work is done."""
        target = Path(path)
        _ending(target, WRITERS)
        if not target.parent.is_dir():
            raise SignalsError(f"there is no folder {str(target.parent)!r}.")
        return target

    def write(
        self,
        path: str | os.PathLike[str],
        added: Iterable[Columns],
        keep_order: bool | None = None,
    ) -> None:
        """Write the labelled table: at `path` is the old file or the new, never a part.

        Parameters
        ----------
        path : path
        added, keep_order
            As for `labelled`.
        """
        import duckdb

        target = self.check_target(path)
        writer = WRITERS[_ending(target, WRITERS)]
        writer += COMPRESSIONS.get(target.suffix.lower(), "")
        draft = target.with_name(f".{target.name}.{uuid4().hex}.draft")
        try:
            table = self._joined(map(self._checked, added), keep_order)

            def written() -> float:
                return draft.stat().st_size / 1e6 if draft.exists() else 0

            with watched(f"writing {target.name}", written, unit="MB"):
                self._run(f"COPY ({table}) TO {_text(str(draft))} ({writer})")
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


def _bytes(size: str) -> int:
    """What DuckDB calls ``"1.8 GiB"``."""
    number, unit = size.split()
    return int(float(number) * 1024 ** ("BKMGT".index(unit[0].upper())))


def _refuse_ragged(columns: list[str], name: str) -> None:
    """A table that DuckDB takes for a single column, because its lines differ."""
    if len(columns) == 1 and any(mark in columns[0] for mark in ",;|\t"):
        raise SignalsError(
            f"{name} is read as a single column, {columns[0]!r}: its lines do not have "
            "the same number of fields, or the quotes do not match."
        )


def _listed(files: list[Path]) -> str:
    """Names of files in SQL, escaped: they are no patterns."""
    return f"[{', '.join(_text(glob.escape(str(file))) for file in files)}]"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
