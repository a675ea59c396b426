"""True labels in a file of their own: read, and joined to the rows that they are of.

A file of gold has a column of labels and columns that name rows of the table: those that
both have, the name of a task, or ``row``, the number of a row from 1. All other columns
that both have must then agree, lest the rows were sorted since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.errors import SignalsError, SignalsWarning, warn_user
from corral.io.files import VoteFiles
from corral.io.lazy import LazyTable
from corral.votes.coding import as_number, is_missing, is_no_vote
from corral.votes.columns import ID, ROW, is_truth

LABELS = ("label", "gold")
"""What the column of labels is called; else as true labels are, or it is the only other."""
COUNTERS = ("", "column0", "unnamed: 0")
"""What pandas, or reading its files, calls a column that only numbers rows."""

Key = tuple[str, ...]


class Gold:
    """Labels of a file, by what the columns `keys` of the table have in their rows.

    `columns` are the columns of the table, and in the end those of them that are keys;
    `ids` those that name rows, if that is known. `numbered`: a row's number may name it.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        columns: Sequence[Any],
        ids: Sequence[Any],
        encoding: str | None = None,
        *,
        classes: Sequence[Any] | None = None,
        numbered: bool = True,
    ) -> None:
        self.name, self._numbered = Path(path).name, numbered
        try:
            table = VoteFiles(path)
        except SignalsError:  # the votes may have been written elsewhere
            if encoding is None:
                raise
            table = VoteFiles(path, encoding=encoding)
        label = self._label_column(table.columns, columns)
        others = [name for name in table.columns if name != label]
        self.keys, named = self._choose_keys(others, columns, ids)
        self.columns = [key for key in self.keys if key in columns]
        read = table.rows([*named, label], names=[*named, label])
        self.labels: dict[Key, Any] = {}
        listed = {*map(as_name, classes or ())} - {""}
        self._empty = self._lost = 0
        for *cells, value in zip(*read.values(), strict=True):
            key = tuple(map(as_name, cells))
            empty = is_no_vote(value) and as_name(value) not in listed
            if empty or not (key[0] if self.keys[0] == ROW else all(key)):
                self._empty += 1
            elif self.labels.setdefault(key, value) != value:
                raise SignalsError(
                    f"{self.name!r} has two labels of one row, {self._say(key)}: "
                    f"{self.labels[key]!r} and {value!r}. Keep one."
                )
        if not self.labels:
            raise SignalsError(f"{self.name!r} has no label in its column {label!r}.")

    def _label_column(self, there: Sequence[str], columns: Sequence[Any]) -> str:
        named = [n for n in there if n.strip().lower() in LABELS or is_truth(n)]
        named = named or [name for name in there if name not in (*columns, ROW)]
        if len(there) == len(named) == 2:
            named = named[1:]  # names of rows and labels, both called otherwise
        if len(named) == 1:
            return named[0]
        raise SignalsError(
            f"{self.name!r} needs one column of true labels, called label; it has "
            f"{', '.join(map(repr, there))}."
        )

    def _choose_keys(
        self, there: Sequence[str], columns: Sequence[Any], ids: Sequence[Any]
    ) -> tuple[list[Any], list[str]]:
        """The columns of the table that tell its rows, and what the file calls them."""
        shared = [name for name in there if name in columns]
        shared = [n for n in shared if n.lower() not in COUNTERS] or shared
        told = [name for name in shared if name in ids]
        found = told or [name for name in shared if ID.fullmatch(name)][:1]
        if not found and self._numbered and ROW in there and ROW not in columns:
            return [ROW, *shared], [ROW, *shared]
        if found or shared:
            return found or shared, found or shared
        if len(there) == len(ids) == 1:
            return list(ids), list(there)
        raise SignalsError(
            f"{self.name!r} must name rows of the table, by a column that both have or by "
            f"{ROW!r}, their number from 1. It has {', '.join(map(repr, there))}; the "
            f"table has {', '.join(map(repr, columns))}."
        )

    def _say(self, key: Key) -> str:
        return ", ".join(f"{n}={v!r:.60}" for n, v in zip(self.keys, key, strict=True))

    def look_up(self, columns: Mapping[Any, Any], n: int) -> NDArray[Any]:
        """The label of each of `n` rows that are in memory, None where unknown."""
        numbered = {ROW: range(1, n + 1), **columns}
        names = (map(as_name, numbered[key]) for key in self.keys)
        found = list(zip(*names, strict=True))
        self._check(Counter(found))
        return np.array([self.labels.get(key) for key in found], object)

    def join(self, table: LazyTable, is_text: bool) -> str:
        """Join the labels to a table whose rows are in their engine; the new column."""
        labels = [as_vote(value, is_text) for value in self.labels.values()]
        column, times = table.join_labels(self.keys, list(self.labels), labels)
        self._check(dict(zip(self.labels, times, strict=True)))
        return column

    def _check(self, times: Mapping[Key, int]) -> None:
        """Refuse labels of several rows; `times` is how many rows every key names."""
        several = [key for key in self.labels if times.get(key, 0) > 1]
        lost = [key for key in self.labels if not times.get(key, 0)]
        if several:
            raise SignalsError(
                f"labels of {self.name!r} that name several rows: {len(several):,}, as "
                f"{self._say(several[0])}. Name rows by a column in which every row has "
                f"another value (`id=`), or by {ROW!r}, their number from 1."
            )
        self._lost = len(lost)
        if lost and self.keys[0] == ROW and len(self.keys) > 1:
            raise SignalsError(
                f"rows of {self.name!r} that are others in the table: {len(lost):,}, such "
                f"as {self._say(lost[0])}. If the table was sorted or changed since, name "
                f"rows by a column with another value in every row (`id=`)."
            )
        if len(lost) == len(self.labels):
            raise SignalsError(
                f"no row of {self.name!r} is in the table, such as {self._say(lost[0])}."
            )
        if lost:
            warn_user(
                f"labels of {self.name!r} that name no row of the table were left out: "
                f"{len(lost):,}, such as {self._say(lost[0])}.",
                SignalsWarning,
            )

    def __str__(self) -> str:
        empty = f" ({self._empty:,} without a label)" if self._empty else ""
        by = ", ".join(map(str, self.keys))
        return f"{len(self.labels) - self._lost:,} of {self.name}, by {by}{empty}"


def names_columns(gold: Sequence[str], votes: Any) -> bool:
    """Whether texts are names of columns, of several people; not a label per row."""
    shape = getattr(votes, "shape", (None,))
    n = len(votes) if isinstance(votes, list | tuple) else shape[0]
    named: Any = getattr(votes, "column_names", None) or getattr(votes, "columns", ())
    return len(gold) != n or not set(gold).isdisjoint(named)


def as_name(value: Any) -> str:
    """What a row is called, as text; 7, 7.0 and "7" are one name."""
    if is_missing(value):
        return ""
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if whole else str(value)


def as_vote(value: Any, is_text: bool) -> Any:
    """A true label in the type of the votes."""
    if is_text:
        return as_name(value)
    truths = {"true": True, "false": False}
    text = str(value).lower()
    return truths[text] if text in truths else as_number("gold", value)
