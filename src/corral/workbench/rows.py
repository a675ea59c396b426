"""The rows of a file in memory, in DuckDB: read once, numbered from 0 in their order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from corral._types import IntArray
from corral.errors import ParameterError, SignalsError
from corral.io.files import VoteFiles
from corral.io.lazy import fresh_name
from corral.io.scan import quote_name
from corral.progress import progress
from corral.workbench.project import Rule, require

ROWS = "corral_rows"
"""The view of all rows; `ROW` numbers them."""
ROW = fresh_name("row")
ROWS_PER_BLOCK = 10_000
"""Rows that are fetched together."""
TEXT_TEST = (
    "avg(({0} LIKE '_% _% _%')::INT) > 0.5 AND 2 * count(DISTINCT {0}) > count({0})"
)
"""Of texts: most have three words or more, and few are equal."""
ROWS_LOOKED_AT = 1000
"""First rows, in which the column with the texts is sought."""
MAX_VALUES = 50
"""Different values of a column that may be votes."""


class RowStore:
    """All rows of a file, as `corral apply` reads it; `text` is the column with texts."""

    def __init__(self, path: str | os.PathLike[str], text: str | None = None) -> None:
        self.path = Path(path)
        files = VoteFiles(path)
        self.columns = list(files.columns)
        self._any = f"one of the columns {', '.join(map(repr, self.columns))}"
        require(text is None or text in self.columns, "text", self._any, text)
        self.connection = files.load(text or "")
        own = any(name.lower() == "rowid" for name in self.columns)
        number = "row_number() OVER () - 1" if own else "rowid"
        cells = f"{number} AS {ROW}, {files.typed_cells()}"
        self.connection.execute(f"CREATE VIEW {ROWS} AS SELECT {cells} FROM it")
        self._files, self._writing = files, Lock()
        kinds = {name: kind for name, kind, *_ in self.fetch(f"DESCRIBE {ROWS}")}
        words = [name for name, kind in kinds.items() if kind == "VARCHAR"]
        self.text = text = self._find_texts(words) if text is None else text
        if kinds[text] != "VARCHAR":
            raise SignalsError(
                f"column {text!r} of {self.path.name!r} holds {kinds[text]}, not texts. "
                "Name another column, or write its cells as words."
            )
        self.n_rows: int = files.n_rows
        self._quoted = {column: quote_name(column) for column in self.columns}

    def _find_texts(self, columns: list[str]) -> str:
        """The column with the texts, of those that do not hold numbers."""
        found = columns
        if len(columns) > 1:
            tests = ", ".join(TEXT_TEST.format(quote_name(c)) for c in columns)
            query = f"SELECT {tests} FROM (FROM {ROWS} LIMIT {ROWS_LOOKED_AT})"
            answers = zip(columns, self.fetch(query)[0], strict=True)
            found = [column for column, is_text in answers if is_text]
        if len(found) != 1 and "text" in columns:
            found = ["text"]
        if len(found) != 1:
            named = ", ".join(map(repr, found or self.columns))
            raise ParameterError(
                f"must name the column with the texts: one of {named}.",
                parameter="text",
            )
        return found[0]

    def fetch(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows that a query finds."""
        with self.connection.cursor() as cursor:
            found: list[tuple[Any, ...]] = cursor.execute(query, [*values]).fetchall()
        return found

    def texts(self) -> Iterator[list[str | None]]:
        """All texts in their order, a block at a time."""
        query = (
            f"SELECT {self._quoted[self.text]} FROM {ROWS} "
            f"WHERE {ROW} >= ? AND {ROW} < ? ORDER BY {ROW}"
        )
        with progress(f"reading {self.path.name}", self.n_rows, "rows") as bar:
            for start in range(0, self.n_rows, ROWS_PER_BLOCK):
                stop = min(start + ROWS_PER_BLOCK, self.n_rows)
                yield [text for (text,) in self.fetch(query, [start, stop])]
                bar.reach(stop)

    def texts_of(self, rows: IntArray) -> list[str | None]:
        """The texts of some rows, in the order asked for."""
        return [row[0] for row in self.cells_of(rows, [self.text])]

    def cells_of(self, rows: IntArray, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """Cells of some rows, in the order asked for."""
        listed = ", ".join(self._quoted[c] for c in columns)
        asked = [int(row) for row in rows]
        found = self.fetch(
            f"SELECT {ROW}, {listed} FROM {ROWS} WHERE {ROW} IN "
            "(SELECT unnest(?::BIGINT[]))",
            [asked],
        )
        by_row = {row: cells for row, *cells in found}
        return [tuple(by_row[row]) for row in asked]

    def all_rows(self) -> list[dict[str, Any]]:
        """Every row as a mapping, for functions of Python."""
        listed = ", ".join(self._quoted.values())
        found = self.fetch(f"SELECT {listed} FROM {ROWS} ORDER BY {ROW}")
        return [dict(zip(self.columns, cells, strict=True)) for cells in found]

    def check_column(self, rule: Rule) -> None:
        """Refuse votes of a column that is not there."""
        if rule.kind == "column":
            require(rule.column in self.columns, "column", self._any, rule.column)

    def value_positions(self, column: str, values: Sequence[str]) -> IntArray:
        """(n,) the position of every cell of a column in `values`, -1 for other cells."""
        at = f"list_position(?::VARCHAR[], {self._quoted[column]}::VARCHAR)"
        query = f"SELECT {at} AS v FROM {ROWS} ORDER BY {ROW}"
        with self.connection.cursor() as cursor:
            found: Any = cursor.execute(query, [[*values]]).fetchnumpy()["v"]
        return np.ma.filled(found, 0).astype(np.int64) - 1

    def few_values(self) -> dict[str, dict[str, int]]:
        """Columns with at most `MAX_VALUES` different values: how many rows have each."""
        found = {}
        for column in self.columns:
            cell = f"{self._quoted[column]}::VARCHAR"
            query = (
                f"SELECT {cell}, count(*) FROM {ROWS} WHERE {cell} <> '' "
                f"GROUP BY {cell} ORDER BY 2 DESC, 1 LIMIT {MAX_VALUES + 1}"
            )
            counts = dict(self.fetch(query)) if column != self.text else {}
            if 0 < len(counts) <= min(MAX_VALUES, self.n_rows - 1):
                found[column] = counts
        return found

    def write_beside(self, path: str | os.PathLike[str], added: dict[str, Any]) -> None:
        """Write all rows, with columns (n,) beside them; those of the data keep names."""
        taken = {name.lower() for name in self.columns}
        added = {
            f"corral_{name}" if name.lower() in taken else name: column
            for name, column in added.items()
        }
        with self._writing:
            self._files.write_beside(path, added, keep=self.columns, overwrite=True)

    def describe(self) -> dict[str, Any]:
        """How a project file names its rows; the hash is of all texts."""
        digest = blake2b(digest_size=16)
        for text in (text for block in self.texts() for text in block):
            given = b"\xff" if text is None else text.encode("utf-8", "surrogatepass")
            digest.update(blake2b(given, digest_size=8).hexdigest().encode())
        about = {"name": self.path.name, "rows": self.n_rows, "text": self.text}
        return about | {"hash": digest.hexdigest()}
