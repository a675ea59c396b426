"""What every signal function is, what it answers, and plain functions of a row."""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from numbers import Real
from pickle import PicklingError
from typing import Any, overload

import numpy as np

from corral._types import FloatArray, IntArray
from corral.errors import FunctionError, ParameterError
from corral.functions.row_table import Table, is_scalar
from corral.progress import progress
from corral.signals.abstains import is_missing
from corral.signals.coding import ABSTAIN, code_type

BATCH = 256
"""Rows between two looks at the clock."""
TRACEBACKS = 3
"""How many tracebacks a function keeps where errors abstain."""


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


def vote_where(mask: Any, label: Any) -> Answers:
    """Answers of a function that votes for one class where a mask (n,) is true."""
    return Answers((label,), np.where(mask, 0, ABSTAIN).astype(np.int8))


@dataclass(frozen=True)
class Failure:
    """One row that a function could not answer.

    Attributes
    ----------
    row : int
        Position in the data, from 0; messages count rows from 1.
    error : str
        Kind and message.
    traceback : str
    """

    row: int
    error: str
    traceback: str

    @classmethod
    def of(cls, row: int, error: BaseException) -> Failure:
        """Describe an error, so that it can be kept and sent between processes."""
        lines = traceback.format_exception(error)
        return cls(row, f"{type(error).__name__}: {error}", "".join(lines))


@dataclass
class Failures:
    """The errors of one function: the first is raised, or all count as abstains.

    Attributes
    ----------
    name : str
        The function.
    abstain : bool
        Whether to go on after an error.
    count : int
        Rows that failed.
    first : list of Failure
        The first few of them.
    """

    name: str
    abstain: bool = False
    count: int = 0
    first: list[Failure] = field(default_factory=list)

    def add(self, row: int, error: BaseException) -> None:
        """Take note of a row that failed; raise, unless errors abstain."""
        self._add(Failure.of(row, error), error)

    def add_all(self, errors: Mapping[int, BaseException]) -> None:
        """Take note of rows that failed, by the error of each."""
        for row, error in errors.items():
            self.add(row, error)

    def merge(self, others: Failures) -> None:
        """Take note of what failed in another process."""
        for failure in others.first:
            self._add(failure, None)
        self.count += others.count - len(others.first)

    def _add(self, failure: Failure, cause: BaseException | None) -> None:
        if not self.abstain:
            error = FunctionError(
                f"signal {self.name!r} failed on row {failure.row + 1}: "
                f"{failure.error.rstrip('.')}. Correct it, or pass "
                "`on_error='abstain'` to leave such rows out."
            )
            if cause is None:  # it happened in another process
                error.add_note(failure.traceback)
            raise error from cause
        self.count += 1
        if len(self.first) < TRACEBACKS:
            self.first.append(failure)

    def __str__(self) -> str:
        first = self.first[0]
        return (
            f"{self.name}: {self.count} rows, first row {first.row + 1}: {first.error}"
        )


@dataclass(frozen=True, eq=False)
class SignalFunction(ABC):
    """A rule that says the class of a row, or abstains.

    Attributes
    ----------
    name : str
        What the signal is called.
    is_named : bool
        Whether somebody chose the name. If not, a rules file gives that of the variable,
        and `corral.apply` counts equal names.
    """

    name: str = field(kw_only=True)
    is_named: bool = field(default=True, kw_only=True, repr=False)

    def apply(self, data: Any) -> Answers:
        """What the function says of every row.

        Parameters
        ----------
        data : data frame, column, list or array
            As for `corral.apply`.

        Returns
        -------
        Answers
        """
        return self.answer(Table.of(data), Failures(self.name))

    @abstractmethod
    def answer(self, table: Table, failures: Failures) -> Answers:
        """Answer every row of a table; count errors in `failures`."""


@dataclass(frozen=True, eq=False)
class ColumnFunction(SignalFunction):
    """A signal function that reads one column.

    Attributes
    ----------
    column : column name or None
        None: the data are the column.
    """

    column: Any


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


def named(name: str | None, default: Any) -> dict[str, Any]:
    """`name` and `is_named` of a function: the name given, else a default, cut to 40.

    A default that is not text is a callable with a name.
    """
    if name is None:
        if not isinstance(default, str):
            default = getattr(default, "__name__", type(default).__name__)
        short = default if len(default) <= 40 else default[:37] + "..."
        return {"name": short, "is_named": False}
    if not isinstance(name, str) or not name:
        raise ParameterError(f"name must be text; {name!r} was given.")
    return {"name": name}


# -- plain functions of a row ---------------------------------------------------


Said = tuple[tuple[Any] | None, float]
"""A class value, in a tuple because None is one here, or None; and how sure it is."""


@dataclass(frozen=True, eq=False)
class RowFunction(SignalFunction):
    """What `signal` makes; it can still be called with a row.

    Attributes
    ----------
    function : callable
        From a row to a class value, a probability, (class value, confidence) or None.
    label : class value or None
        The class that probabilities are of; None: the second of two.
    """

    function: Callable[[Any], Any]
    label: Any = None

    def __post_init__(self) -> None:
        for name in ("__name__", "__qualname__", "__doc__"):  # as wraps() does
            if hasattr(self.function, name):
                object.__setattr__(self, name, getattr(self.function, name))

    def __call__(self, row: Any) -> Any:
        return self.function(row)

    def answer(self, table: Table, failures: Failures, jobs: int = 1) -> Answers:
        """Answer every row, in so many processes."""
        rows = table.rows()
        with progress(f"applying {self.name}", len(rows), "rows") as bar:
            if jobs == 1:
                said: list[Said] = []
                for at in range(0, len(rows), BATCH):
                    part = rows[at : at + BATCH]
                    said += _call(self.function, self.label, part, at, failures)
                    bar.reach(len(said))
            else:
                said = self._call_in_processes(rows, failures, jobs, bar)
        return _collect(said)

    def _call_in_processes(
        self, rows: Sequence[Any], failures: Failures, jobs: int, bar: Any
    ) -> list[Said]:
        from joblib import Parallel, delayed  # which sends functions that pickle cannot

        size = max(1, len(rows) // (16 * jobs))
        said: list[Said] = []
        failed: list[Failures] = []

        # Work under way is not thrown away: joblib's pool can lose count of its tasks.
        def work() -> Iterator[Any]:
            for at in range(0, len(rows), size):
                if failed and not failures.abstain:
                    return
                part = rows[at : at + size]
                yield delayed(_call_there)(self.function, self.label, part, at)

        try:
            for part, errors in Parallel(jobs, return_as="generator")(work()):
                failed += [errors] if errors.count else []
                said += part
                bar.reach(len(said))
        except (BrokenProcessPool, PicklingError) as error:
            raise FunctionError(
                f"signal {self.name!r} cannot run in other processes "
                f"({type(error).__name__}: {error}). Run it in this one, with jobs=1."
            ) from error
        for errors in failed:
            failures.merge(errors)
        return said


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
        return lambda given: _signal(given, name, label)
    return _signal(function, name, label)


def _signal(function: Any, name: str | None, label: Any) -> RowFunction:
    if not callable(function):
        raise ParameterError(
            f"a signal is made of a function of a row; {function!r:.80} was given."
        )
    speaks_of = None if label is None else check_label(label)
    return RowFunction(function, speaks_of, **named(name, function))


def read_answers(returned: Iterable[Any], label: Any, failures: Failures) -> Answers:
    """What a function returned for every row, as answers.

    Parameters
    ----------
    returned : iterable
        Class values, probabilities, pairs of class value and confidence, None.
    label : class value or None
        The class that probabilities are of.
    failures : Failures
        Takes what is none of these.
    """
    return _collect(_call(lambda answer: answer, label, returned, 0, failures))


def _call(
    function: Callable[[Any], Any],
    label: Any,
    rows: Iterable[Any],
    start: int,
    failures: Failures,
) -> list[Said]:
    """What a function says of rows, of which the first is row `start`."""
    said: list[Said] = []
    for row, entry in enumerate(rows, start):
        try:
            said.append(_read_answer(function(entry), label))
        except Exception as error:
            failures.add(row, error)
            said.append((None, 1.0))
    return said


def _call_there(
    function: Callable[[Any], Any], label: Any, rows: Sequence[Any], start: int
) -> tuple[list[Said], Failures]:
    """The same in another process, which sends back what failed."""
    failures = Failures("", abstain=True)
    return _call(function, label, rows, start, failures), failures


def _collect(said: Sequence[Said]) -> Answers:
    found: dict[Any, int] = {
        value: code for code, value in enumerate(v for v in dict(said) if v)
    }
    codes = np.fromiter(
        (found.get(value, ABSTAIN) for value, _ in said),
        code_type(len(found)),
        len(said),
    )
    classes = tuple(value for (value,) in found)
    sure = np.array([confidence for _, confidence in said])
    certain = None not in classes and not (sure < 1).any()
    return Answers(classes, codes, None if certain else sure)


def _read_answer(answer: Any, label: Any) -> Said:
    if isinstance(answer, tuple | list) and len(answer) == 2:  # JSON has lists only
        value, confidence = answer
        if isinstance(value, str | int | np.integer) and value != "":
            return (check_label(value),), _check_probability(confidence)
    elif is_scalar(answer):
        if is_missing(answer):
            return None, 1.0
        if isinstance(answer, float | np.floating):
            return (label,), _check_probability(answer)
        if isinstance(answer, str | int | np.integer | np.bool_):
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
