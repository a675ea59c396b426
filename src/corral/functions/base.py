"""What a signal function is: the rows it reads, what it answers, where it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, update_wrapper
from numbers import Real
from traceback import format_exception
from typing import Any

import narwhals as nw
import numpy as np

from corral._types import FloatArray, IntArray
from corral.errors import FunctionError, ParameterError, SignalsError
from corral.progress import progress
from corral.votes import columns as tables
from corral.votes.coding import ABSTAIN, code_type, is_missing

ROWS_PER_UPDATE = 256
"""Rows answered between two updates of the progress bar."""


# -- rows ------------------------------------------------------------------------


class Row(dict[str, Any]):
    """One row of a data frame, a dict: ``row["text"]``, or ``row.text`` for short."""

    def __missing__(self, column: str) -> Any:
        raise KeyError(f"no column {column!r}; the row has {', '.join(self)}")

    def __getattribute__(self, name: str) -> Any:
        """A column goes before a method of its name, such as ``row.values``."""
        return self[name] if name in self else super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no column {name!r}; the row has {', '.join(self)}")


def is_blank(entry: Any) -> bool:
    """Whether an entry is a missing value; lists, arrays and mappings never are."""
    if isinstance(entry, dict | set) or np.ndim(entry):
        return False
    return is_missing(entry)


Errors = dict[int, TypeError]
"""By row: the error of an entry."""


class Examples:
    """Rows and columns of any data, read once for all functions.

    A list or an array has one entry per row: a text, an image, a mapping of columns or
    anything else. Columns of a two-dimensional array are numbered.
    """

    def __init__(self, data: Any) -> None:
        for method in ("rows", "column", "texts", "lowered", "numbers"):
            setattr(self, method, cache(getattr(self, method)))  # for the next function
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

    def rows(self) -> Sequence[Any]:
        """Every row: `Row` of a frame, else the entry itself."""
        if self._frame is None:
            return self.native
        return [Row(values) for values in self._frame.iter_rows(named=True)]

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
        for number, row in enumerate(self.native, 1):
            if row is not None and not isinstance(row, Mapping):
                raise SignalsError(
                    f"no column {name!r} in row {number}, a {type(row).__name__}. Give "
                    "column=None to read the entries themselves, or give a data frame."
                )
        rows = [{} if row is None else row for row in self.native]
        if not any(name in row for row in rows):
            raise SignalsError(f"no column {name!r} in any row.")
        # A column may be named "get".
        return [row[name] if name in row else None for row in rows]  # noqa: SIM401

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

    def lowered(self, name: Any) -> list[str]:
        """A column of texts in lower case, "" where missing."""
        return [(text or "").lower() for text in self.texts(name)[0]]

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

    def with_classes(self, classes: Iterable[Any]) -> Answers:
        """The same answers, of a function that may also vote on these classes."""
        return replace(self, classes=tuple(dict.fromkeys([*self.classes, *classes])))

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


def vote_where(mask: Any, label: Any) -> Answers:
    """Answers of a function that votes for one class where a mask (n,) is true."""
    return Answers((label,), np.where(mask, 0, ABSTAIN).astype(np.int8))


@dataclass
class Failures:
    """The errors of one function: the first is raised, or all count as abstains."""

    name: str  # of the function
    abstain: bool = False  # whether to go on after an error
    count: int = 0  # rows that failed
    first: str = ""  # row and error of the first failure; rows count from 1
    traceback: str = ""  # of the first failure

    def add(self, errors: Mapping[int, BaseException]) -> None:
        """Take note of errors by row; raise the first, unless errors abstain."""
        for row, error in errors.items():
            told = f"row {row + 1}: {type(error).__name__}: {error}"
            if not self.abstain:
                raise FunctionError(
                    f"signal {self.name!r} failed on {told.rstrip('.')}. "
                    "Correct it, or pass `on_error='abstain'` to leave such rows out."
                ) from error
            if not self.count:
                self.first, self.traceback = told, "".join(format_exception(error))
            self.count += 1

    def __str__(self) -> str:
        return f"{self.name}: {self.count} rows, first {self.first}"


# -- functions ---------------------------------------------------------------------


class SignalFunction:
    """A rule that says the class of a row, or abstains; `corral.functions` builds them.

    Attributes
    ----------
    name : str
        The name of the signal.
    is_named : bool
        Whether somebody chose the name. If not, a rules file gives it the name of the
        variable, and `corral.apply` numbers equal names.
    """

    def __init__(
        self,
        answer: Callable[[Examples, Failures], Answers],
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
        return self.answer(Examples(data), Failures(self.name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def check_label(label: Any) -> Any:
    """A class value: text, a truth value or a whole number except -1."""
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

    def ask(self, examples: Examples, failures: Failures) -> Answers:
        """Call the function with every row."""
        return read_answers(self.function, examples.rows(), self.label, failures)


def signal(
    function: Callable[[Any], Any] | None = None,
    /,
    *,
    name: str | None = None,
    label: Any = None,
) -> Any:
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


def read_answers(
    ask: Callable[[Any], Any], rows: Sequence[Any], label: Any, failures: Failures
) -> Answers:
    """What a function says of every row; rows on which it fails abstain."""
    said: list[Said] = []
    with progress(f"applying {failures.name}", len(rows), "rows") as bar:
        for at, row in enumerate(rows):
            try:
                said.append(_read_answer(ask(row), label))
            except Exception as error:
                failures.add({at: error})
                said.append((None, 1.0))
            if at % ROWS_PER_UPDATE == 0:
                bar.reach(at)
    named = dict.fromkeys(value[0] for value, _ in said if value is not None)
    code = {value: at for at, value in enumerate(named)}
    codes = np.array([ABSTAIN if v is None else code[v[0]] for v, _ in said])
    sure = np.array([confidence for _, confidence in said])
    certain = None not in named and not (sure < 1).any()
    codes = codes.astype(code_type(len(named)))
    return Answers(tuple(named), codes, None if certain else sure)


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
