"""Votes that are sets of classes: what annotators of multi-label tasks write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.errors import SignalsError
from corral.votes.coding import class_list, is_missing, is_no_vote

Set = tuple[Any, ...] | None


def parse_set(cell: Any, separator: str) -> Set:
    """The classes in a cell: a list, text such as "film; song", or one class."""
    if isinstance(cell, list | tuple | set | frozenset | np.ndarray):
        return tuple(dict.fromkeys(np.asarray(list(cell), object).tolist()))
    if is_missing(cell) or (isinstance(cell, str) and is_no_vote(cell)):
        return None
    if not isinstance(cell, str):
        return (cell,)
    text = cell.strip()
    if text.startswith("[") and text.endswith("]"):
        with suppress(ValueError):
            return parse_set(json.loads(text), separator)
    named = (part.strip() for part in text.split(separator))
    return tuple(dict.fromkeys(part for part in named if part))


def indicate(sets: Sequence[Set], classes: Sequence[Any]) -> FloatArray:
    """(n, k) one for the classes of every set, else zero; NaN where a set is missing."""
    place = {value: k for k, value in enumerate(classes)}
    table = np.zeros((len(sets), len(place)))
    for row, each in enumerate(sets):
        unknown = [value for value in each or () if value not in place]
        if unknown:
            raise SignalsError(
                f"{unknown[0]!r} is not among the classes {list(classes)}; name all."
            )
        table[row, [place[value] for value in each or ()]] = 1
        if each is None:
            table[row] = np.nan
    return table


def read_sets(
    votes: Any, classes: Sequence[Any] | None, separator: str
) -> tuple[FloatArray, list[Any]]:
    """One-vs-rest votes (m, n, k) of cells (n, m) that hold sets, and the classes."""
    rows = [[parse_set(cell, separator) for cell in row] for row in votes]
    if len({len(row) for row in rows}) != 1 or not rows[0]:
        raise SignalsError("sets need rows of equal length: one cell per signal.")
    values = class_list(classes) or []
    if not values:
        found = {value for row in rows for each in row for value in each or ()}
        if len(found) < 2:
            raise SignalsError(
                f"the sets name the classes {list(found)}; at least two are needed."
            )
        values = sorted(found, key=lambda v: (str(type(v)), v))
    columns = [indicate(sets, values) for sets in zip(*rows, strict=True)]
    return np.stack(columns), values
