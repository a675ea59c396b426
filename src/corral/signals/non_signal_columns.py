"""Columns that are no signals: ids, texts, and tables with one vote per row.

Read as votes, every id would be a class of its own. The first rows are enough to tell, so
this costs next to nothing, however large a table is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.errors import SignalsError
from corral.signals.abstains import is_no_vote, list_abstains
from corral.signals.spellings import normalise_text
from corral.wording import option, say

ROWS_LOOKED_AT = 10_000
FEWEST_ROWS = 50
"""With fewer rows, many different values in a column of an array are no surprise."""
LONGEST_NAME = 100
"""Characters of a class name; anything longer is a text."""
MOST_CLASSES, FEWEST_VOTES = 1000, 5
"""More classes than this, or more than a tenth of it with fewer votes each, are none."""
MANY_VALUES = 20
"""Values of a column from which on signals of one task agree more often than by chance."""

TASKS = {"task", "item", "question", "example", "document", "doc", "unit"}
WORKERS = {"worker", "annotator", "rater", "judge", "performer", "user", "coder"}
ANSWERS = {"label", "answer", "vote", "response", "annotation", "rating", "judgement"}
"""What people call the columns of a table with one vote per row."""
_ID_NAME = re.compile(r"(.*[_ -])?id|index|column0|unnamed: 0|", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """The first cells of a column, as far as they are votes.

    Attributes
    ----------
    name : str
    cells : list
        Values that compare equal where they mean the same; None for no vote.
    values : Counter
        How often each occurs.
    """

    name: str
    cells: list[Any]
    values: Counter[Any]

    @property
    def is_full(self) -> bool:
        """Whether every cell is filled."""
        return self.values.total() == len(self.cells)

    @property
    def is_numbered(self) -> bool:
        """Whether it counts the rows."""
        first = self.cells[0]
        return isinstance(first, int) and self.cells == list(
            range(first, first + len(self.cells))
        )


def refuse_other_columns(
    votes: NDArray[Any] | Mapping[str, Any],
    names: Sequence[str] | None = None,
    abstain: Any = None,
    *,
    by_name: bool = False,
) -> None:
    """Refuse what is no table of votes, by the first rows of it.

    Parameters
    ----------
    votes : (n, m) array, or columns by name
    names : sequence of str, optional
        Of the columns of an array.
    abstain : scalar or sequence, optional
        What was said to mean no vote.
    by_name : bool
        Look at the names as well: nobody chose these columns.

    Examples
    --------
    >>> from corral.signals.non_signal_columns import refuse_other_columns
    >>> table = {"item": ["q1", "q2", "q3"], "a": ["x", "y", "x"], "b": ["x", "x", "y"]}
    >>> refuse_other_columns(table)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    corral.errors.SignalsError: column 'item' shares no value with another column ...
    """
    named = names is not None or not isinstance(votes, np.ndarray)
    if isinstance(votes, np.ndarray):
        head = votes[:ROWS_LOOKED_AT]
        titles = names or [str(j) for j in range(head.shape[1])]
        if _are_few(head) and not (by_name and _long_names(titles)):
            return
        given = dict(zip(titles, head.T.tolist(), strict=True))
    else:
        given = {c: np.asarray(v, object).tolist() for c, v in votes.items()}
    silent = {_comparable(value) for value in list_abstains(abstain)}
    columns = [_read_column(name, cells, silent) for name, cells in given.items()]
    n_rows = len(columns[0].cells)
    advice = _advise(named)
    if by_name:
        _refuse_long_names(columns)
    _refuse_texts(columns, advice)
    columns_with = Counter(value for column in columns for value in column.values)
    if named or n_rows >= FEWEST_ROWS:
        _refuse_ids(columns, columns_with, n_rows, advice)
        _refuse_long_shape(columns, n_rows)
        _refuse_unshared(columns, columns_with, n_rows, advice)
    _refuse_many(columns, advice)


def _advise_long() -> str:
    return (
        f"If every row is one vote, name its columns with {option('task')}, "
        f"{option('worker')} and {option('label')}{say(' (`WeakSignals.from_long`)')}"
    )


def _advise_classes() -> str:
    return f"list all classes in {option('classes')} if these are classes"


def _advise(named: bool) -> str:
    """What to do about one column of a table, or of an array."""
    out = (
        f" with {option('id')} or choose the columns with {option('signals')};"
        if named
        else ", or"
    )
    return f"leave it out{out} {_advise_classes()}. {_advise_long()}."


def _are_few(head: NDArray[Any]) -> bool:
    """Whether numbers are so few that nothing can be wrong with them."""
    if head.dtype.kind not in "biuf" or not head.size:
        return False
    known = head[~np.isnan(head)] if head.dtype.kind == "f" else head
    if not known.size or (known != np.rint(known)).any():
        return True  # nothing, or probabilities: refused with other words
    return float(known.max()) - float(known.min()) <= 3


def _comparable(value: Any) -> Any:
    """A value that is equal where it means the same: ``"1.0"`` and 1, "Pos " and "pos"."""
    if isinstance(value, str):
        text = normalise_text(value)
        return int(text) if re.fullmatch(r"-?\d{1,15}", text) else text
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _read_column(name: str, cells: list[Any], silent: set[Any]) -> Column:
    try:
        known = {
            value: None if is_no_vote(value) else _comparable(value)
            for value in set(cells)
        }
    except TypeError:  # lists in cells are refused where votes are coded
        return Column(name, [None] * len(cells), Counter())
    # NaN differs from itself, so the cells are looked up once more by what they are.
    read = [None if is_no_vote(cell) else known[cell] for cell in cells]
    read = [None if cell in silent or cell == -1 else cell for cell in read]
    return Column(name, read, Counter(cell for cell in read if cell is not None))


def _refuse_long_names(columns: list[Column]) -> None:
    """Refuse columns whose names say that every row is one vote of one worker."""
    found = _long_names([column.name for column in columns])
    if found is None:
        return
    worker, answer = (
        next(column for column in columns if column.name == name) for name in found
    )
    # A judge and a coder who say the same things are two signals.
    alike = worker.values.keys() == answer.values.keys()
    if not alike or any(_singular(column.name) in TASKS for column in columns):
        raise SignalsError(
            f"columns {worker.name!r} and {answer.name!r} look like those of a table "
            f"with one vote per row, not with one column per signal. {_advise_long()}; "
            f"or choose the columns with {option('signals')}."
        )


def _long_names(names: Sequence[str]) -> tuple[str, str] | None:
    """The columns that are called like the worker and the answer of a vote."""
    plain = {_singular(name): name for name in names}
    worker = [plain[name] for name in WORKERS if name in plain]
    answer = [plain[name] for name in ANSWERS if name in plain]
    return (worker[0], answer[0]) if worker and answer else None


def _singular(name: str) -> str:
    """``Worker_ID`` and ``workers`` as ``worker``."""
    return str(name).lower().removesuffix("id").rstrip("_ ").removesuffix("s")


def _refuse_texts(columns: list[Column], advice: str) -> None:
    for column in columns:
        texts = (value for value in column.values if isinstance(value, str))
        longest = max(texts, key=len, default="")
        if len(longest) > LONGEST_NAME:
            raise SignalsError(
                f"column {column.name!r} holds texts ({longest[:40]!r}...), so it is no "
                f"signal: {advice}"
            )


def _refuse_ids(
    columns: list[Column], columns_with: Counter[Any], n_rows: int, advice: str
) -> None:
    """Another value in nearly every row, which other columns do not have."""
    for column in columns:
        different = len(column.values)
        own = sum(columns_with[value] == 1 for value in column.values)
        counts = different == n_rows >= 5 and len(columns) > 1
        named = _ID_NAME.fullmatch(str(column.name)) is not None
        few = counts and (column.is_numbered or named or own >= different / 2)
        many = n_rows >= FEWEST_ROWS and different > n_rows / 2 and own > different / 2
        if few or many:
            raise SignalsError(
                f"column {column.name!r} has another value in nearly every row, so it is "
                f"no signal: {advice} Probabilities need "
                f"{option('probabilities', True)}."
            )


def _refuse_long_shape(columns: list[Column], n_rows: int) -> None:
    """Two columns whose pairs hardly repeat are the task and the worker of a vote."""
    full = [column for column in columns if column.is_full]
    widest = sorted(full, key=lambda column: -len(column.values))[:5]
    if len(columns) < 3 or n_rows < 20:
        return
    for first, second in combinations(widest, 2):
        if len(first.values) * len(second.values) < n_rows:
            continue
        pairs = set(zip(first.cells, second.cells, strict=True))
        if len(pairs) >= 0.98 * n_rows:
            raise SignalsError(
                f"columns {first.name!r} and {second.name!r} hardly ever have the same "
                f"two values twice, as if every row were one vote. {_advise_long()}; "
                f"{_advise_classes()}."
            )


def _refuse_unshared(
    columns: list[Column], columns_with: Counter[Any], n_rows: int, advice: str
) -> None:
    """A column about other things than all others."""
    # Two rules that vote for one class each share nothing, either.
    fewest = 2 if n_rows >= FEWEST_ROWS and len(columns) > 2 else 3
    if len(columns) < 2:
        return
    for column in sorted(columns, key=lambda column: -len(column.values)):
        own = [value for value in column.values if columns_with[value] == 1]
        different = len(column.values)
        alone = len(own) == different >= fewest
        # Prices and ids share a few numbers with any column of 0 and 1, by chance only.
        mostly = different >= MANY_VALUES and len(own) > 0.9 * different
        if alone or (mostly and _agreement(column, columns) < 0.1):
            shown = ", ".join(map(repr, own[:3]))
            raise SignalsError(
                f"column {column.name!r} shares {'no' if alone else 'hardly a'} value "
                f"with another column ({shown}, ...), so it is no signal of the same "
                f"task: {advice}"
            )


def _agreement(column: Column, columns: list[Column]) -> float:
    """How often a column says what another says of the same row; 1 if never both do."""
    both = same = 0
    for other in columns:
        if other is not column:
            for a, b in zip(column.cells, other.cells, strict=True):
                if a is not None and b is not None:
                    both, same = both + 1, same + (a == b)
    return same / both if both else 1.0


def _refuse_many(columns: list[Column], advice: str) -> None:
    classes = set().union(*(column.values for column in columns))
    votes = sum(column.values.total() for column in columns)
    few = len(classes) > MOST_CLASSES / 10 and votes < FEWEST_VOTES * len(classes)
    if few or len(classes) > MOST_CLASSES:
        column = max(columns, key=lambda column: len(column.values))
        raise SignalsError(
            f"{len(classes):,} different values would be {len(classes):,} classes, most "
            f"of them in column {column.name!r}: {advice}"
        )
