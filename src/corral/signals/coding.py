"""From class values as users write them to small integer codes, and what abstains.

Ambiguous coding is refused, never guessed: a wrong guess would not crash, it would
quietly label everything wrong.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import IntArray
from corral.errors import ParameterError, SignalsError

ABSTAIN = -1
"""The code of an abstain inside corral, and the one read in integer votes."""


def as_array(data: ArrayLike, what: str, ndim: tuple[int, ...]) -> NDArray[Any]:
    """Read array-likes; refuse ragged, empty, complex and wrongly shaped ones."""
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise SignalsError(
            f"{what} are a masked array; fill the masked entries with the value that "
            "means no vote."
        )
    try:
        array = np.asarray(data)
        if isinstance(data, list | tuple) and array.dtype.kind == "U":
            # NumPy would write None and numbers as text.
            array = np.asarray(data, object)
    except ValueError as error:
        raise SignalsError(
            f"{what} must be a rectangular array; the rows given have different "
            "lengths. Fill the missing votes with the abstain value."
        ) from error
    if array.ndim not in ndim:
        shapes = " or ".join(str(d) for d in ndim)
        raise SignalsError(
            f"{what} must have {shapes} dimensions; an array of shape {array.shape} "
            "was given."
        )
    if 0 in array.shape:
        raise SignalsError(f"{what} are empty: the shape is {array.shape}.")
    if array.dtype.kind not in "biufUO":
        raise SignalsError(
            f"{what} must be numbers or strings; the dtype given is {array.dtype}."
        )
    return array


def code_votes(
    votes: NDArray[Any],
    classes: Sequence[Any] | None,
    abstain: Any,
    *,
    may_be_silent: bool = False,
) -> tuple[IntArray, NDArray[Any]]:
    """Code votes as integers.

    Parameters
    ----------
    votes : array of numbers, strings or objects
        Class values of any shape.
    classes : sequence, optional
        The class values in order; default: the values seen, sorted.
    abstain : scalar, optional
        The value that means "no vote"; default: -1 in integer votes, NaN, None
        or "" in others.
    may_be_silent : bool
        Allow votes that all abstain: there is nothing to learn from them, but they
        may be predicted on.

    Returns
    -------
    codes : array of int8 or int16, same shape
        Positions in `classes`, -1 for abstain.
    classes : (k,) array
    """
    classes = class_list(classes)
    if classes is not None and abstain is not None and abstain in classes:
        raise SignalsError(f"{abstain!r} is named both as a class and as `abstain`.")
    if votes.dtype.kind in "biu":
        codes, values = _code_integers(votes, classes, abstain)
    elif votes.dtype.kind == "f":
        codes, values = _code_floats(votes, classes, abstain)
    else:
        codes, values = _code_objects(votes, classes, abstain)
    if codes.max() < 0 and not may_be_silent:
        raise SignalsError(
            "every vote is an abstain, so there is nothing to label from. Check "
            "`abstain=`, or the functions that made the votes."
        )
    return codes, values


def class_list(classes: Any) -> list[Any] | None:
    """Named classes as a list: strings or numbers, in an order, none twice."""
    if classes is None:
        return None
    if isinstance(classes, str | set | frozenset | dict) or not isinstance(
        classes, Iterable
    ):
        raise SignalsError(
            f"`classes` must be a list of class values in order; {classes!r} was given."
        )
    values = (
        np.asarray(classes).tolist() if hasattr(classes, "dtype") else list(classes)
    )
    if len({isinstance(value, str) for value in values}) > 1:
        raise SignalsError(
            f"`classes` must be all text or all numbers; it is {values}."
        )
    if len(set(values)) != len(values):
        raise SignalsError(f"`classes` names a class twice: {values}.")
    return values


def _check_classes(classes: Sequence[Any], seen: list[Any], guessed: bool) -> None:
    known = set(classes)
    unknown = [value for value in seen if value not in known]
    if unknown:
        raise SignalsError(
            f"votes for {_listing(unknown)}, which are not among the classes "
            f"{_listing(classes)}. Name every class in `classes=`, or the value "
            "that means no vote in `abstain=`."
        )
    if len(classes) < 2:
        raise SignalsError(
            f"all votes are for one class, {_listing(classes)}; a labeling problem "
            "has at least two. "
            + ("Name them all with `classes=`." if guessed else "Name the others too.")
        )


def _listing(values: Sequence[Any], most: int = 8) -> str:
    shown = ", ".join(repr(getattr(v, "item", lambda v=v: v)()) for v in values[:most])
    return shown + (f", ... ({len(values)} in all)" if len(values) > most else "")


def code_type(n_classes: int) -> type[np.signedinteger]:
    """The smallest integer type that holds the codes of so many classes."""
    return np.int8 if n_classes <= 127 else np.int16 if n_classes < 2**15 else np.int32


def _code_integers(
    votes: NDArray[Any], classes: Sequence[Any] | None, abstain: Any
) -> tuple[IntArray, NDArray[Any]]:
    seen = _seen_integers(votes)
    if abstain is not None and not isinstance(abstain, Real):
        raise SignalsError(f"the votes are integers, but abstain={abstain!r} is not.")
    if classes is None:
        if abstain is None and seen == [-1, 1]:
            raise SignalsError(
                "the votes are exactly -1 and 1, which may mean two classes or one "
                "class and abstain. Pass `classes=[-1, 1]` if both are classes, or "
                "`abstain=-1` and `classes=` otherwise."
            )
        if abstain is None and seen[0] < -1:
            raise SignalsError(
                f"integer votes must be at least 0, or -1 for abstain; {seen[0]} came. "
                "Pass `classes=` or `abstain=` if that is meant."
            )
        silent: Any = -1 if abstain is None else abstain
        names: Sequence[Any] = [value for value in seen if value != silent]
    else:
        names = list(classes)
        if not all(isinstance(c, Real | np.integer) for c in names):
            raise SignalsError(
                f"the votes are integers, but `classes` holds {_listing(names)}."
            )
        silent = abstain if abstain is not None else (None if -1 in names else -1)
    spoken = [value for value in seen if value != silent]
    if not spoken:
        return np.full(votes.shape, ABSTAIN, np.int8), np.array(names)
    _check_classes(names, spoken, guessed=classes is None)
    dtype = code_type(len(names))
    if silent in (-1, None) and list(names) == list(range(len(names))):
        return votes.astype(dtype), np.array(names)
    values = np.array(spoken)
    order = {value: code for code, value in enumerate(names)}
    codes_of = np.array([order[value] for value in spoken], dtype)
    codes = codes_of[np.searchsorted(values, votes).clip(max=len(values) - 1)]
    if silent is not None:
        codes[votes == silent] = ABSTAIN
    return codes, np.array(names)


def _seen_integers(votes: NDArray[Any]) -> list[int]:
    low, high = int(votes.min()), int(votes.max())
    if high - low > 255:
        return [int(v) for v in np.unique(votes)]
    # A look at the first rows finds nearly every value; the rest are searched for.
    seen = set(np.unique(votes[:4096]).tolist()) | {low, high}
    missing = [v for v in range(low, high + 1) if v not in seen]
    if len(missing) > 16:
        return [int(v) for v in np.unique(votes)]
    return sorted(seen | {v for v in missing if (votes == v).any()})


def _code_floats(
    votes: NDArray[Any], classes: Sequence[Any] | None, abstain: Any
) -> tuple[IntArray, NDArray[Any]]:
    missing = np.isnan(votes)
    known = votes[~missing]
    if (np.abs(known) > 2**53).any():
        raise SignalsError(
            "votes must be class values, not infinite or huge numbers; "
            f"{np.abs(known).max():g} came."
        )
    if (known != np.rint(known)).any():
        odd = known[known != np.rint(known)].tolist()[0]
        raise SignalsError(
            f"votes must be class values; {odd!r} came. For probabilities use "
            "`WeakSignals.from_probabilities` or `from_one_vs_rest`."
        )
    if not missing.any():
        return _code_integers(votes.astype(np.int64), classes, abstain)
    if isinstance(abstain, Real) and not math.isnan(abstain):
        raise SignalsError(
            f"NaN where votes are: {int(missing.sum())} of {votes.size}, while "
            f"abstain={abstain!r}. Give one value that means no vote."
        )
    if abstain is None and -1 in known and (classes is None or -1 not in classes):
        raise SignalsError(
            "the votes hold both NaN and -1, so it is unclear which means no vote. "
            "Pass `abstain=`, or `classes=` if -1 is a class."
        )
    silent = int(known.min(initial=0)) - 2
    whole = np.where(missing, silent, votes).astype(np.int64)
    return _code_integers(whole, classes, silent)


def is_missing(value: Any) -> bool:
    """None, "", NaN and the missing values of data frame libraries."""
    if type(value).__name__ in ("NoneType", "NAType", "NaTType"):
        return True
    return math.isnan(value) if isinstance(value, float) else value == ""


def _code_objects(
    votes: NDArray[Any], classes: Sequence[Any] | None, abstain: Any
) -> tuple[IntArray, NDArray[Any]]:
    flat = votes.ravel().tolist()
    try:
        distinct = set(flat)
    except TypeError as error:
        raise SignalsError(
            "votes must be class values (strings or integers); the object array given "
            "holds lists or other containers."
        ) from error
    if abstain is None:
        silent = {value for value in distinct if is_missing(value)}
    else:
        silent = {v for v in distinct if not is_missing(v) and v == abstain}
        silent |= {v for v in distinct if is_missing(v) and is_missing(abstain)}
        left = [value for value in distinct - silent if is_missing(value)]
        if left:
            raise SignalsError(
                f"{left[0]!r} where votes are, while abstain={abstain!r}. Give one "
                "value that means no vote."
            )
    spoken = distinct - silent
    truths = bool(spoken) and all(isinstance(v, bool | np.bool_) for v in spoken)
    if not truths and not all(isinstance(value, str) for value in spoken):
        if all(isinstance(v, Real | np.bool_ | Decimal) for v in spoken):
            if abstain is not None and not isinstance(abstain, Real):
                raise SignalsError(f"the votes are numbers, but {abstain=} is not.")
            missing = silent if abstain is None else set()
            numbers = [math.nan if v in missing else float(v) for v in flat]
            return _code_floats(np.reshape(numbers, votes.shape), classes, abstain)
        kinds = sorted({type(value).__name__ for value in spoken})
        raise SignalsError(
            "votes must be all strings or all integers; the array given holds "
            f"{', '.join(kinds)}."
        )
    names = sorted(spoken) if classes is None else list(classes)
    if spoken:
        _check_classes(names, sorted(spoken), guessed=classes is None)
    lookup = {value: code for code, value in enumerate(names)}
    lookup |= dict.fromkeys(silent, ABSTAIN)
    dtype = code_type(len(names))
    codes = np.fromiter(map(lookup.__getitem__, flat), dtype, len(flat))
    return codes.reshape(votes.shape), np.array(names or ["", "?"])


def code_labels(labels: ArrayLike, classes: NDArray[Any], n: int) -> IntArray:
    """Code the true classes of `n` examples, as far as they are known.

    Parameters
    ----------
    labels : (n,) array of class values
        None, NaN, "" or -1 (where it is no class) where unknown.
    classes : (k,) array
    n : int

    Returns
    -------
    (n,) array of int
        Positions in `classes`, -1 where unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.signals.coding import code_labels
    >>> code_labels(["b", None, "a"], np.array(["a", "b"]), 3).tolist()
    [1, -1, 0]
    """
    given = np.asarray(labels, object)
    if given.shape != (n,):
        raise ParameterError(
            f"known labels must hold one value for each of the {n} examples, None or -1 "
            f"where unknown; the shape given is {given.shape}."
        )
    lookup = {value: code for code, value in enumerate(classes.tolist())}
    codes = np.full(n, ABSTAIN)
    for i, value in enumerate(given.tolist()):
        if isinstance(value, Hashable) and value in lookup:
            codes[i] = lookup[value]
        elif not is_missing(value) and value != ABSTAIN:
            raise ParameterError(
                f"label {value!r} is not one of the classes {classes.tolist()}. "
                + _advice(value, lookup)
            )
    return codes


def _advice(value: Any, classes: Iterable[Any]) -> str:
    """What to do about a label that is no class."""
    alike = [known for known in classes if str(known) == str(value)]
    if not alike:
        return "Name every class in `classes=`, in order."
    kind = type(alike[0]).__name__
    return (
        f"The class {alike[0]!r} is of type {kind}, the label of type "
        f"{type(value).__name__}: make the labels {kind}, too."
    )
