"""Votes that are sets of classes: what annotators of multi-label tasks write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.errors import SignalsError
from corral.votes.coding import class_list, is_missing, is_no_vote


def parse_set(cell: Any, separator: str) -> tuple[Any, ...] | None:
    """The classes in a cell; None if it is missing.

    Parameters
    ----------
    cell : str, list, number or None
        ``"film; song"``, ``'["film", "song"]'``, a list, or one class. A separator alone,
        or an empty list, is the empty set.
    separator : str

    Examples
    --------
    >>> from corral.votes.label_sets import parse_set
    >>> parse_set("film; song", ";"), parse_set('["film"]', ";"), parse_set(";", ";")
    (('film', 'song'), ('film',), ())
    >>> parse_set("", ";") is None
    True
    """
    if isinstance(cell, list | tuple | set | frozenset | np.ndarray):
        return tuple(dict.fromkeys(np.asarray(list(cell), object).tolist()))
    if is_missing(cell) or (isinstance(cell, str) and is_no_vote(cell)):
        return None
    if not isinstance(cell, str):
        return (cell,)
    text = cell.strip()
    if text.startswith("[") and text.endswith("]"):
        try:
            return parse_set(json.loads(text), separator)
        except ValueError:
            pass
    named = (part.strip() for part in text.split(separator))
    return tuple(dict.fromkeys(part for part in named if part))


def find_set_classes(
    sets: Iterable[tuple[Any, ...] | None], classes: Sequence[Any] | None
) -> list[Any]:
    """All classes in order: those given, or those that are in any set, sorted."""
    given = class_list(classes)
    named = dict.fromkeys(c for each in sets for c in each or ())
    if given is not None:
        unknown = [c for c in named if c not in given]
        if unknown:
            raise SignalsError(
                f"the votes name {unknown[0]!r}, which is not among the classes {given}. "
                f"Name every class with `classes=`."
            )
        return given
    if len({isinstance(c, str) for c in named}) > 1:
        raise SignalsError(
            f"classes must be all text or all numbers; the votes name {list(named)[:8]}."
        )
    if len(named) < 2:
        raise SignalsError(
            f"the votes name {list(named) or 'no class'}; a multi-label task has at least "
            f"two classes. Name them all with `classes=`."
        )
    return sorted(named)


def indicate(
    sets: Sequence[tuple[Any, ...] | None], classes: Sequence[Any]
) -> FloatArray:
    """(n, k) one for the classes of every set, else zero; NaN where there is no set.

    Examples
    --------
    >>> from corral.votes.label_sets import indicate
    >>> indicate([("a",), None, ()], ["a", "b"]).tolist()
    [[1.0, 0.0], [nan, nan], [0.0, 0.0]]
    """
    place = {value: k for k, value in enumerate(classes)}
    table = np.zeros((len(sets), len(place)))
    for row, each in enumerate(sets):
        if each is None:
            table[row] = np.nan
        else:
            try:
                table[row, [place[value] for value in each]] = 1
            except KeyError as error:
                raise SignalsError(
                    f"{error.args[0]!r} is none of the classes {list(classes)}."
                ) from error
    return table


def read_sets(
    votes: Any, classes: Sequence[Any] | None, separator: str
) -> tuple[FloatArray, list[Any]]:
    """One-vs-rest votes (m, n, k) of cells (n, m) that hold sets, and the classes."""
    rows = [list(row) for row in votes]
    sizes = {len(row) for row in rows}
    if len(sizes) != 1 or not min(sizes):
        raise SignalsError(
            "sets of classes are given as rows of equal length, one cell per signal; rows "
            f"of {sorted(sizes)} cells came."
        )
    sets = [[parse_set(cell, separator) for cell in row] for row in rows]
    values = find_set_classes((each for row in sets for each in row), classes)
    columns: list[NDArray[Any]] = [
        indicate(column, values) for column in zip(*sets, strict=True)
    ]
    return np.stack(columns), values
