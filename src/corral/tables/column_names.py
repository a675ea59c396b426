"""Names of columns."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from corral.errors import ParameterError, SignalsError, SignalsWarning, warn_user

SHOWN = 3
"""Columns that a warning names."""


def twins_of(names: Iterable[str]) -> list[str]:
    """Names that occur twice, whatever their case."""
    folded = Counter(name.lower() for name in names)
    return sorted(name for name, times in folded.items() if times > 1)


def refuse_twins(names: Iterable[str], engine: str) -> None:
    """Refuse names that are the same to an engine that ignores case."""
    twins = twins_of(names)
    if twins:
        raise SignalsError(
            f"the table has two columns named {', '.join(twins)}; to {engine} upper and "
            "lower case are the same."
        )


def refuse_clash(
    added: Iterable[str], columns: Iterable[str], *, ignore_case: bool = False
) -> None:
    """Refuse names of added columns that the table, or another of them, has already.

    Parameters
    ----------
    added : iterable of str
    columns : iterable of str
        Those of the table.
    ignore_case : bool
        Whether names that differ in upper and lower case only are one.
    """
    names, exact = list(added), set(columns)
    taken = {str(name).lower() for name in exact} if ignore_case else exact
    clash = [n for n in names if (n.lower() if ignore_case else n) in taken]
    if clash:
        same = "" if exact >= set(clash) else " (upper and lower case are the same)"
        raise ParameterError(
            f"the table already has columns named {', '.join(map(repr, clash))}{same}; "
            f"choose another `prefix=`."
        )
    if ignore_case and (twins := twins_of(names)):
        raise SignalsError(
            f"two classes would have the column {twins[0]!r}: upper and lower case are "
            "the same. Rename one of the classes."
        )


def warn_of_missing(
    columns: Iterable[str], names_of: Mapping[str, Iterable[str]], table: str
) -> None:
    """Warn of columns that only some files have: a header may have a typing error.

    Parameters
    ----------
    columns : iterable of str
        Those that are read.
    names_of : mapping
        Names of columns by file; upper and lower case are the same.
    table : str
        What messages call all of the files.
    """
    having = {file: {c.lower() for c in names} for file, names in names_of.items()}
    said = []
    for column in columns:
        without = [
            file for file, names in having.items() if column.lower() not in names
        ]
        if 0 < len(without) < len(having):
            more = f" and {len(without) - 1} more" if len(without) > 1 else ""
            said.append(f"{column!r} is not in {Path(without[0]).name!r}{more}")
    if said:
        more = f"; and {len(said) - SHOWN} more columns" if len(said) > SHOWN else ""
        warn_user(
            f"the files of {table} do not all have the same columns: "
            f"{'; '.join(said[:SHOWN])}{more}. The rows of such a file have no votes "
            "there. If a header has a typing error, correct it.",
            SignalsWarning,
        )


def fresh_name(what: str) -> str:
    """A name that no table of a user has."""
    return f"corral_{what}_{os.urandom(6).hex()}"
