"""From class values as users write them to small integer codes, and what abstains.

Ambiguous coding is refused, never guessed: a wrong guess would not crash, it would
quietly label everything wrong.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import IntArray
from corral.errors import SignalsError
from corral.votes.abstains import is_missing, is_no_vote, list_abstains
from corral.votes.spellings import normalise_text, refuse_spellings

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
        given = f"an array of shape {array.shape}" if array.ndim else f"{data!r:.60}"
        advice = " Give one row per example and one column per signal."
        raise SignalsError(
            f"{what} must have {shapes} dimensions; {given} was given."
            f"{advice if what == 'votes' else ''}"
        )
    if 0 in array.shape:
        raise SignalsError(f"{what} are empty: the shape is {array.shape}.")
    if array.dtype.kind not in "biufUO":
        raise SignalsError(
            f"{what} must be numbers or strings; the dtype given is {array.dtype}."
        )
    return array


class UnknownClassError(SignalsError):
    """Votes for a class that is not listed: what came, and what to do."""

    def __str__(self) -> str:
        return " ".join(self.args)


@dataclass(frozen=True)
class CodedVotes:
    """Votes as small integers, and how they were read.

    Attributes
    ----------
    codes : array of int8, int16 or int32
        Positions in `classes`, -1 for abstain.
    classes : (k,) array
        Class values.
    silent : tuple
        The values that occurred and were read as no vote; None for missing ones.
    """

    codes: IntArray
    classes: NDArray[Any]
    silent: tuple[Any, ...]


def code_votes(
    votes: NDArray[Any],
    classes: Sequence[Any] | None,
    abstain: Any,
    *,
    normalise: bool = False,
    may_be_silent: bool = False,
) -> CodedVotes:
    """Code votes as integers.

    Parameters
    ----------
    votes : array of numbers, strings or objects
        Class values of any shape.
    classes : sequence, optional
        The class values in order; default: the values seen, sorted.
    abstain : scalar or sequence, optional
        The value, or values, that mean "no vote"; default: -1 in integer votes, NaN,
        None and "" in others. Texts such as "N/A" are no votes either way, unless
        `classes` lists them.
    normalise : bool
        Read texts that differ in case or blanks only as one class.
    may_be_silent : bool
        Allow votes that all abstain: there is nothing to learn from them, but they
        may be predicted on.
    """
    named = class_list(classes)
    silent = list_abstains(abstain)
    both = [value for value in silent if named is not None and value in named]
    if both:
        raise SignalsError(f"{both[0]!r} is named both as a class and in `abstain=`.")
    if votes.dtype.kind in "biuf" and normalise:
        raise SignalsError(
            "`normalise=True` is for votes that are text; these are not."
        )
    if votes.dtype.kind == "f" and np.isnan(votes).all():
        votes = np.full(votes.shape, None)  # classes may be text or numbers
    if votes.dtype.kind in "biu":
        coded = _code_integers(votes, named, silent)
    elif votes.dtype.kind == "f":
        coded = _code_floats(votes, named, silent)
    else:
        coded = _code_objects(votes, named, silent, normalise)
    if coded.codes.max() < 0 and not may_be_silent:
        raise SignalsError(
            "every vote is an abstain, so there is nothing to label from. Check "
            "`abstain=`, or the functions that made the votes."
        )
    return coded


def class_list(classes: Any) -> list[Any] | None:
    """Named classes as a list: strings or numbers, in an order, none twice."""
    if classes is None:
        return None
    if isinstance(classes, str | set | frozenset | dict) or not isinstance(
        classes, Iterable
    ):
        raise SignalsError(
            f"`classes=` must be a list of class values in order; {classes!r} "
            "was given."
        )
    values = (
        np.asarray(classes).tolist() if hasattr(classes, "dtype") else list(classes)
    )
    if len({isinstance(value, str) for value in values}) > 1:
        raise SignalsError(
            f"`classes=` must be all text or all numbers; it is {values}."
        )
    try:
        different = len(set(values)) == len(values)
    except TypeError as error:
        raise SignalsError(
            f"`classes=` must be texts or numbers; it is {values!r:.80}."
        ) from error
    if not different:
        raise SignalsError(f"`classes=` names a class twice: {values}.")
    _refuse_nul(values)
    return values


def _refuse_nul(values: Iterable[Any]) -> None:
    ending = [v for v in values if isinstance(v, str) and v.endswith("\0")]
    if ending:
        raise SignalsError(
            f"the class {ending[0]!r} ends in a NUL character, which arrays of text drop. "
            "Remove that character from the votes."
        )


def _check_classes(classes: Sequence[Any], seen: list[Any], guessed: bool) -> None:
    known = set(classes)
    unknown = [value for value in seen if value not in known]
    if unknown:
        raise UnknownClassError(
            f"votes for {_listing(unknown)}, which are not among the classes "
            f"{_listing(classes)}.",
            "Name every class in `classes=`, or the value that means no vote in "
            "`abstain=`.",
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
    votes: NDArray[Any], classes: list[Any] | None, abstain: tuple[Any, ...]
) -> CodedVotes:
    seen = _seen_integers(votes)
    odd = [v for v in abstain if not isinstance(v, Real) and not is_no_vote(v)]
    if odd:
        raise SignalsError(f"the votes are integers, but `abstain={odd[0]!r}` is not.")
    if classes is None:
        if not abstain and seen == [-1, 1]:
            raise SignalsError(
                "the votes are exactly -1 and 1, which may mean two classes or one class "
                "and abstain. Pass `classes=[-1, 1]` if both are classes, or "
                "`abstain=-1` and `classes=` otherwise."
            )
        if not abstain and seen[0] < -1:
            raise SignalsError(
                f"integer votes must be at least 0, or -1 for abstain; {seen[0]} came. "
                f"Pass `classes=` or `abstain=` if that is meant."
            )
        silent = abstain or (ABSTAIN,)
        names: Sequence[Any] = [value for value in seen if value not in silent]
    else:
        names = classes
        if not all(isinstance(c, Real | np.integer) for c in names):
            raise SignalsError(
                f"the votes are integers, but `classes=` holds {_listing(names)}."
            )
        silent = abstain or (() if ABSTAIN in names else (ABSTAIN,))
    unused = tuple(value for value in seen if value in silent)
    spoken = [value for value in seen if value not in silent]
    if not spoken:
        return CodedVotes(
            np.full(votes.shape, ABSTAIN, np.int8), np.array(names), unused
        )
    _check_classes(names, spoken, guessed=classes is None)
    dtype = code_type(len(names))
    if unused in ((), (ABSTAIN,)) and list(names) == list(range(len(names))):
        return CodedVotes(votes.astype(dtype), np.array(names), unused)
    values = np.array(spoken)
    order = {value: code for code, value in enumerate(names)}
    codes_of = np.array([order[value] for value in spoken], dtype)
    codes = codes_of[np.searchsorted(values, votes).clip(max=len(values) - 1)]
    for value in unused:
        codes[votes == value] = ABSTAIN
    return CodedVotes(codes, np.array(names), unused)


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
    votes: NDArray[Any], classes: list[Any] | None, abstain: tuple[Any, ...]
) -> CodedVotes:
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
            f"votes must be class values; {odd!r} came. Probabilities in a table "
            "need `probabilities=True`, those in an array "
            "`WeakSignals.from_probabilities` or `from_one_vs_rest`."
        )
    if not missing.any():
        return _code_integers(votes.astype(np.int64), classes, abstain)
    if abstain and not any(map(is_missing, abstain)):
        raise SignalsError(
            f"NaN where votes are: {int(missing.sum())} of {votes.size}, while "
            f"`abstain={abstain[0]!r}`. Name every value that means no vote: "
            f"`abstain={[abstain[0], None]!r}`."
        )
    if not abstain and ABSTAIN in known and (classes is None or ABSTAIN not in classes):
        raise SignalsError(
            "the votes hold both NaN and -1, so it is unclear which means no vote. "
            "Pass `abstain=`, or `classes=` if -1 is a class."
        )
    empty = int(known.min(initial=0)) - 2
    whole = np.where(missing, empty, votes).astype(np.int64)
    coded = _code_integers(whole, classes, (*abstain, empty))
    silent = tuple(None if value == empty else value for value in coded.silent)
    return replace(coded, silent=silent)


def _code_objects(
    votes: NDArray[Any],
    classes: list[Any] | None,
    abstain: tuple[Any, ...],
    normalise: bool,
) -> CodedVotes:
    flat = votes.ravel().tolist()
    try:
        distinct = set(flat)
    except TypeError as error:
        raise SignalsError(
            "votes must be class values (strings or integers); the object array given "
            "holds lists or other containers."
        ) from error
    silent = {v for v in distinct if _is_silent(v, classes, abstain, normalise)}
    if abstain and not any(map(is_missing, abstain)):
        left = [value for value in silent if is_missing(value)]
        if left:
            raise SignalsError(
                f"{left[0]!r} where votes are, while `abstain={abstain[0]!r}`. Name "
                f"every value that means no vote: `abstain={[abstain[0], None]!r}`."
            )
    spoken = distinct - silent
    _refuse_nul(spoken)
    unused = _as_written(silent)
    truths = bool(spoken) and all(isinstance(v, bool | np.bool_) for v in spoken)
    if not truths and not all(isinstance(value, str) for value in spoken):
        if all(isinstance(v, Real | np.bool_ | Decimal) for v in spoken):
            if abstain and not silent and all(isinstance(v, str) for v in abstain):
                raise SignalsError(
                    f"the votes are numbers, but `abstain={abstain[0]!r}` is not."
                )
            numbers = [math.nan if v in silent else float(v) for v in flat]
            # Where abstains were named, -1 is one of them or a class.
            coded = _code_floats(
                np.reshape(numbers, votes.shape), classes, (None,) if abstain else ()
            )
            kept = tuple(value for value in coded.silent if value is not None)
            return replace(coded, silent=(*kept, *unused))
        kinds = sorted({type(value).__name__ for value in spoken})
        raise SignalsError(
            "votes must be all strings or all integers; the array given holds "
            f"{', '.join(kinds)}."
        )
    if truths and normalise:
        raise SignalsError(
            "`normalise=True` is for votes that are text; these are not."
        )
    class_of = {value: value for value in spoken}
    if normalise:
        refuse_spellings(classes or ())
        listed = {normalise_text(name): name for name in classes or ()}
        keys = {value: normalise_text(value) for value in spoken}
        class_of = {value: listed.get(key, key) for value, key in keys.items()}
    elif classes is None and not truths:
        refuse_spellings(spoken)
    found = sorted(set(class_of.values()))
    names = found if classes is None else classes
    if spoken:
        _check_classes(names, found, guessed=classes is None)
    code_of = {value: code for code, value in enumerate(names)}
    lookup = {value: code_of[name] for value, name in class_of.items()}
    lookup |= dict.fromkeys(silent, ABSTAIN)
    dtype = code_type(len(names))
    codes = np.fromiter(map(lookup.__getitem__, flat), dtype, len(flat))
    return CodedVotes(codes.reshape(votes.shape), np.array(names or ["", "?"]), unused)


def _is_silent(
    value: Any, classes: list[Any] | None, abstain: tuple[Any, ...], normalise: bool
) -> bool:
    """Whether a value of an object array means no vote."""
    if is_missing(value):
        return True
    listed = classes or ()
    if normalise and isinstance(value, str):
        value = normalise_text(value)
        abstain = tuple(normalise_text(v) if isinstance(v, str) else v for v in abstain)
        listed = [normalise_text(v) if isinstance(v, str) else v for v in listed]
    return value in abstain or (is_no_vote(value) and value not in listed)


def _as_written(silent: set[Any]) -> tuple[Any, ...]:
    """Values in a fixed order, the missing ones as one None at the end."""
    written = [value for value in silent if not is_missing(value)]
    written.sort(key=lambda value: (str(type(value)), value))
    return (*written, None) if len(written) < len(silent) else tuple(written)
