"""`corral.apply`: functions and data in, weak signals out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from corral.checks import check_choice, check_positive
from corral.errors import (
    FunctionWarning,
    ParameterError,
    SignalsWarning,
    StorageError,
    warn_user,
)
from corral.functions.answer_cache import AnswerCache, load, save
from corral.functions.assemble_signals import assemble
from corral.functions.by_keywords import Keywords, answer_together
from corral.functions.by_rows import RowFunction, signal
from corral.functions.row_table import Table
from corral.functions.signal_function import Answers, Failures, SignalFunction
from corral.functions.values_read import CannotHashError
from corral.signals import WeakSignals
from corral.signals.constructors import check_names


def apply(
    functions: Any,
    data: Any,
    *,
    classes: Sequence[Any] | None = None,
    one_vs_rest: bool = False,
    on_error: Literal["raise", "abstain"] = "raise",
    cache: str | os.PathLike[str] | Literal[False] | None = None,
    jobs: int | None = None,
) -> WeakSignals:
    """Apply functions to data: one signal per function.

    If all functions vote, the result is class votes. If one gives probabilities, it is
    class probabilities: a vote is then certain, and a function that votes on one class
    only leaves what remains to the others in equal parts.

    Parameters
    ----------
    functions : SignalFunction, callable or (nested) list of them
        Made by `corral.signal` and the builders in `corral.functions`. A plain function
        is read as a signal of its name.
    data : pandas, Polars or PyArrow frame or column, list or array
        One example per row.
    classes : sequence, optional
        All classes in order; default: those that the functions vote on, sorted.
    one_vs_rest : bool
        Take what a function says of a class as a signal of that class alone, which is
        silent about the others (the paper's form, for rules and images of many classes).
    on_error : {"raise", "abstain"}
        What to do where a function fails on a row. An error names function and row; with
        "abstain" a `FunctionWarning` at the end has the counts and first tracebacks.
    cache : path, optional
        A folder in which answers are kept. A function whose code, constants, defaults,
        closure and globals are the same is not run again on the same data. What cannot be
        compared, or reads from outside (files, the clock, chance), is not kept, and a
        warning says so; nor is what failed. None or False: run all.
    jobs : int, optional
        At most so many processes for plain functions of a row, started where seconds of
        work are left; default: one per core.

    Returns
    -------
    WeakSignals

    Examples
    --------
    >>> import corral
    >>> from corral.functions import keywords
    >>> @corral.signal
    ... def question(text):
    ...     return "ham" if text.endswith("?") else None
    >>> texts = ["win a free prize", "lunch at noon?", "free for lunch?"]
    >>> signals = corral.apply([keywords(None, ["free", "win"], "spam"), question], texts)
    >>> signals.names, signals.classes.tolist()
    (('free, win', 'question'), ['ham', 'spam'])
    >>> signals.votes
    array([[ 1, -1],
           [-1,  0],
           [ 1,  0]], dtype=int8)
    """
    flat = _flatten(functions)
    check_choice("on_error", on_error, ("raise", "abstain"))
    if jobs is not None:
        check_positive("jobs", jobs)
    names = check_names([function.name for function in flat], len(flat))
    table = Table.of(data)
    failures = [Failures(name, on_error == "abstain") for name in names]
    folder = None if cache is False else cache
    answers = _answer_all(flat, table, failures, folder, jobs)
    warn_of_failures(failures)
    return assemble(answers, names, classes, one_vs_rest)


def _flatten(functions: Any) -> list[SignalFunction]:
    """All functions in one flat list."""
    if isinstance(functions, SignalFunction):
        return [functions]
    if callable(functions):
        return [signal(functions)]
    if isinstance(functions, str) or not isinstance(functions, Iterable):
        raise ParameterError(
            f"functions must be a list of signal functions; {functions!r:.80} was given."
        )
    flat = [one for part in functions for one in _flatten(part)]
    if not flat:
        raise ParameterError("no functions were given; at least one is needed.")
    return flat


def _answer_all(
    functions: list[SignalFunction],
    table: Table,
    failures: list[Failures],
    folder: str | os.PathLike[str] | None,
    jobs: int | None,
) -> list[Answers]:
    """The answers of every function, from the cache where they are kept."""
    files: list[Path | None] = [None] * len(functions)
    found: dict[int, Answers] = {}
    if folder is not None:
        cache = AnswerCache(folder, table)
        for at, function in enumerate(functions):
            try:
                files[at] = place = cache.file(function)
                kept = load(place, len(table))
            except CannotHashError as error:
                _warn(function, f"is not cached: {error}, so it is run every time.")
            except StorageError as error:
                _warn(function, f"is answered anew: {error}")
            else:
                found |= {} if kept is None else {at: kept}
    new = [at for at in range(len(functions)) if at not in found]
    words = [at for at in new if isinstance(functions[at], Keywords)]
    together: Any = [functions[at] for at in words]
    answers = answer_together(together, table, [failures[at] for at in words])
    found |= dict(zip(words, answers, strict=True))
    for at in new:
        if at not in found:
            found[at] = _answer(functions[at], table, failures[at], jobs)
        file = files[at]
        if file is not None and not failures[at].count:
            save(file, found[at])
    return [found[at] for at in range(len(functions))]


def _answer(
    function: SignalFunction, table: Table, failures: Failures, jobs: int | None
) -> Answers:
    if isinstance(function, RowFunction):
        return function.answer(table, failures, jobs)
    return function.answer(table, failures)


def _warn(function: SignalFunction, problem: str) -> None:
    warn_user(f"signal {function.name!r} {problem}", SignalsWarning)


def warn_of_failures(failures: list[Failures]) -> None:
    """Warn of rows that functions failed on, with counts and the first traceback."""
    failed = {f.name: f for f in failures if f.count}
    if failed:
        first = next(iter(failed.values())).first[0]
        warn_user(
            FunctionWarning(
                "functions failed on some rows, which count as abstains: "
                f"{'; '.join(map(str, failed.values()))}.\n{first.traceback}",
                failed,
            ),
        )
