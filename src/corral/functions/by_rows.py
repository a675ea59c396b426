"""Plain functions of a row as signals."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from numbers import Real
from pickle import PicklingError
from typing import Any, overload

import numpy as np

from corral.errors import ParameterError, SignalsWarning, warn_user
from corral.functions.row_table import Table, is_scalar
from corral.functions.signal_function import (
    Answers,
    Failure,
    Failures,
    SignalFunction,
    check_label,
    choose_name,
    encode,
)
from corral.progress import progress
from corral.signals.abstains import is_missing
from corral.signals.coding import ABSTAIN

BATCH = 256
"""Rows between two looks at the clock, once they are known to be quick."""
LOOK_AFTER = 0.5
"""Seconds after which the time that is left is estimated."""
WORTH_PROCESSES = 8.0
"""Seconds of work left from which on it is worth starting other processes.

Each takes a second to start, so two of them pay from some three seconds on if both cores
are free; on a busy machine, much later.
"""


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

    def answer(
        self, table: Table, failures: Failures, jobs: int | None = None
    ) -> Answers:
        """Answer every row, on several cores where that pays."""
        returned = _call_all(self, table.rows(), failures, jobs)
        return read_answers(returned, self.label, failures)


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

    It should depend on the row alone: large data are answered by several processes.

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
    return RowFunction(function, speaks_of, name=choose_name(name, function))


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
    values: list[tuple[Any] | None] = []
    sure: list[float] = []
    for row, answer in enumerate(returned):
        try:
            value, confidence = _read_answer(answer, label)
        except (TypeError, ValueError) as error:
            failures.add(row, error)
            value, confidence = None, 1.0
        values.append(value)
        sure.append(confidence)
    answers = encode(values)
    classes = tuple(value for (value,) in answers.classes)
    confidence_ = np.array(sure)
    certain = None not in classes and not (confidence_ < 1).any()
    return Answers(classes, answers.codes, None if certain else confidence_)


def _read_answer(answer: Any, label: Any) -> tuple[tuple[Any] | None, float]:
    """A class value, in a tuple because None is one here, or None; and how sure it is."""
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


# -- one core or several ------------------------------------------------------


def _call_all(
    function: RowFunction, rows: Sequence[Any], failures: Failures, jobs: int | None
) -> list[Any]:
    """What the function returns for every row; None where it fails."""
    most = jobs or os.cpu_count() or 1
    returned: list[Any] = []
    n, size = len(rows), 1
    began = time.perf_counter()
    with progress(f"applying {function.name}", n, "rows") as bar:
        while len(returned) < n:
            start = len(returned)
            part, errors = _call(function.function, rows[start : start + size], start)
            failures.add_all(errors)
            returned += part
            bar.reach(len(returned))
            size = min(2 * size, BATCH)
            seconds = time.perf_counter() - began
            left = seconds * (n / len(returned) - 1)
            if most > 1 and seconds > LOOK_AFTER and left > WORTH_PROCESSES:
                more = _call_in_processes(
                    function, rows, len(returned), failures, most, bar
                )
                if more is not None:
                    return returned + more
                most = 1
    return returned


def _call(
    function: Callable[[Any], Any], rows: Iterable[Any], start: int
) -> tuple[list[Any], dict[int, BaseException]]:
    """What a function returns for rows that begin with row `start`, and its errors."""
    returned = []
    errors: dict[int, BaseException] = {}
    for row, entry in enumerate(rows, start):
        try:
            returned.append(function(entry))
        except Exception as error:
            returned.append(None)
            errors[row] = error
    return returned, errors


def _call_there(
    function: Callable[[Any], Any], rows: Sequence[Any], start: int
) -> tuple[list[Any], list[Failure]]:
    """`_call` in another process, which can send back plain answers only."""
    returned, errors = _call(function, rows, start)
    for at, answer in enumerate(returned):
        try:
            _read_answer(answer, None)
        except (TypeError, ValueError) as error:
            returned[at] = None
            errors[start + at] = error
    return returned, [Failure.of(row, error) for row, error in errors.items()]


def _call_in_processes(
    function: RowFunction,
    rows: Sequence[Any],
    start: int,
    failures: Failures,
    jobs: int,
    bar: Any,
) -> list[Any] | None:
    """Call the rows from `start` on in several processes; None if that is impossible."""
    # joblib comes with scikit-learn, and can send functions that pickle cannot.
    from joblib import Parallel, delayed
    from joblib.externals.loky.backend.reduction import dumps

    n = len(rows)
    size = max(1, (n - start) // (16 * jobs))
    returned: list[Any] = []
    failed: list[Failure] = []

    # Work that is under way is never thrown away, here or below: joblib's process pool
    # can lose count of its tasks when it is stopped half way.
    def work() -> Iterator[Any]:
        for at in range(start, n, size):
            if failed and not failures.abstain:
                return
            yield delayed(_call_there)(function.function, rows[at : at + size], at)

    try:
        dumps((function.function, rows[start]))
        for part, errors in Parallel(jobs, return_as="generator")(work()):
            failed += errors
            returned += part
            bar.reach(start + len(returned))
    except (BrokenProcessPool, PicklingError, TypeError) as error:
        warn_user(
            f"signal {function.name!r} runs on one core: it cannot be sent to other "
            f"processes ({type(error).__name__}: {error}). Pass jobs=1 if that is fine.",
            SignalsWarning,
        )
        return None
    for failure in failed:
        failures.add_failure(failure)
    return returned
