"""Columns that are not votes: ids, texts, dates and true labels.

Only columns that nobody chose are looked at. All that are found are refused at once, with
the option that leaves them out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Number
from typing import Any

from corral.errors import SignalsError
from corral.votes.coding import is_no_vote, normalise_text

ROWS_LOOKED_AT = 1_000
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


def refuse_other_columns(
    columns: Mapping[Any, Iterable[Any]], classes: Sequence[Any] | None = None
) -> None:
    """Refuse columns that are not votes, by their names and their first rows.

    Parameters
    ----------
    columns : mapping of columns by name
        Those that nobody chose.
    classes : sequence, optional
        All classes. A column with no other values holds votes, unless it is named like
        true labels.

    Examples
    --------
    >>> from corral.votes.other_columns import refuse_other_columns
    >>> table = {"item": ["q1", "q2", "q3"], "a": ["x", "y", "x"], "b": ["x", "x", "y"]}
    >>> refuse_other_columns(table)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    corral.errors.SignalsError: these columns are not votes: 'item' (texts ...
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
    other = {}
    for name, seen in values.items():
        texts = [value for value in seen if isinstance(value, str)]
        once = len(seen) == votes[name].total() > 1
        alone = sum(owners[value] == 1 for value in seen) if len(columns) > 1 else 0
        own = alone == len(seen)
        full = votes[name] == cells[name]
        whole = not any(isinstance(value, float) for value in seen)
        many = len(seen) >= MIN_IDS or _ID.fullmatch(str(name))
        if plain[name] in _TRUTH:
            other[name] = "named like true labels"
        elif seen <= known:
            continue
        elif any(len(text) > MAX_CHARACTERS for text in texts):
            other[name] = "long texts"
        elif len(texts) == len(seen) and all(map(_DATE.fullmatch, texts)):
            other[name] = "dates or times"
        elif once and many and whole:
            other[name] = "another value in every row"
        elif own and len(texts) >= (MIN_TEXTS if full else MANY_TEXTS):
            other[name] = "texts that no other column has"
        elif whole and alone >= max(MIN_IDS, 0.9 * len(seen)):
            other[name] = f"{len(seen)} values, which other columns do not have"
    advice = (
        "If every row is one vote, name its columns with `task=`, "
        "`worker=` and `label=`."
    )
    choose = (
        "choose the columns of votes with `signals=` or, before `fit`, with "
        "`df[['a', 'b']]`"
    )
    if all(any(re.fullmatch(part, name) for name in plain.values()) for part in _LONG):
        raise SignalsError(
            "the columns are named like those of a table with one vote per row. "
            f"{advice} If not, {choose}."
        )
    if other:
        listed = ", ".join(f"{name!r} ({why})" for name, why in other.items())
        raise SignalsError(
            f"these columns are not votes: {listed}. Leave them out with "
            f"`id={list(other)!r}`, or {choose}. True labels go to "
            f"`corral.compare` or `corral.panel`. {advice}"
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
