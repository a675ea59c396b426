"""The examples behind rows of votes: what they are called, and their texts.

A row without a name is called by what finds it: its position from 0 in memory, as
``labeler.explain`` takes it, and its number from 1 in a file, as ``corral explain`` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from corral._types import IntArray
from corral.io.files import DuckTable
from corral.reports.phrases import cut
from corral.votes.coding import is_missing

LONGEST_TEXT = 300
"""Characters of a text that are shown."""
LONGEST_NAME = 60
"""Characters of the name of a row."""


@dataclass(frozen=True)
class ExampleRow:
    """The name of an example, and its text if there is one."""

    name: str
    text: str | None


class ExampleRows(Protocol):
    """Finds examples by the rows of the votes."""

    def fetch(self, rows: IntArray, times: IntArray) -> list[list[ExampleRow]]:
        """Examples of each of some different rows, in their order: as many as asked for.

        Where a row is one example, one is all there is.
        """


@dataclass(frozen=True, eq=False)
class RowsInMemory:
    """Examples whose names and texts are in memory, if there are any.

    Attributes
    ----------
    names : tuple of sequences
        Columns that name a row; none: its position, from 0.
    texts : sequence or None
    """

    names: tuple[Sequence[Any], ...] = ()
    texts: Sequence[Any] | None = None

    def fetch(self, rows: IntArray, times: IntArray) -> list[list[ExampleRow]]:  # noqa: ARG002
        return [
            [
                ExampleRow(
                    _name([column[row] for column in self.names]) or f"row {row}",
                    None if self.texts is None else _text(self.texts[row]),
                )
            ]
            for row in rows.tolist()
        ]


@dataclass(frozen=True, eq=False)
class RowsInTable:
    """Examples that stay in an engine; only those asked for leave it.

    Attributes
    ----------
    table : DuckTable
        Which the votes were read from.
    names : list of str
        Columns that name a row; none: its number, from 1.
    text : str or None
        The column of texts.
    """

    table: DuckTable
    names: list[str]
    text: str | None

    def fetch(self, rows: IntArray, times: IntArray) -> list[list[ExampleRow]]:
        columns = self.names + ([] if self.text is None else [self.text])
        n = len(self.names)
        examples: list[list[ExampleRow]] = [[] for _ in rows]
        for at, number, *cells in self.table.rows_with(rows, times, columns):
            name = _name(cells[:n]) or f"row {number}"
            text = None if self.text is None else _text(cells[n])
            examples[at].append(ExampleRow(name, text))
        return examples


@dataclass(frozen=True, eq=False)
class RowsInTasks:
    """Examples of a long table, one vote per row; only those asked for leave the engine.

    Attributes
    ----------
    table : DuckTable
    task : str
        The column that names the examples.
    tasks : list or None
        The task of every row of the votes; None: the table knows.
    text : str or None
        The column of texts, the same for all votes on a task.
    """

    table: DuckTable
    task: str
    tasks: list[Any] | None
    text: str | None

    def fetch(self, rows: IntArray, times: IntArray) -> list[list[ExampleRow]]:
        if self.tasks is None:
            names: list[list[Any]] = [[] for _ in rows]
            for at, _, name in self.table.rows_with(rows, times, [self.task]):
                names[at].append(name)
        else:
            names = [[self.tasks[row]] for row in rows.tolist()]
        texts: dict[Any, Any] = {}
        if self.text is not None:
            every = [name for each in names for name in each]
            texts = self.table.find_values(self.task, every, self.text)
        return [
            [ExampleRow(_name([name]), _text(texts.get(str(name)))) for name in each]
            for each in names
        ]


@dataclass(frozen=True)
class RowsUnseen:
    """Examples that cannot be had one by one: only their votes are shown."""

    def fetch(self, rows: IntArray, times: IntArray) -> list[list[ExampleRow]]:  # noqa: ARG002
        return [[ExampleRow(f"votes {row:,}", None)] for row in rows.tolist()]


def _name(values: Sequence[Any]) -> str:
    texts = ("" if _is_missing(value) else str(value) for value in values)
    return cut(" · ".join(texts), LONGEST_NAME)


def _text(value: Any) -> str | None:
    return None if _is_missing(value) else cut(str(value), LONGEST_TEXT)


def _is_missing(value: Any) -> bool:
    """Whether there is no value; NumPy has missing ones of its own, which equal nothing."""
    own = isinstance(value, np.generic) and bool(value != value)
    return own or is_missing(value)
