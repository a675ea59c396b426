"""Columns that are not votes: ids, texts, dates and true labels.

Only columns that nobody chose are looked at. What cannot be a vote is left out, with a
note. What could be either is refused, all at once, with the option that decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Number
from typing import Any

from corral.errors import SignalsError, SignalsWarning, warn_user
from corral.votes.coding import is_no_vote, normalise_text

ROWS_LOOKED_AT = 1_000
IDS, TEXTS, DATES = "another value in every row", "long texts", "dates or times"
MIN_IDS = 50
"""So many values, each of them once, are more than a task has classes."""
MIN_TEXTS = 3
"""So many texts of its own in a full column: two rules may vote for a class each."""
MANY_TEXTS = 10
"""So many in a column with gaps, as comments have."""
MAX_CHARACTERS = 100
"""Of the name of a class; whatever is longer is a text."""

_ID = re.compile(r"(.*[_ -])?id|index|column0|unnamed: 0|", re.IGNORECASE)
_TRUTH = {
    *("gold", "truth", "groundtruth", "human", "humanrating", "y", "ytrue"),
    *("label", "labels", "truelabel", "truelabels", "goldlabel", "goldlabels"),
    *("humanlabel", "handlabel", "handlabelrow", "expertlabel", "target", "targets"),
}
"""What people call true labels, in lowercase, without blanks and underscores."""
_DATE = re.compile(
    r"(\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{4})([t ].*)?|\d\d?:\d\d(:\d\d.*)?"
)
_LONG = (
    r"(task|item|question|example|document|doc|unit)s?(id)?",
    r"(worker|annotator|rater|judge|performer|user|coder)s?(id)?",
    r"(label|answer|vote|response|annotation|rating|judgement)s?",
)
"""What people call the three columns of a table with one vote per row."""


def sort_columns(
    columns: Mapping[Any, Iterable[Any]], classes: Sequence[Any] | None = None
) -> dict[Any, str]:
    """Find the columns that are not votes, by their names and their first rows.

    Parameters
    ----------
    columns : mapping of columns by name
        Those that nobody chose.
    classes : sequence, optional
        All classes. A column with no other values holds votes, unless it is named like
        true labels.

    Returns
    -------
    dict
        Columns that cannot be votes, and what they are: `IDS`, `TEXTS` or `DATES`.
        Columns that may be votes or something else are refused, all at once.

    Examples
    --------
    >>> from corral.votes.other_columns import sort_columns
    >>> sort_columns({"id": [1, 2, 3], "a": [0, 1, 0], "b": [0, 1, 1]})
    {'id': 'another value in every row'}
    """
    plain = {name: re.sub(r"[\W_]+", "", str(name).lower()) for name in columns}
    cells = {
        name: Counter(c if isinstance(c, Hashable) else str(c) for c in column)
        for name, column in columns.items()
    }
    votes = {
        name: Counter({v: n for v, n in found.items() if not is_no_vote(v)})
        for name, found in cells.items()
    }
    values = {name: set(map(_read_value, found)) for name, found in votes.items()}
    owners = Counter(value for seen in values.values() for value in seen)
    known = set(map(_read_value, classes or ()))
    aside, unclear = {}, {}
    for name, seen in values.items():
        texts = [value for value in seen if isinstance(value, str)]
        once = len(seen) == votes[name].total() > 1
        whole = not any(isinstance(value, float) for value in seen)
        full = votes[name] == cells[name]
        alone = len(columns) > 1 and all(owners[value] == 1 for value in seen)
        others = len(owners) - sum(owners[value] == 1 for value in seen)
        if plain[name] in _TRUTH:
            unclear[name] = "named like true labels"
        elif seen <= known:
            continue
        elif any(len(text) > MAX_CHARACTERS for text in texts):
            aside[name] = TEXTS
        elif len(texts) == len(seen) > 0 and all(map(_DATE.fullmatch, texts)):
            aside[name] = DATES
        elif once and whole and (len(seen) >= MIN_IDS or _ID.fullmatch(str(name))):
            aside[name] = IDS
        elif alone and len(texts) >= (MIN_TEXTS if full else MANY_TEXTS):
            unclear[name] = "texts that no other column has"
        elif (
            len(columns) > 1
            and whole
            and len(seen) >= MIN_IDS
            and others < len(seen) / 2
        ):
            unclear[name] = f"{len(seen)} values, where all other columns have {others}"
    long = (
        "If every row is one vote, name its columns with `task=`, `worker=` and "
        "`label=`."
    )
    choose = (
        "choose the columns of votes with `signals=` or, before fit, with "
        "df[['a', 'b']]"
    )
    if all(any(re.fullmatch(part, name) for name in plain.values()) for part in _LONG):
        raise SignalsError(
            "the columns are named like those of a table with one vote per row. "
            f"{long} If not, {choose}."
        )
    if unclear:
        listed = ", ".join(f"{name!r} ({why})" for name, why in unclear.items())
        raise SignalsError(
            f"these columns may be votes or something else: {listed}. Leave them out with "
            f"`id={list(unclear)!r}`, or {choose}. True labels go to corral.compare or "
            f"corral.panel. {long}"
        )
    if len(aside) == len(columns):
        listed = ", ".join(f"{name!r} ({why})" for name, why in aside.items())
        raise SignalsError(f"no column holds votes: {listed}. If one does, {choose}.")
    return aside


def warn_of_others(aside: Mapping[Any, str]) -> None:
    """Say which columns were left out without being asked to."""
    if aside:
        listed = ", ".join(f"{name!r} ({why})" for name, why in aside.items())
        warn_user(
            f"these columns were not read as votes: {listed}. Say so with "
            f"`id={list(aside)!r}`, or choose the columns of votes with `signals=`.",
            SignalsWarning,
        )


def _read_value(value: Any) -> Any:
    """A value that is equal where it means the same: "1.0" and 1, "Pos " and "pos"."""
    if isinstance(value, str):
        value = normalise_text(value)
        try:
            value = float(value)
        except ValueError:
            return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, Number) else str(value)
