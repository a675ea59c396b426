"""`corral.apply`: functions and data in, weak signals out; and files of both."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from runpy import run_path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.checks import check_choice
from corral.errors import (
    FunctionError,
    FunctionWarning,
    ParameterError,
    SignalsError,
    warn_user,
)
from corral.functions.base import (
    Answers,
    Examples,
    Failures,
    RowFunction,
    SignalFunction,
)
from corral.results import Part, Result, Table
from corral.votes import Kind, Schema, WeakSignals
from corral.votes.coding import ABSTAIN, class_list, code_type
from corral.votes.reading import check_names


def apply(
    functions: Any,
    data: Any,
    *,
    classes: Sequence[Any] | None = None,
    on_error: Literal["raise", "abstain"] = "raise",
) -> WeakSignals:
    """Apply functions to data: one signal per function.

    If all functions vote, the result is class votes. If one gives probabilities, it is
    class probabilities: a vote is then certain, and a function that votes on one class
    only leaves what remains to the others in equal parts.

    Parameters
    ----------
    functions : SignalFunction, callable or (nested) list of them
        From `corral.signal` and the builders in `corral.functions`. A plain function is a
        signal of its name.
    data : pandas, Polars or PyArrow frame or column, list or array
        One example per row.
    classes : sequence, optional
        All classes in order; default: those that the functions vote on, sorted.
    on_error : {"raise", "abstain"}
        What to do where a function fails on a row. An error names function and row; with
        "abstain" a `FunctionWarning` at the end has the counts and the first traceback.

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
    (('free', 'question'), ['ham', 'spam'])
    >>> signals.votes
    array([[ 1, -1],
           [-1,  0],
           [ 1,  0]], dtype=int8)
    """
    flat = _flatten(functions)
    check_choice("on_error", on_error, ("raise", "abstain"))
    names = _name_all(flat)
    check_names(names, len(flat))
    examples = Examples(data)
    answers, failed = [], {}
    for function, name in zip(flat, names, strict=True):
        failures = Failures(name, on_error == "abstain")
        answers.append(function.answer(examples, failures))
        if failures.count:
            failed[name] = failures
    if failed:
        told = "; ".join(map(str, failed.values()))
        first = next(iter(failed.values())).traceback
        message = f"functions failed on some rows, which count as abstains: {told}."
        warn_user(FunctionWarning(f"{message}\n{first}", failed))
    values = _find_classes(answers, names, classes)
    position = {value: code for code, value in enumerate(values)}
    position[None] = 1  # the second of two classes
    if any(one.is_soft for one in answers):
        shares = [_make_shares(one, position, len(values)) for one in answers]
        return WeakSignals.from_probabilities(
            np.stack(shares, axis=1), classes=values, names=names
        )
    votes: Any = np.empty((len(examples), len(answers)), code_type(len(values)))
    for at, one in enumerate(answers):
        votes[:, at] = _encode(one, position)
    schema = Schema(Kind.CLASS_VOTES, np.array(values), len(names), tuple(names))
    return WeakSignals.from_codes(votes, schema)


def _flatten(functions: Any) -> list[SignalFunction]:
    if isinstance(functions, SignalFunction):
        return [functions]
    if callable(functions):  # Snorkel's labeling functions have a name of their own
        name = getattr(functions, "name", getattr(functions, "__name__", None))
        return [RowFunction(functions, name=name)]
    if isinstance(functions, str) or not isinstance(functions, Iterable):
        raise ParameterError(
            f"functions must be a list of signal functions; {functions!r:.80} was given."
        )
    flat = [one for part in functions for one in _flatten(part)]
    if not flat:
        raise ParameterError("no functions were given; at least one is needed.")
    return flat


def _name_all(functions: Sequence[SignalFunction]) -> list[str]:
    """The names of functions; those that nobody chose are told apart by a number."""
    taken = {f.name for f in functions if f.is_named}
    names: dict[int, str] = {}
    for function in functions:
        name, number = function.name, 2
        while not function.is_named and id(function) not in names and name in taken:
            name, number = f"{function.name} {number}", number + 1
        taken.add(name)
        names.setdefault(id(function), name)
    return [names[id(function)] for function in functions]


def _find_classes(
    answers: Sequence[Answers], names: Sequence[str], classes: Sequence[Any] | None
) -> list[Any]:
    """All classes in order: those given, or those that are voted for, sorted."""
    first: dict[Any, str] = {}  # the signal that says a class first
    for name, one in zip(names, answers, strict=True):
        for value in one.classes:
            first.setdefault(value, name)
    voted = [value for value in first if value is not None]
    given = class_list(classes)
    if given is None and len({isinstance(value, str) for value in voted}) > 1:
        shown = ", ".join(f"{value!r} ({first[value]})" for value in voted[:8])
        raise SignalsError(
            f"classes must be all text or all numbers; the functions say {shown}."
        )
    values = sorted(voted) if given is None else given
    unknown = [value for value in voted if value not in values]
    if unknown:
        raise SignalsError(
            f"signal {first[unknown[0]]!r} says {unknown[0]!r}, which is not among the "
            f"classes {values}. Name every class with `classes=`."
        )
    if len(values) < 2:
        raise SignalsError(
            f"the functions vote on {values or 'no class'}; at least two classes are "
            "needed. Name them all with `classes=`."
        )
    if None in first and len(values) > 2:
        raise SignalsError(
            f"signal {first[None]!r} gives a probability, and does not say of which class. "
            f"There are {len(values)}. Name one: @corral.signal(label=...)."
        )
    return values


def _encode(one: Answers, position: dict[Any, int]) -> IntArray:
    """(n,) positions in all classes, -1 for an abstain."""
    to = np.array([*(position[value] for value in one.classes), ABSTAIN])
    codes: IntArray = to[one.codes]  # -1 is the last
    return codes


def _make_shares(one: Answers, position: dict[Any, int], k: int) -> FloatArray:
    """(n, k) probabilities, NaN for an abstain; unnamed classes share the rest evenly."""
    shares = np.full((len(one), k), np.nan)
    rest: Any = 0.0
    if one.probabilities is not None:
        shares[:, [position[value] for value in one.classes]] = one.probabilities
    else:
        codes = _encode(one, position)
        rows = np.flatnonzero(codes != ABSTAIN)
        sure = np.ones(len(one)) if one.confidence is None else one.confidence
        shares[rows, codes[rows]] = sure[rows]
        rest = ((1 - sure) / (k - 1))[:, None]
    unsaid = np.isnan(shares)
    silent = unsaid.all(axis=1, keepdims=True)
    return np.where(unsaid & ~silent, rest, shares)


# -- files of data ---------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class AppliedFile(Result):
    """What functions said of the rows of a file."""

    rows: int
    classes: NDArray[Any]
    probabilities: bool  # whether any function gives them
    covered: float  # share of the rows on which any function votes
    signals: tuple[str, ...]
    coverage: FloatArray
    conflicts: FloatArray
    kept: tuple[str, ...]  # columns of the data that were written
    columns: tuple[str, ...]  # those that were added

    title = "What the functions say"

    def parts(self) -> Iterator[Part]:
        shares = {"coverage": self.coverage, "conflicts": self.conflicts}
        yield Table(
            {"signal": self.signals, **shares}, formats=dict.fromkeys(shares, ".1%")
        )
        yield f"{self.rows:,} rows, {self.covered:.1%} covered"


def vote_columns(signals: WeakSignals) -> dict[str, NDArray[Any]]:
    """What signals say as columns, empty where they abstain."""
    if not signals.is_hard:
        said = signals.probabilities[signals.row_of]
        if signals.n_classes == 2 and signals.schema.names_classes:
            each = zip(signals.names, said[:, :, 1].T, strict=True)
            return {name: np.ma.masked_invalid(own) for name, own in each}
        return {
            f"{name}_{label}": np.ma.masked_invalid(said[:, i, k])
            for i, name in enumerate(signals.names)
            for k, label in enumerate(signals.classes)
        }
    columns: dict[str, NDArray[Any]] = {}
    for name, codes in zip(signals.names, signals.votes.T, strict=True):
        if signals.classes.dtype.kind in "biuf":
            columns[name] = np.ma.masked_array(signals.classes[codes], codes < 0)
        else:
            columns[name] = signals.classes.astype(object)[codes]
            columns[name][codes < 0] = None
    return columns


# -- functions of a file --------------------------------------------------------


def load_functions(path: str | os.PathLike[str]) -> list[SignalFunction]:
    r"""Run a Python file, and take the signal functions that it defines.

    It takes what `corral.signal` and the builders of `corral.functions` make, also in
    lists, in the order of the file. It leaves out names that begin with an underscore. A
    function without a name gets the name of its variable. The file can import other files
    of its folder.
    """
    place = Path(path)
    if place.suffix != ".py" or not place.is_file():
        raise FunctionError(
            "functions are read from a Python file, such as rules.py; "
            f"{str(path)!r} {'is another file' if place.is_file() else 'is not there'}."
        )
    found: dict[int, SignalFunction] = {}
    for name, value in _run(place).items():
        if name.startswith("_"):
            continue
        for function in _functions_in(value):
            found.setdefault(id(function), function)
        if isinstance(value, SignalFunction) and not found[id(value)].is_named:
            found[id(value)] = renamed = copy(value)
            renamed.name, renamed.is_named = name, True
    functions = list(found.values())
    if not functions:
        raise FunctionError(
            f"{place.name!r} defines no signal functions. Decorate a function of a row "
            "with @corral.signal, or build one with corral.functions, such as keywords."
        )
    return functions


def _run(place: Path) -> dict[str, Any]:
    """What a file defines, by name."""
    sys.path.insert(0, str(place.absolute().parent))
    try:
        return run_path(str(place), run_name="corral_functions")
    except (Exception, SystemExit) as error:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == str(place)
        ]
        at = lines[-1] if lines else getattr(error, "lineno", None)
        where = "" if at is None else f", line {at}"
        raise FunctionError(
            f"{place.name!r} failed{where}: {type(error).__name__}: {error}."
        ) from error


def _functions_in(value: Any) -> list[SignalFunction]:
    if isinstance(value, list | tuple):
        return [function for item in value for function in _functions_in(item)]
    return [value] if isinstance(value, SignalFunction) else []
