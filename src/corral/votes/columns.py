"""Columns of tables: which of them hold votes, and what they hold as arrays.

If the user chose no columns, ids, long texts and dates are left out, with a note. Columns
that may or may not hold votes are refused, all at once, with the option that decides.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from fnmatch import fnmatchcase
from numbers import Number
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral.errors import SignalsError, SignalsWarning, warn_user
from corral.votes.coding import is_missing, is_no_vote, normalise_text

ROWS_LOOKED_AT = 1_000
ROW = "row"  # what the number of a row is called, from 1, where rows have no other name
IDS, TEXTS, DATES = "another value in every row", "long texts", "dates or times"
OURS = "written by corral"
OUR_NAMES = ("label", "confidence", "covered", "sampling", "decided", "read_next")
TRUTH = "named like true labels"
MIN_IDS = 50  # a task has fewer classes than this
MIN_TEXTS = 3
"""In a full column, so many texts that no other column has may not be classes; one less
where other columns have values in common."""
MIN_TEXTS_WITH_GAPS = 10  # the same in a column with gaps, as comments have
MAX_OTHER_VALUES = 4
"""So many different numbers may be classes, although other columns have fewer."""
MAX_NAMES = 12  # columns of votes that a message lists
MAX_CHARACTERS = 100  # a longer value is a text, not the name of a class

ID = re.compile(r"(.*[_ -])?id|index|column0|unnamed: 0|", re.IGNORECASE)
_TRUTH = {
    *("gold", "truth", "groundtruth", "human", "humanrating", "y", "ytrue"),
    *("label", "labels", "truelabel", "truelabels", "goldlabel", "goldlabels"),
    *("humanlabel", "handlabel", "handlabelrow", "expertlabel", "target", "targets"),
    *("expected", "expectedoutput", "expectedanswer", "expectedlabel"),
    *("reference", "referenceanswer", "groundtruthlabel", "finallabel"),
    *("correct", "correctanswer", "correctlabel", "consensus", "adjudicated"),
    *("humanverdict", "humananswer"),
}
"""What people call true labels, in lower case, without blanks and underscores."""
_DATE = re.compile(
    r"(\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{4})([t ].*)?|\d\d?:\d\d(:\d\d.*)?"
)
_LONG = {
    "task": (
        r"(task|item|question|example|document|doc|unit|prompt|case|sample|instance)s?(id)?",
        r"id|text|sentence",
    ),
    "worker": (
        r"(worker|annotator|rater|judge|labell?er|performer|coder|grader|reviewer)s?"
        r"(id|name|model)?",
        r"(user|model)s?(id|name)?",
    ),
    "label": (
        r"(label|answer|vote|annotation|rating|judge?ment|verdict|grade|choice)s?",
        r"(response|class|category|score)s?",
    ),
}
"""What people call the three columns of a table with one answer per row; first the names
that mean nothing else."""


# -- data frames --------------------------------------------------------------------


def is_frame(data: object) -> bool:
    """Whether `data` is a data frame, eager or lazy, or a Hugging Face dataset."""
    if _is_hugging_face(data):
        return True
    try:
        wrapped = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        return True
    return isinstance(wrapped, nw.DataFrame | nw.LazyFrame)


def as_frame(data: Any) -> nw.DataFrame[Any]:
    """Wrap a native frame; anything else is refused."""
    if _is_hugging_face(data):
        data = _read_hugging_face(data)
    try:
        return nw.from_native(data, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise SignalsError(f"the table has two columns of one name: {error}") from error
    except TypeError as error:
        raise SignalsError(
            "a data frame of pandas, Polars or PyArrow (a Table) was expected; "
            f"{type(data).__name__} was given. corral.label also takes lazy frames, DuckDB "
            "relations and Spark frames; for all else collect these first."
        ) from error


def _is_hugging_face(data: object) -> bool:
    return type(data).__module__.partition(".")[0] == "datasets"


def _read_hugging_face(data: Any) -> Any:
    """The rows of a Hugging Face dataset as an Arrow table; classes by their names."""
    import datasets
    import pyarrow

    if not isinstance(data, datasets.Dataset):
        raise SignalsError(
            f"a {type(data).__name__} of datasets has several splits, or rows that are "
            "not there yet. Choose a split, such as dataset['train'], and load it."
        )
    table = data.with_format("arrow")[:]
    for at, (name, kind) in enumerate(data.features.items()):
        if isinstance(kind, datasets.ClassLabel):
            words = [*kind.names, None]  # -1 means that the class is not known
            codes = table[name].to_pylist()
            said = [None if code is None else words[code] for code in codes]
            table = table.set_column(at, name, pyarrow.array(said, pyarrow.string()))
    return table


def as_given(data: Any, frame: nw.DataFrame[Any]) -> Any:
    """A frame made from `data`, as what `data` was."""
    if not _is_hugging_face(data):
        return frame.to_native()
    if len(frame) != len(data):  # one row per task, of a table with one per vote
        return type(data).from_dict(frame.to_dict(as_series=False))
    for name in frame.columns[len(data.column_names) :]:
        data = data.add_column(name, frame.get_column(name).to_list())
    return data


def choose_columns(columns: Sequence[Any], chosen: str | Sequence[str]) -> list[Any]:
    """Columns by their names or by patterns, each once."""
    # A labeler remembers the names of pandas' columns 0, 1, 2 as text.
    as_text = {str(column): column for column in columns}
    found: list[Any] = []
    for name in [chosen] if isinstance(chosen, str) else chosen:
        if name in columns or name in as_text:
            found.append(name if name in columns else as_text[name])
            continue
        matching = [c for text, c in as_text.items() if fnmatchcase(text, str(name))]
        if not matching:
            says = "matches" if "*" in str(name) else "named"
            raise SignalsError(
                f"no column {says} {name!r}; the table has {', '.join(map(repr, columns))}."
            )
        found += matching
    return list(dict.fromkeys(found))


def matrix(frame: nw.DataFrame[Any], names: Sequence[str]) -> NDArray[Any]:
    """Columns of a frame as one array (n, m): see `stack_columns`."""
    return stack_columns({name: as_column(frame.get_column(name)) for name in names})


def stack_columns(columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Columns as one array (n, m): all numbers (missing: NaN), or objects (None)."""
    kinds = {name: _kind(column) for name, column in columns.items()}
    found = set(kinds.values()) - {"empty"}
    if len(found) > 1 or found - {"numbers", "text"}:
        listed = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise SignalsError(
            f"signal columns must be all numbers or all text; they are {listed}. Choose "
            "the columns with `signals=`."
        )
    arrays = list(columns.values())
    if any(array.dtype == object for array in arrays):
        arrays = [array.astype(object) for array in arrays]
    return np.column_stack(arrays)


def _kind(column: NDArray[Any]) -> str:
    if column.dtype != object:
        return "empty" if (column != column).all() else "numbers"
    first = next((cell for cell in column if not is_missing(cell)), None)
    if isinstance(first, str | Number | None):
        return (
            "empty"
            if first is None
            else "text"
            if isinstance(first, str)
            else "numbers"
        )
    return type(first).__name__


def new_columns(frame: nw.DataFrame[Any], added: dict[str, Any]) -> nw.DataFrame[Any]:
    """An eager frame with arrays as further columns."""
    series = [
        nw.new_series(name, plain_values(values), backend=frame.implementation)
        for name, values in added.items()
    ]
    return frame.with_columns(*series)


def plain_values(values: NDArray[Any]) -> Any:
    """Arrays for numbers; lists for text and gaps, which every library reads alike."""
    listed = values.dtype.kind in "OU" or np.ma.isMaskedArray(values)
    return values.tolist() if listed else np.ascontiguousarray(values)


def as_column(series: nw.Series[Any]) -> NDArray[Any]:
    """The cells of a column: numbers (null: NaN), else objects (null: None)."""
    dtype, gaps = series.dtype, series.null_count()
    if gaps == len(series):
        return np.full(len(series), np.nan)
    if dtype == nw.Decimal or (dtype.is_numeric() and gaps):
        return series.cast(nw.Float64).to_numpy().astype(float)
    if dtype.is_numeric() or (dtype == nw.Boolean and not gaps):
        return series.to_numpy()
    return np.fromiter(series.to_list(), object, len(series))


# -- which columns hold votes ------------------------------------------------------


def vote_columns(
    table: Any,
    signals: str | Sequence[str] | None,
    classes: Sequence[Any] | None,
    probabilities: bool = False,
) -> list[str]:
    """The columns of a frame that hold votes: those chosen, or all that look so."""
    columns = list(table.columns)
    names = columns if signals is None else choose_columns(columns, signals)
    if not len(table) or not names:
        raise SignalsError(
            f"the table is empty: {len(table)} rows, {len(names)} signal columns."
        )
    if signals is None:
        if long := find_long(names):
            _refuse_long(long, "a frame of votes was expected (see from_long)")
        head = table.head(ROWS_LOOKED_AT).to_dict(as_series=False)
        warn_of_others(aside := sort_columns(head, classes, probabilities))
        names = [name for name in names if name not in aside]
    return names


def sort_columns(
    columns: Mapping[Any, Sequence[Any]],
    classes: Sequence[Any] | None = None,
    probabilities: bool = False,
) -> dict[Any, str]:
    """Find the columns that are not votes, by their names and their first rows.

    Gives what they are: `IDS`, `TEXTS` or `DATES`. Columns that may be votes or something
    else are refused, all at once. If all `classes` are known, a column with no other values
    holds votes, unless it is named like true labels.
    """
    n_rows = max(map(len, columns.values()))
    votes = {name: _read_values(column) for name, column in columns.items()}
    values = {name: set(said) for name, said in votes.items()}
    owners = Counter(value for seen in values.values() for value in seen)
    agree = any(n > 1 for n in owners.values())
    known = set(_read_values(classes or ()))
    aside, unclear, left = dict.fromkeys(_find_ours(columns), OURS), {}, {}
    for name, seen in values.items():
        texts = [value for value in seen if isinstance(value, str)]
        once = len(seen) == len(votes[name]) > 1
        whole = not any(isinstance(value, float) for value in seen)
        own = sum(owners[value] == 1 for value in seen)
        is_full = len(votes[name]) == n_rows
        enough = MIN_TEXTS - agree if is_full else MIN_TEXTS_WITH_GAPS
        if name in aside:
            continue
        if is_truth(name):
            unclear[name] = TRUTH
        elif seen <= known:
            continue
        elif any(len(text) > MAX_CHARACTERS for text in texts):
            aside[name] = TEXTS
        elif len(texts) == len(seen) > 0 and all(map(_DATE.fullmatch, texts)):
            aside[name] = DATES
        elif once and whole and (len(seen) >= MIN_IDS or ID.fullmatch(str(name))):
            aside[name] = IDS
        elif len(columns) > 1 and own == len(seen) and len(texts) >= enough:
            unclear[name] = "texts that no other column has"
        elif seen:
            left[name] = seen
    unclear |= _find_odd(left, probabilities)
    unclear = {name: unclear[name] for name in columns if name in unclear}
    if unclear:
        listed = ", ".join(f"{name!r} ({why})" for name, why in unclear.items())
        clear = [name for name in columns if name not in aside and name not in unclear]
        short = clear and len(clear) <= MAX_NAMES
        answer = f"`signals={clear!r}`" if short else f"`id={list(unclear)!r}`"
        truths = [name for name, why in unclear.items() if why == TRUTH]
        gold = f" True labels go to `gold={truths[0]!r}`." if truths else ""
        raise SignalsError(
            f"these columns may be votes or something else: {listed}. Unless they are "
            f"votes, say {answer}.{gold} A table with one answer per row needs `task=`."
        )
    if len(aside) == len(columns):
        listed = ", ".join(f"{name!r} ({why})" for name, why in aside.items())
        raise SignalsError(
            f"no column holds votes: {listed}. If one does, name it with `signals=`."
        )
    return aside


def _find_ours(columns: Iterable[Any]) -> list[Any]:
    """The columns of labels that `corral.label` or `corral.panel` wrote beside votes."""
    shares = [name for name in columns if str(name).startswith("p_")]
    found = [name for name in columns if name in OUR_NAMES]
    return shares + found if shares and {"label", "confidence"} <= {*found} else []


def _find_odd(values: Mapping[Any, set[Any]], probabilities: bool) -> dict[Any, str]:
    """Columns with another kind of values than the others: a price, a source, a length."""
    texts = [name for name, v in values.items() if any(isinstance(x, str) for x in v)]
    numbers = [name for name in values if name not in texts]
    odd: dict[Any, str] = {}
    if texts and numbers:
        few, many, why = texts, numbers, "texts, where other columns have numbers"
        if len(numbers) < len(texts):
            few, many, why = numbers, texts, "numbers, where other columns have texts"
        seen = set().union(*map(values.__getitem__, many))
        odd = {name: why for name in few if seen.isdisjoint(values[name])}
    plain = [name for name in numbers if name not in odd]
    whole = [n for n in plain if all(isinstance(x, int) for x in values[n])]
    if probabilities:
        above = [name for name in whole if max(values[name]) > 1]
        return odd | dict.fromkeys(above, "numbers above 1")
    if whole:
        fractions = (name for name in plain if name not in whole)
        odd |= dict.fromkeys(fractions, "fractions")
    # Votes have the values of the half of the columns with the fewest.
    whole.sort(key=lambda name: len(values[name]))
    usual = set().union(*map(values.__getitem__, whole[: (len(whole) + 1) // 2]))
    for name in whole:
        if (n := len(values[name])) > max(2 * len(usual), MAX_OTHER_VALUES):
            odd[name] = f"{n} values, where other columns have {len(usual)}"
    return odd


def find_long(columns: Iterable[Any]) -> dict[str, list[Any]]:
    """The columns that may name the task, the worker and the answer of a long table.

    Empty if the names do not speak of all three.
    """
    names = {name: _plain(name) for name in columns}
    found = {}
    for role, patterns in _LONG.items():
        tiers = ([n for n in names if re.fullmatch(p, names[n])] for p in patterns)
        found[role] = next(filter(None, tiers), [])
    return found if all(found.values()) else {}


def check_long(
    found: Mapping[str, list[Any]],
    head: Mapping[Any, Sequence[Any]],
    has_repeats: Callable[[Any], bool],
) -> dict[str, Any]:
    """The three columns of a long table; refused if it may be another kind of table.

    `head` has the first rows of all columns that may hold votes; `has_repeats` says
    whether a value stands in several rows of a column.
    """
    chosen = {role: names[0] for role, names in found.items()}
    answers = set(_read_values(head[chosen["label"]]))
    for names in found.values():
        if len(names) > 1:
            _refuse_long(found, f"{' or '.join(map(repr, names))} may be the column")
    if not has_repeats(chosen["task"]):
        _refuse_long(found, f"every row has another {chosen['task']!r}")
    for name, column in head.items():
        seen = set(_read_values(column))
        other = name not in chosen.values() and not is_truth(name)
        if other and seen and seen <= answers:
            _refuse_long(found, f"{name!r} may hold votes, too")
    return chosen


def _refuse_long(found: Mapping[str, list[Any]], why: str) -> None:
    said = (f"`{role}={names[0]!r}`" for role, names in found.items())
    raise SignalsError(
        "the columns are named like those of a table with one answer per row, but "
        "{why}. If it is one, say {}, {} and {}. If not, name the columns of votes with "
        "`signals=`.".format(*said, why=why)
    )


def is_truth(name: Any) -> bool:
    """Whether a column is named like true labels."""
    return _plain(name) in _TRUTH


def _plain(name: Any) -> str:
    """A name in lower case, without blanks and underscores."""
    return re.sub(r"[\W_]+", "", str(name).lower())


def warn_of_others(aside: Mapping[Any, str]) -> None:
    """Say which columns were left out, though nobody asked for it."""
    if aside:
        listed = ", ".join(f"{name!r} ({why})" for name, why in aside.items())
        warn_user(
            f"these columns were not read as votes: {listed}. Say so with "
            f"`id={list(aside)!r}`, or choose the columns of votes with `signals=`.",
            SignalsWarning,
        )


def _read_values(cells: Iterable[Any]) -> list[Any]:
    """What cells say, without those that say nothing."""
    plain = [cell if isinstance(cell, Hashable) else str(cell) for cell in cells]
    said = {cell: _read_value(cell) for cell in set(plain) if not is_no_vote(cell)}
    return [said[cell] for cell in plain if cell in said]


def _read_value(value: Any) -> Any:
    """A value that is equal where it means the same: "1.0" and 1, "Pos " and "pos"."""
    if isinstance(value, str):
        value = normalise_text(value)
        try:
            value = float(value)
        except ValueError:
            return value
    if isinstance(value, float | Decimal) and math.isfinite(value) and value % 1 == 0:
        return int(value)
    return value if isinstance(value, Number) else str(value)
