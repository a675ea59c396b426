"""What a signal function is: the rows it reads, what it answers, where it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from copy import deepcopy
from dataclasses import dataclass, field
from functools import update_wrapper, wraps
from itertools import accumulate
from numbers import Real
from pickle import PicklingError
from traceback import format_exception
from typing import Any, TypeVar, overload

import narwhals as nw
import numpy as np

from corral._types import FloatArray, IntArray
from corral.errors import FunctionError, ParameterError, SignalsError
from corral.progress import progress
from corral.votes import columns as tables
from corral.votes.coding import ABSTAIN, code_type, is_missing

ROWS_PER_UPDATE = 256
"""Rows answered between two updates of the progress bar."""
MAX_TRACEBACKS = 3
"""Tracebacks that a function keeps where errors abstain."""
Method = TypeVar("Method", bound=Callable[..., Any])


# -- rows ------------------------------------------------------------------------


class Row:
    """One row of a data frame: ``row["text"]`` or ``row.text``.

    As with a dict, there are ``"text" in row``, ``row.get("text")`` and ``dict(row)``.
    """

    __slots__ = ("_values",)

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __getitem__(self, column: str) -> Any:
        try:
            return self._values[column]
        except KeyError:
            there = ", ".join(self._values)
            raise KeyError(f"no column {column!r}; the row has {there}") from None

    def __getattr__(self, column: str) -> Any:
        if column.startswith("__") or column == "_values":
            raise AttributeError(column)  # what copying and pickling look for
        try:
            return self[column]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def keys(self) -> KeysView[str]:
        """The columns."""
        return self._values.keys()

    def get(self, column: str, default: Any = None) -> Any:
        """The entry of a column, if there is one."""
        return self._values.get(column, default)

    def __repr__(self) -> str:
        return f"Row({self._values!r})"


def is_blank(entry: Any) -> bool:
    """Whether an entry is a missing value; lists, arrays and mappings never are."""
    if isinstance(entry, dict | set) or np.ndim(entry):
        return False
    return is_missing(entry)


def once(method: Method) -> Method:
    """Let a `Table` keep what a method returns, for the next function that asks."""

    @wraps(method)
    def get(self: Table, *args: Any) -> Any:
        key = method.__name__, *args
        if key not in self.kept:
            self.kept[key] = method(self, *args)
        return self.kept[key]

    return get  # type: ignore[return-value]


class Table:
    """Rows and columns of any data, read once for all functions.

    A list or an array is one entry per row: a text, an image, a mapping of columns or
    anything else. Columns of a two-dimensional array are numbered.
    """

    def __init__(self, data: Any) -> None:
        self.kept: dict[Any, Any] = {}
        self.native = data
        self._frame = tables.as_frame(data) if tables.is_frame(data) else None
        array = isinstance(data, np.ndarray) and data.ndim > 0
        if self._frame is None and not array and not isinstance(data, list | tuple):
            series = nw.from_native(data, series_only=True, pass_through=True)
            if hasattr(data, "to_pylist"):  # a column of PyArrow
                self.native = data.to_pylist()
            elif isinstance(series, nw.Series):
                self.native = series.to_list()
            else:
                raise SignalsError(
                    "a data frame, a column, a list or an array was expected; "
                    f"{type(data).__name__} was given."
                )
        if not len(self):
            raise SignalsError("the data have 0 rows; there is nothing to answer.")

    def __len__(self) -> int:
        return len(self.native if self._frame is None else self._frame)

    @once
    def rows(self) -> Sequence[Any]:
        """Every row: `Row` of a frame, else the entry itself."""
        if self._frame is None:
            return self.native
        return [Row(values) for values in self._frame.iter_rows(named=True)]

    @once
    def column(self, name: Any) -> Any:
        """The entries of a column, a sequence or an array; None: the data themselves."""
        if self._frame is not None:
            if name is None:
                raise SignalsError(
                    "the data are a frame, so a function must name the column that it "
                    f"reads; there are {', '.join(map(repr, self._frame.columns))}."
                )
            series = self._frame.get_column(
                tables.choose_columns(self._frame.columns, [name])[0]
            )
            numbers = series.dtype.is_numeric() and not series.null_count()
            return series.to_numpy() if numbers else series.to_list()
        if name is None:
            return self.native
        if isinstance(self.native, np.ndarray) and self.native.ndim > 1:
            try:
                return self.native[:, name]
            except (IndexError, TypeError) as error:
                raise SignalsError(
                    f"no column {name!r} in an array of shape {self.native.shape}; "
                    "columns of an array are numbered from 0."
                ) from error
        absent = object()  # what a mapping lacks is missing, as in a frame

        def read(row: Any) -> Any:
            if row is None:
                return absent
            if isinstance(row, Mapping | Row):
                return row.get(name, absent)
            if isinstance(row, str):  # an index would find a letter
                raise TypeError("texts have no columns")
            return row[name]

        entries = []
        for number, row in enumerate(self.native, 1):
            try:
                entries.append(read(row))
            except (TypeError, KeyError, IndexError) as error:
                raise SignalsError(
                    f"no column {name!r} in row {number}, a {type(row).__name__}. Give "
                    "column=None where the entries themselves are meant, or a data frame."
                ) from error
        if all(entry is absent for entry in entries):
            raise SignalsError(f"no column {name!r} in any row.")
        return [None if entry is absent else entry for entry in entries]

    def part(self, columns: Any) -> Any:
        """What a model reads: all data, a column, or several as given."""
        if columns is None:
            return self.native
        if isinstance(columns, str | int):
            return self.column(columns)
        if self._frame is not None:
            names = tables.choose_columns(self._frame.columns, list(columns))
            return self._frame.select(names).to_native()
        return np.column_stack([np.asarray(self.column(name)) for name in columns])

    @once
    def texts(self, name: Any) -> tuple[list[str | None], Errors]:
        """A column of texts, None where missing; and the error of every other entry."""
        entries = _plain_list(self.column(name))
        errors: Errors = {}
        for row, entry in enumerate(entries):
            if not isinstance(entry, str):
                if not is_blank(entry):
                    errors[row] = _expected("text", entry)
                entries[row] = None
        return entries, errors

    @once
    def joined(self, name: Any, lowercase: bool) -> tuple[str, list[int]]:
        """A column of texts as one text with a NUL after each, and where each begins.

        The last place is where a further text would begin.
        """
        texts = [text or "" for text in self.texts(name)[0]]
        if lowercase:
            texts = [text.lower() for text in texts]
        return "\0".join([*texts, ""]), [0, *accumulate(len(t) + 1 for t in texts)]

    @once
    def numbers(self, name: Any) -> tuple[FloatArray, Errors]:
        """A column of numbers, NaN where missing; and the error of every other entry."""
        entries = self.column(name)
        errors: Errors = {}
        kind = getattr(entries, "dtype", np.dtype(object)).kind
        if kind in "biuf" and np.ndim(entries) == 1:
            return entries.astype(float), errors
        values = np.full(len(self), np.nan)
        for row, entry in enumerate(_plain_list(entries)):
            try:
                if isinstance(entry, str) and entry:
                    raise TypeError
                if not is_blank(entry):
                    values[row] = float(entry)
            except (TypeError, ValueError):
                errors[row] = _expected("a number", entry)
        return values, errors

    @once
    def places(self, name: Any) -> tuple[dict[Any, list[int]], Errors]:
        """The rows of every distinct entry of a column; and the error of every other."""
        found: dict[Any, list[int]] = {}
        errors: Errors = {}
        for row, entry in enumerate(_plain_list(self.column(name))):
            try:
                found.setdefault(entry, []).append(row)
            except TypeError:
                errors[row] = _expected("text or a number", entry)
        return found, errors


Errors = dict[int, TypeError]
"""By row: what is wrong with an entry."""


def _expected(wanted: str, entry: Any) -> TypeError:
    return TypeError(f"{wanted} was expected; {entry!r:.80} came")


def _plain_list(entries: Any) -> list[Any]:
    return entries.tolist() if isinstance(entries, np.ndarray) else list(entries)


# -- answers and failures ----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Answers:
    """What one function says of every row.

    Attributes
    ----------
    classes : tuple
        The class values that the function votes on. None stands for the second of two
        classes, whatever it is called.
    codes : (n,) array of int or None
        Positions in `classes`, -1 for an abstain.
    confidence : (n,) array of float or None
        How sure the function is of the class in `codes`; None: certain.
    probabilities : (n, k) array of float or None
        A probability for every one of `classes`, NaN for an abstain; `codes` is None then.
    """

    classes: tuple[Any, ...]
    codes: IntArray | None = None
    confidence: FloatArray | None = None
    probabilities: FloatArray | None = None

    @property
    def is_soft(self) -> bool:
        """Whether there are probabilities among the answers."""
        return self.codes is None or self.confidence is not None

    def __len__(self) -> int:
        return len(self.probabilities if self.codes is None else self.codes)  # type: ignore[arg-type]

    def to_list(self) -> list[Any]:
        """One entry per row: a class, (class, confidence), probabilities, or None."""
        if self.codes is None:
            rows: Any = self.probabilities
            return [None if np.isnan(row).any() else row.tolist() for row in rows]
        codes = self.codes.tolist()
        if self.confidence is None:
            return [None if c < 0 else self.classes[c] for c in codes]
        pairs = zip(codes, self.confidence.tolist(), strict=True)
        return [None if c < 0 else (self.classes[c], sure) for c, sure in pairs]


def empty_codes(n: int, n_classes: int) -> IntArray:
    """Codes (n,) of answers that all abstain."""
    return np.full(n, ABSTAIN, code_type(n_classes))


def vote_where(mask: Any, label: Any, confidence: FloatArray | None = None) -> Answers:
    """Answers of a function that votes for one class where a mask (n,) is true."""
    return Answers((label,), np.where(mask, 0, ABSTAIN).astype(np.int8), confidence)


@dataclass(frozen=True)
class Failure:
    """One row that a function could not answer."""

    row: int  # from 0; messages count rows from 1
    error: str  # kind and message
    traceback: str


@dataclass
class Failures:
    """The errors of one function: the first is raised, or all count as abstains."""

    name: str  # of the function
    abstain: bool = False  # whether to go on after an error
    count: int = 0  # rows that failed
    first: list[Failure] = field(default_factory=list)  # the first few of them

    def add(self, errors: Mapping[int, BaseException]) -> None:
        """Take note of errors by row; raise the first, unless errors abstain."""
        for row, error in errors.items():
            told = f"{type(error).__name__}: {error}"
            failure = Failure(row, told, "".join(format_exception(error)))
            if not self.abstain:
                raise FunctionError(
                    f"signal {self.name!r} failed on row {row + 1}: {told.rstrip('.')}. "
                    "Correct it, or pass `on_error='abstain'` to leave such rows out."
                ) from error
            self.count += 1
            if len(self.first) < MAX_TRACEBACKS:
                self.first.append(failure)

    def __str__(self) -> str:
        row, error = self.first[0].row + 1, self.first[0].error
        return f"{self.name}: {self.count} rows, first row {row}: {error}"


# -- functions ---------------------------------------------------------------------


class SignalFunction:
    """A rule that says the class of a row, or abstains; `corral.functions` builds them.

    Attributes
    ----------
    name : str
        What the signal is called.
    is_named : bool
        Whether somebody chose the name. If not, a rules file gives that of the variable,
        and `corral.apply` counts equal names.
    """

    def __init__(
        self,
        answer: Callable[[Table, Failures], Answers],
        name: str | None,
        default: Any = None,
    ) -> None:
        self.is_named = name is not None
        if name is None:
            if not isinstance(default, str):
                default = getattr(default, "__name__", type(default).__name__)
            name = default if len(default) <= 40 else f"{default[:37]}..."
        if not isinstance(name, str) or not name:
            raise ParameterError(f"name must be text; {name!r} was given.")
        self.name, self.answer = name, answer

    def apply(self, data: Any) -> Answers:
        """What the function says of every row of data, as `corral.apply` takes them."""
        return self.answer(Table(data), Failures(self.name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def check_label(label: Any) -> Any:
    """A class value: text, a whole number but -1, or a truth value."""
    if isinstance(label, np.generic):
        label = label.item()
    if type(label) is int and label == ABSTAIN:
        raise ParameterError(
            "-1 means that a signal abstains, so no class can be called -1; use another "
            "number or text."
        )
    if not isinstance(label, str | int) or label == "":
        raise ParameterError(
            f"a class must be text or a whole number; {label!r} was given."
        )
    return label


class RowFunction(SignalFunction):
    """What `signal` makes of a plain function of a row; it can still be called."""

    def __init__(
        self, function: Callable[[Any], Any], label: Any = None, name: str | None = None
    ) -> None:
        if not callable(function):
            raise ParameterError(
                f"a signal is made of a function of a row; {function!r:.80} was given."
            )
        update_wrapper(self, function, updated=())
        super().__init__(self.ask, name, function)
        self.function = function
        self.label = None if label is None else check_label(label)

    def __call__(self, row: Any) -> Any:
        return self.function(row)

    def ask(self, table: Table, failures: Failures, jobs: int = 1) -> Answers:
        """Call the function with every row, in so many processes."""
        from joblib import Parallel, delayed  # which sends functions that pickle cannot

        rows, said = table.rows(), []
        size = ROWS_PER_UPDATE if jobs == 1 else max(1, len(rows) // (16 * jobs))
        fresh = Failures(failures.name, failures.abstain)
        calls = (
            delayed(_call)(
                self.function, self.label, rows[at : at + size], at, deepcopy(fresh)
            )
            for at in range(0, len(rows), size)
        )
        try:
            with progress(f"applying {failures.name}", len(rows), "rows") as bar:
                for part, failed in Parallel(jobs, return_as="generator")(calls):
                    said += part
                    failures.count += failed.count
                    failures.first += failed.first[
                        : MAX_TRACEBACKS - len(failures.first)
                    ]
                    bar.reach(len(said))
        except (BrokenProcessPool, PicklingError) as error:
            raise FunctionError(
                f"signal {self.name!r} cannot run in other processes "
                f"({type(error).__name__}: {error}). Run it in this one, with jobs=1."
            ) from error
        return _collect(said)


@overload
def signal(function: Callable[[Any], Any], /) -> RowFunction: ...
@overload
def signal(
    *, name: str | None = None, label: Any = None
) -> Callable[[Callable[[Any], Any]], RowFunction]: ...


def signal(
    function: Callable[[Any], Any] | None = None,
    /,
    *,
    name: str | None = None,
    label: Any = None,
) -> RowFunction | Callable[[Callable[[Any], Any]], RowFunction]:
    """Make a signal of a plain function of a row.

    A row of a data frame is read as ``row["text"]`` or ``row.text``; a row of a list or
    an array is the entry itself. The function returns

    - a class value, text or a whole number;
    - a float between 0 and 1: the probability of `label`, or of the second of two classes;
    - a class value and how sure it is of it, ``("spam", 0.8)``;
    - None, "", NaN or -1: it abstains.

    Parameters
    ----------
    function : callable
    name : str, optional
        Default: the name of the function.
    label : str or int, optional
        The class that probabilities are of.

    Examples
    --------
    >>> import corral
    >>> @corral.signal
    ... def short(text):
    ...     return "spam" if len(text) < 6 else None
    >>> short.apply(["win!!", "see you at noon"]).to_list()
    ['spam', None]
    >>> @corral.signal(name="shouting", label="spam")
    ... def capitals(text):
    ...     return sum(map(str.isupper, text)) / len(text)
    >>> capitals.apply(["WIN", "Noon"]).to_list()
    [('spam', 1.0), ('spam', 0.25)]
    """
    if function is None:
        return lambda given: RowFunction(given, label, name)
    return RowFunction(function, label, name)


Said = tuple[tuple[Any] | None, float]
"""A class value, in a tuple because None is one here, or None; and how sure it is."""


def read_answers(returned: Iterable[Any], label: Any, failures: Failures) -> Answers:
    """Answers of what a function returned for every row; others are failures."""
    return _collect(_call(lambda answer: answer, label, returned, 0, failures)[0])


def _call(
    function: Callable[[Any], Any],
    label: Any,
    rows: Iterable[Any],
    start: int,
    failures: Failures,
) -> tuple[list[Said], Failures]:
    """What a function says of rows, numbered from `start`; what failed."""
    said: list[Said] = []
    for row, entry in enumerate(rows, start):
        try:
            said.append(_read_answer(function(entry), label))
        except Exception as error:
            failures.add({row: error})
            said.append((None, 1.0))
    return said, failures


def _read_answer(answer: Any, label: Any) -> Said:
    if isinstance(answer, tuple | list) and len(answer) == 2:  # JSON has lists only
        value, confidence = answer
        if isinstance(value, str | int | np.integer) and value != "":
            return (check_label(value),), _check_probability(confidence)
    elif is_blank(answer):
        return None, 1.0
    elif isinstance(answer, float | np.floating):
        return (label,), _check_probability(answer)
    elif isinstance(answer, str | int | np.integer | np.bool_):
        abstains = not isinstance(answer, bool | np.bool_) and answer == ABSTAIN
        return (None if abstains else (check_label(answer),)), 1.0
    raise TypeError(
        "a class, a probability (float), a pair of both or None was expected; "
        f"{answer!r:.80} came"
    )


def _check_probability(value: Any) -> float:
    if not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise TypeError(f"a probability between 0 and 1 was expected; {value!r} came")
    return float(value)


def _collect(said: Sequence[Said]) -> Answers:
    found: dict[Any, int] = {}
    for value, _ in said:
        if value is not None:
            found.setdefault(value, len(found))
    codes = np.array([found.get(value, ABSTAIN) for value, _ in said])
    classes = tuple(value for (value,) in found)
    sure = np.array([confidence for _, confidence in said])
    certain = None not in classes and not (sure < 1).any()
    codes = codes.astype(code_type(len(found)))
    return Answers(classes, codes, None if certain else sure)
