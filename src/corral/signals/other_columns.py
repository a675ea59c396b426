"""Columns that are no signals: ids, texts, and tables with one vote per row.

Read as votes, every id would be a class of its own. The first rows are enough to tell, so
this costs next to nothing, however large a table is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.errors import SignalsError
from corral.signals.abstains import is_no_vote

ROWS_LOOKED_AT = 10_000
FEWEST_ROWS = 50
"""With fewer rows, many different values in a column are no surprise."""
LONGEST_NAME = 100
"""Characters of a class name; anything longer is a text."""
MOST_CLASSES, FEWEST_VOTES = 1000, 5
"""More classes than this, or more than a tenth of it with fewer votes each, are none."""

WORKERS = {"worker", "annotator", "rater", "judge", "performer", "user", "coder"}
ANSWERS = {"label", "answer", "vote", "response", "annotation", "rating", "judgement"}
"""What people call the columns of a table with one vote per row."""

_LONG = (
    "If every row is one vote, name its columns with `task=`, `worker=` and `label=` "
    "(`WeakSignals.from_long`)"
)
_CHOOSE = "leave it out with `id=` or choose the columns with `signals=`"
_CLASSES = "list all classes in `classes=` if these are classes"


def refuse_long_names(names: Sequence[str]) -> None:
    """Refuse columns whose names say that every row is one vote of one worker."""
    plain = {_singular(name): name for name in names}
    worker = [plain[name] for name in WORKERS if name in plain]
    answer = [plain[name] for name in ANSWERS if name in plain]
    if worker and answer:
        raise SignalsError(
            f"columns {worker[0]!r} and {answer[0]!r} look like those of a table with "
            f"one vote per row, not with one column per signal. {_LONG}; or choose the "
            "columns with `signals=`."
        )


def _singular(name: str) -> str:
    """``Worker_ID`` and ``workers`` as ``worker``."""
    return str(name).lower().removesuffix("id").rstrip("_ ").removesuffix("s")


def refuse_other_columns(
    votes: NDArray[Any] | Mapping[str, Any], names: Sequence[str] | None = None
) -> None:
    """Refuse what is no table of votes, by the first rows of it.

    Parameters
    ----------
    votes : (n, m) array, or columns by name
    names : sequence of str, optional
        Of the columns of an array.

    Examples
    --------
    >>> from corral.signals.other_columns import refuse_other_columns
    >>> table = {"item": ["q1", "q2", "q3"], "a": ["x", "y", "x"], "b": ["x", "x", "y"]}
    >>> refuse_other_columns(table)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    corral.errors.SignalsError: column 'item' shares no value with another column ...
    """
    named = names is not None or not isinstance(votes, np.ndarray)
    if isinstance(votes, np.ndarray):
        head = votes[:ROWS_LOOKED_AT]
        if _are_few(head):
            return
        titles = names or [str(j) for j in range(head.shape[1])]
        columns = dict(zip(titles, head.T.tolist(), strict=True))
    else:
        columns = {c: np.asarray(v, object).tolist() for c, v in votes.items()}
    counted = {name: _count_values(column) for name, column in columns.items()}
    n_rows = len(next(iter(columns.values())))
    _refuse_texts(counted)
    if n_rows >= FEWEST_ROWS:
        _refuse_ids(counted, n_rows)
        _refuse_long_shape(columns, counted, n_rows)
    if named or n_rows >= FEWEST_ROWS:
        _refuse_unshared(counted, n_rows)
    _refuse_many(counted)


def _are_few(head: NDArray[Any]) -> bool:
    """Whether numbers are so few that nothing can be wrong with them."""
    if head.dtype.kind not in "biuf" or not head.size:
        return False
    known = head[~np.isnan(head)] if head.dtype.kind == "f" else head
    if not known.size or (known != np.rint(known)).any():
        return True  # nothing, or probabilities: refused with other words
    return float(known.max()) - float(known.min()) <= 3


def _count_values(column: list[Any]) -> Counter[Any]:
    """How often the values of a column occur, without those that mean no vote."""
    try:
        counted = Counter(column)
    except TypeError:  # lists in cells are refused where votes are coded
        return Counter()
    silent = [value for value in counted if is_no_vote(value) or value in (-1, "-1")]
    for value in silent:
        del counted[value]
    return counted


def _refuse_texts(counted: dict[str, Counter[Any]]) -> None:
    for name, values in counted.items():
        longest = max((v for v in values if isinstance(v, str)), key=len, default="")
        if len(longest) > LONGEST_NAME:
            raise SignalsError(
                f"column {name!r} holds texts ({longest[:40]!r}...), so it is no signal: "
                f"{_CHOOSE}."
            )


def _refuse_ids(counted: dict[str, Counter[Any]], n_rows: int) -> None:
    for name, values in counted.items():
        if len(values) > n_rows / 2:
            raise SignalsError(
                f"column {name!r} has another value in nearly every row, so it is no "
                f"signal: {_CHOOSE}; probabilities need `probabilities=True`. {_LONG}; "
                f"{_CLASSES}."
            )


def _refuse_long_shape(
    columns: dict[str, list[Any]], counted: dict[str, Counter[Any]], n_rows: int
) -> None:
    """Two columns whose pairs never repeat are the task and the worker of a vote."""
    widest = sorted(columns, key=lambda name: -len(counted[name]))[:5]
    if len(columns) < 3:
        return
    for first, second in combinations(widest, 2):
        if len(counted[first]) * len(counted[second]) < n_rows:
            continue
        pairs = zip(columns[first], columns[second], strict=True)
        if len(set(pairs)) == n_rows:
            raise SignalsError(
                f"columns {first!r} and {second!r} never have the same two values twice, "
                f"as if every row were one vote. {_LONG}; {_CLASSES}."
            )


def _refuse_unshared(counted: dict[str, Counter[Any]], n_rows: int) -> None:
    """A column that speaks of other things than all others."""
    columns_with = Counter(value for values in counted.values() for value in values)
    # Two rules that vote for one class each share nothing, either.
    fewest = 2 if n_rows >= FEWEST_ROWS and len(counted) > 2 else 3
    if len(counted) < 2:
        return
    by_size = sorted(counted.items(), key=lambda item: -len(item[1]))
    for name, values in by_size:
        own = [value for value in values if columns_with[value] == 1]
        alone = len(own) == len(values) >= fewest
        # Numbers such as prices share a few values with any column of 0 and 1.
        rare = len(values) >= 20 and values.total() < FEWEST_VOTES * len(values)
        if alone or (rare and len(own) > 0.9 * len(values)):
            shown = ", ".join(map(repr, own[:3]))
            raise SignalsError(
                f"column {name!r} shares {'no value' if alone else 'hardly a value'} with "
                f"another column ({shown}, ...), so it is no signal of the same task: "
                f"{_CHOOSE}. {_LONG}; {_CLASSES}."
            )


def _refuse_many(counted: dict[str, Counter[Any]]) -> None:
    classes = set().union(*counted.values())
    votes = sum(values.total() for values in counted.values())
    few = len(classes) > MOST_CLASSES / 10 and votes < FEWEST_VOTES * len(classes)
    if few or len(classes) > MOST_CLASSES:
        name = max(counted, key=lambda name: len(counted[name]))
        raise SignalsError(
            f"{len(classes):,} different values would be {len(classes):,} classes, most "
            f"of them in column {name!r}: {_CHOOSE}. {_LONG}; {_CLASSES}."
        )
