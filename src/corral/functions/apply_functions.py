"""`corral.apply`: functions and data in, weak signals out; and functions of a file."""

from __future__ import annotations

import os
import pickle
import re
import sys
import traceback
from collections.abc import Iterable, Sequence
from copy import copy
from hashlib import sha256
from pathlib import Path
from runpy import run_path
from typing import Any, Literal

import numpy as np

from corral._types import FloatArray, IntArray
from corral.checks import check_choice, check_positive
from corral.errors import (
    FunctionError,
    FunctionWarning,
    ParameterError,
    SignalsError,
    StorageError,
    warn_user,
)
from corral.functions.base import (
    Answers,
    Failures,
    RowFunction,
    SignalFunction,
    Table,
)
from corral.persist import read_file, write_file
from corral.votes import Kind, Schema, WeakSignals
from corral.votes.coding import ABSTAIN, class_list, code_type
from corral.votes.reading import check_names

KIND = "answers of a signal"


def apply(
    functions: Any,
    data: Any,
    *,
    classes: Sequence[Any] | None = None,
    one_vs_rest: bool = False,
    on_error: Literal["raise", "abstain"] = "raise",
    cache: str | os.PathLike[str] | None = None,
    version: Any = None,
    jobs: int = 1,
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
        A folder in which the answers of every function are kept, under its name, `version`
        and the data. Answers with failures are not kept.
    version : str or int, optional
        Which functions these are; needed for a cache. Change it when you change one:
        corral does not look into functions.
    jobs : int
        Processes for plain functions of a row. With more than one, a function has to
        depend on its row alone: what it remembers of other rows is not shared.

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
    check_positive("jobs", jobs)
    names = _name_all(flat)
    check_names(names, len(flat))
    table = Table(data)
    files: Sequence[Path | None] = [None] * len(flat)
    if cache is not None:
        files = _cache_files(Path(cache), names, version, data)
    answers, failed = [], {}
    for function, name, file in zip(flat, names, files, strict=True):
        if file is not None and file.exists():
            settings, arrays = read_file(file, KIND)
            answers.append(Answers(tuple(settings["classes"]), **arrays))
            continue
        failures = Failures(name, on_error == "abstain")
        many = {"jobs": jobs} if isinstance(function, RowFunction) else {}
        found = function.answer(table, failures, **many)
        answers.append(found)
        if failures.count:
            failed[name] = failures
        elif file is not None:
            parts = ("codes", "confidence", "probabilities")
            arrays = {p: a for p in parts if (a := getattr(found, p)) is not None}
            write_file(file, KIND, {"classes": list(found.classes)}, arrays)
    if failed:
        told = "; ".join(map(str, failed.values()))
        first = next(iter(failed.values())).first[0].traceback
        message = f"functions failed on some rows, which count as abstains: {told}."
        warn_user(FunctionWarning(f"{message}\n{first}", failed))
    values = _find_classes(answers, names, classes)
    position = {value: code for code, value in enumerate(values)}
    position[None] = 1  # the second of two classes
    if one_vs_rest or any(one.is_soft for one in answers):
        k = len(values)
        made = [_make_shares(one, position, k, one_vs_rest) for one in answers]
        if one_vs_rest:
            return WeakSignals.from_one_vs_rest(
                np.stack(made), classes=values, names=names
            )
        return WeakSignals.from_probabilities(
            np.stack(made, axis=1), classes=values, names=names
        )
    votes: Any = np.empty((len(table), len(answers)), code_type(len(values)))
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


def _cache_files(
    folder: Path, names: Sequence[str], version: Any, data: Any
) -> list[Path]:
    """Where the answers of functions are kept, by their names, the version and the data."""
    if version is None:
        raise ParameterError(
            "must say which functions these are, as version=2, where there is a cache: "
            "corral does not see that you changed one.",
            parameter="version",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot use {str(folder)!r} as a cache: {error}."
        ) from error
    given = sha256(pickle.dumps((version, data)))
    files = []
    for name in names:
        key = given.copy()
        key.update(name.encode("utf-8", "surrogatepass"))
        slug = re.sub(r"\W+", "-", name).strip("-")[:40]
        files.append(folder / f"{slug}-{key.hexdigest()[:40]}.npz")
    return files


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
            f"the functions speak of {values or 'no class'}; a labeling problem has at "
            f"least two classes. Name them all with `classes=`."
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


def _make_shares(
    one: Answers, position: dict[Any, int], k: int, one_vs_rest: bool
) -> FloatArray:
    """(n, k) probabilities, NaN for an abstain.

    Classes that the function does not speak of have NaN in one-vs-rest signals; else they
    share the rest evenly.
    """
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
    if one_vs_rest:
        return shares
    unsaid = np.isnan(shares)
    silent = unsaid.all(axis=1, keepdims=True)
    return np.where(unsaid & ~silent, rest, shares)


# -- functions of a file --------------------------------------------------------


def load_functions(path: str | os.PathLike[str]) -> list[SignalFunction]:
    r"""Run a Python file, and take the signal functions that it defines.

    Those are what `corral.signal` and the builders of `corral.functions` make, by
    themselves or in lists, in the order of their names in the file. Names that begin with
    an underscore are left out. A function that was given no name is called as its variable.
    The file can import what lies beside it.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from corral.functions import load_functions
    >>> file = Path(tempfile.mkdtemp()) / "rules.py"
    >>> _ = file.write_text(
    ...     "from corral.functions import keywords\n"
    ...     "offers = keywords('text', ['free', 'win'], 'spam')\n"
    ... )
    >>> [function.name for function in load_functions(file)]
    ['offers']
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
        # Its module is gone afterwards, so functions go to other processes as they are.
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
