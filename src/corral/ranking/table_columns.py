"""Columns of whatever holds comparisons: distinct rows, and how often each occurs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np

from corral._types import FloatArray
from corral.errors import ParameterError, SignalsError
from corral.io.files import VoteFiles, open_table
from corral.signals.abstains import is_missing
from corral.signals.frames import as_frame, is_frame

POSITIONS = ("a", "b", "winner", "judge", "first")
"""What the columns of an array are."""
SIZE = "corral_size"


class ComparisonTable:
    """A table of any kind.

    Parameters
    ----------
    data : path, data frame, lazy frame, relation, mapping of columns, or array
        The columns of an array are `POSITIONS`, as far as there are so many.

    Attributes
    ----------
    columns : list of str
    is_array : bool
        Columns have no names but those of `POSITIONS`.
    """

    columns: list[str]
    is_array = False

    def __init__(self, data: Any) -> None:
        self._table: Any = None
        self._frame: Any = None
        self._lists: dict[str, Sequence[Any]] = {}
        if isinstance(data, str | PathLike):
            self._table = VoteFiles(data)
        elif isinstance(data, Mapping):
            self._lists = {str(name): values for name, values in data.items()}
        elif (table := open_table(data)) is not None:
            self._table = table
        elif is_frame(data):
            self._frame = as_frame(data)
        else:
            self._lists, self.is_array = _read_array(data), True
        source = self._table or self._frame
        self.columns = list(self._lists if source is None else source.columns)
        sizes = {len(values) for values in self._lists.values()}
        if len(sizes) > 1:
            raise SignalsError(
                "all columns must have equally many values; they have "
                f"{', '.join(map(str, sorted(sizes)))}."
            )

    def require(self, role: str, column: str) -> None:
        """Refuse a column that is not there; `role` is the option that names it."""
        if column not in self.columns:
            raise ParameterError(
                f"is {column!r}, but no column has that name; the table has "
                f"{', '.join(map(repr, self.columns))}.",
                parameter=role,
            )

    def read(
        self, columns: Sequence[str], counts: str | None
    ) -> tuple[dict[str, list[str | None]], FloatArray]:
        """Distinct rows of some columns, as text or None, and how often each occurs.

        Parameters
        ----------
        columns : sequence of str
        counts : str, optional
            A column of numbers that says how often a row occurs.
        """
        wanted = [*columns, counts] if counts else list(columns)
        if self._table is not None:
            found, sizes = self._table.distinct_rows(wanted, columns)
        elif self._frame is not None:
            frame = self._frame.group_by(wanted).agg(nw.len().alias(SIZE))
            found = {name: frame.get_column(name).to_list() for name in wanted}
            sizes = frame.get_column(SIZE).to_numpy()
        else:
            found = {name: self._lists[name] for name in wanted}
            sizes = np.ones(len(found[wanted[0]]))
        if not len(sizes):
            raise SignalsError("the table has no rows.")
        if counts:
            sizes = sizes * _read_counts(counts, found[counts])
        texts = {}
        for name in columns:
            try:
                texts[name] = as_texts(found[name])
            except TypeError as error:
                raise SignalsError(
                    f"column {name!r} must hold texts or numbers, one per row; it holds "
                    "lists, or other objects with parts."
                ) from error
        return texts, sizes.astype(float)


def as_texts(values: Any) -> list[str | None]:
    """Names as text, None where there is none; whole numbers without a point.

    Examples
    --------
    >>> from corral.ranking.table_columns import as_texts
    >>> as_texts(["x", 1, 2.0, None])
    ['x', '1', '2', None]
    """
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    texts: dict[Any, str | None] = {}
    for value in set(listed):
        whole = isinstance(value, float) and value.is_integer()
        texts[value] = (
            None if is_missing(value) else str(int(value) if whole else value)
        )
    return [texts[value] for value in listed]


def _read_counts(column: str, values: Any) -> FloatArray:
    try:
        numbers = np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise SignalsError(f"column {column!r} must hold numbers.") from error
    if not (np.isfinite(numbers) & (numbers >= 0)).all() or not numbers.any():
        raise SignalsError(
            f"column {column!r}, which `counts=` names, must hold numbers that are "
            "not negative, not missing and not all zero."
        )
    return numbers


def _read_array(data: Any) -> dict[str, Sequence[Any]]:
    rows = data.tolist() if isinstance(data, np.ndarray) else list(data)
    if not rows:
        raise SignalsError("the table has no rows.")
    widths = {len(row) if isinstance(row, list | tuple) else 0 for row in rows}
    if len(widths) != 1 or not widths <= set(range(2, len(POSITIONS) + 1)):
        raise SignalsError(
            "an array of comparisons has two to five columns: a, b, winner, judge, and "
            "which was shown first; with two of them, a is the winner. Give a data frame "
            "for others."
        )
    return dict(zip(POSITIONS, map(list, zip(*rows, strict=True)), strict=False))
