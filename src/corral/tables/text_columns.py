"""Tables in DuckDB whose columns are text until it is known which hold numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from corral.tables.column_names import fresh_name
from corral.tables.duckdb_table import DuckTable
from corral.tables.sql import ask_types, null_no_votes, quote_name

WIDTH = 100
"""Columns of a table that are put aside where all of them would make queries slow."""


class TextTable(DuckTable):
    """A relation with columns of text, which are numbers if all of their cells are.

    Parameters
    ----------
    relation, name, votes
        As for `DuckTable`.
    is_loaded : bool
        Whether the relation is a table in memory. Otherwise every query reads its files.
    """

    def __init__(
        self, relation: Any, name: str, votes: str, *, is_loaded: bool
    ) -> None:
        super().__init__(relation, name, votes)
        self._is_loaded = is_loaded
        self._texts: dict[str, str] = {}  # columns that are text, and SQL for it
        self._types: dict[str, str] = {}  # what those hold, once it was found out
        self._gaps: set[str] = set()  # those with cells that say "N/A" or the like
        self._only_gaps: set[str] = set()  # those with no others
        # Columns that were grouped as text already: the table of groups, their sizes.
        self._text_groups: tuple[list[str], str, str] | None = None

    def _show_counting(self) -> AbstractContextManager[None]:
        """Show how far the counting of patterns is, where that can be known."""
        return nullcontext()

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
            words, fractions, gaps = found[3 * i : 3 * i + 3]
            number = "DOUBLE" if fractions else "BIGINT"
            is_text = words or (words is None and not gaps)
            self._types[column] = "VARCHAR" if is_text else number
            if gaps and words is None:
                self._only_gaps.add(column)
            if gaps and not is_text:
                self._gaps.add(column)
                self.gap_texts = tuple(sorted({*self.gap_texts, *gaps}))

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
            else column in self.columns and not super(TextTable, self).is_text(column)
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
