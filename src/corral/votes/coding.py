"""From class values as users write them to small integer codes, and what abstains.

Ambiguous coding is refused: a wrong guess would quietly label everything wrong. A warning
asks about a class that looks like the "no vote" of another convention.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError, SignalsError, SignalsWarning, warn_user

ABSTAIN = -1
"""The code of an abstain inside corral, and the one read in integer votes."""
NO_VOTE_TEXTS = frozenset({"", "n/a", "na", "#n/a", "<na>", "?", "none", "null"})
"""Texts that mean no vote unless `classes` lists them; case does not matter."""
DOUBTFUL_TEXTS = ("nan", "-1", "abstain")
"""Texts that are read as a class, with a warning, unless the user says what they mean."""
MIN_EXAMPLES = 10
"""Examples from which on a value that fills most of every column is suspicious."""
MAX_LISTED = 8
MAX_SEARCHED = 32  # whole numbers sought one by one; a sort finds more of them sooner
N_FIRST = 1000  # rows in which most values are found before all rows are looked at
WHOLE_NUMBER = re.compile(r"[+-]?\d{1,15}(\.0*)?")


# -- what means no vote -------------------------------------------------------------


def is_missing(value: Any) -> bool:
    """None, "", NaN and the missing values of data frame libraries."""
    if type(value).__name__ in ("NoneType", "NAType", "NaTType"):
        return True
    return math.isnan(value) if isinstance(value, float) else value == ""


def is_no_vote(value: Any) -> bool:
    """Whether a value is missing, or a text that says so, such as "N/A"."""
    is_text = isinstance(value, str)
    return value.strip().casefold() in NO_VOTE_TEXTS if is_text else is_missing(value)


def list_abstains(abstain: Any) -> tuple[Any, ...]:
    """The values that a user says mean no vote: a scalar is one, None names no value."""
    if abstain is None:
        return ()
    one = isinstance(abstain, str) or not isinstance(abstain, Iterable)
    return (abstain,) if one else tuple(abstain)


def abstains_of_table(abstain: Any) -> tuple[Any, ...] | None:
    """What means no vote in a table, where a missing cell always does."""
    told = list_abstains(abstain)
    return (*told, *([] if any(map(is_missing, told)) else [None])) if told else None


def as_number(name: str, value: Any) -> Any:
    """A class or an abstain among numbers, where a shell has a text."""
    if not isinstance(value, str):
        return value
    if name == "abstain" and is_no_vote(value):
        return None  # among numbers such a cell is missing
    try:
        number = float(value)
    except ValueError as error:
        said = f"the votes are numbers, but `{name}=` is {value!r}."
        raise ParameterError(said) from error
    return int(value) if re.fullmatch(r"[+-]?\d+", value) else number


# -- classes ------------------------------------------------------------------------


def normalise_text(text: str) -> str:
    """Lower case, single blanks; whole numbers without a fraction."""
    plain = " ".join(text.split()).casefold()
    return str(int(float(plain))) if WHOLE_NUMBER.fullmatch(plain) else plain


def _refuse_spellings(values: Iterable[str]) -> None:
    groups: dict[str, list[str]] = {}
    for value in sorted(values):
        groups.setdefault(normalise_text(value), []).append(value)
    several = [group for group in groups.values() if len(group) > 1]
    if several:
        listed = "; ".join(", ".join(map(repr, group)) for group in several[:5])
        raise SignalsError(
            f"some classes are written in several ways: {listed}. Pass `normalise=True` "
            "to read these as one class, or list them in `classes=` if they are several."
        )


def class_list(classes: Any) -> list[Any] | None:
    """Named classes as a list: all text or all numbers, in an order, each once."""
    if classes is None:
        return None
    ordered = not isinstance(classes, str | set | frozenset | dict)
    if ordered and hasattr(classes, "dtype"):
        classes = np.asarray(classes).tolist()
    values = list(classes) if ordered and isinstance(classes, Iterable) else []
    plain = all(isinstance(value, Hashable) for value in values)
    if not values or not plain or len({isinstance(v, str) for v in values}) > 1:
        raise SignalsError(
            "`classes=` must be a list of class values in order, all text or all numbers; "
            f"{classes!r:.80} was given."
        )
    if len(set(values)) < len(values):
        raise SignalsError(f"`classes=` names a class twice: {values}.")
    return values


def _check_classes(classes: Sequence[Any], seen: list[Any]) -> None:
    known = set(classes)
    unknown = [value for value in seen if value not in known]
    if unknown:
        raise SignalsError(
            f"votes for {_listing(unknown)}, which are not among the classes "
            f"{_listing(classes)}. Before you fit, name every class in `classes=`, or what "
            "means no vote in `abstain=`."
        )
    if len(classes) < 2:
        raise SignalsError(
            f"all votes are for one class, {_listing(classes)}; name all classes with "
            "`classes=`."
        )


def _listing(values: Sequence[Any]) -> str:
    return shorten([repr(getattr(v, "item", lambda v=v: v)()) for v in values])


def shorten(texts: Sequence[str]) -> str:
    """The first few of many texts, with commas between."""
    many = f", ... ({len(texts)} in all)" if len(texts) > MAX_LISTED else ""
    return ", ".join(texts[:MAX_LISTED]) + many


def code_type(n_classes: int) -> type[np.signedinteger]:
    """The smallest integer type that holds the codes of `n_classes` classes."""
    return np.int8 if n_classes <= 127 else np.int16 if n_classes < 2**15 else np.int32


# -- votes --------------------------------------------------------------------------


def as_array(data: ArrayLike, what: str, ndim: tuple[int, ...]) -> NDArray[Any]:
    """Read array-likes; refuse ragged, empty, complex and wrongly shaped ones."""
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise SignalsError(f"{what} are masked; fill them with what means no vote.")
    try:
        array = np.asarray(data)
        if isinstance(data, list | tuple) and array.dtype.kind == "U":
            # NumPy would write None and numbers as text.
            array = np.asarray(data, object)
    except ValueError as error:
        raise SignalsError(
            f"{what} must be rectangular; the rows given have different lengths. Fill "
            "the missing votes with the abstain value."
        ) from error
    if array.ndim not in ndim:
        given = f"an array of shape {array.shape}" if array.ndim else f"{data!r:.60}"
        raise SignalsError(
            f"{what} must have {' or '.join(map(str, ndim))} dimensions; {given} was given."
        )
    if 0 in array.shape:
        raise SignalsError(f"{what} are empty: the shape is {array.shape}.")
    if array.dtype.kind not in "biufUO":
        raise SignalsError(f"{what} must be numbers or strings, not {array.dtype}.")
    return array


@dataclass(frozen=True)
class CodedVotes:
    """Votes as small integers, and how they were read."""

    codes: IntArray
    """Positions in `classes`, -1 for abstain."""
    classes: NDArray[Any]
    silent: tuple[Any, ...]
    """The values that occurred and were read as no vote; None for missing ones."""


def code_votes(
    votes: NDArray[Any],
    classes: Sequence[Any] | None,
    abstain: Any,
    normalise: bool = False,
) -> CodedVotes:
    """Code votes of any shape as integers.

    `classes`, `abstain` and `normalise` are as for `WeakSignals.from_votes`.
    """

    def plain(value: Any) -> Any:
        return normalise_text(value) if normalise and isinstance(value, str) else value

    named, told = class_list(classes), list_abstains(abstain)
    silences = [plain(value) for value in told]
    listed = {plain(name): name for name in named or ()}
    both = [name for name in listed if name in silences]
    if both:
        raise SignalsError(f"{both[0]!r} is named both as a class and in `abstain=`.")
    cells, entries, values = _distinct_values(votes)
    silent = {
        value
        for value in values
        if is_missing(value)
        or plain(value) in silences
        or (is_no_vote(value) and plain(value) not in listed)
    }
    if any(map(is_missing, silent)) and told and not any(map(is_missing, told)):
        raise SignalsError(
            f"votes are missing (NaN, None or empty), while `abstain={told[0]!r}`. Name "
            f"all that means no vote: `abstain={[told[0], None]!r}`."
        )
    spoken = [value for value in values if value not in silent]
    if all(isinstance(value, str) for value in spoken):
        if normalise:
            _refuse_spellings(named or ())
        elif named is None:
            _refuse_spellings(spoken)
        class_of = {value: listed.get(plain(value), plain(value)) for value in spoken}
    else:
        if normalise:
            raise SignalsError("`normalise=True` is for text; these votes are not.")
        class_of = _classes_of_numbers(spoken, named, told, silent)
        silent |= set(spoken) - set(class_of)
    written = [value for value in silent if not is_missing(value)]
    unused: list[Any] = sorted(written, key=lambda v: (str(type(v)), v))
    unused += [None] * (len(written) < len(silent))
    if not class_of:
        if named is None:
            raise SignalsError(
                "every vote is an abstain: check `abstain=`, or what made the votes."
            )
        none = np.full(votes.shape, ABSTAIN, np.int8)
        return CodedVotes(none, np.array(named), tuple(unused))
    found = sorted(set(class_of.values()))
    names = found if named is None else named
    _check_classes(names, found)
    place = {value: code for code, value in enumerate(names)}
    code_of = dict.fromkeys(silent, ABSTAIN)
    code_of |= {value: place[name] for value, name in class_of.items()}
    each, dtype = [code_of[value] for value in values], code_type(len(names))
    if isinstance(cells, list):
        given = map(code_of.__getitem__, cells)
        codes = np.fromiter(given, dtype, len(cells)).reshape(votes.shape)
    elif each == entries:
        codes = cells.astype(dtype)
    else:
        codes = np.array(each, dtype)[np.searchsorted(entries, cells)]
    return CodedVotes(codes, np.array(names), tuple(unused))


def _distinct_values(votes: NDArray[Any]) -> tuple[Any, list[Any], list[Any]]:
    """Votes as integers or as a flat list; their different entries; what these mean.

    NaN means None, and is the lowest of the integers.
    """
    if votes.dtype.kind in "biu":
        seen = _seen_integers(votes)
        return votes, seen, seen
    if votes.dtype.kind == "f":
        missing = np.isnan(votes)
        known = votes[~missing]
        _check_whole(known)
        gap = int(known.min(initial=0)) - 1
        whole = np.where(missing, gap, votes).astype(np.int64)
        seen = _seen_integers(whole)
        return whole, seen, [None if value == gap else value for value in seen]
    flat = votes.ravel().tolist()
    try:
        return flat, (distinct := list(set(flat))), distinct
    except TypeError as error:
        raise SignalsError(
            "votes must be strings or integers; the object array given holds lists."
        ) from error


def _seen_integers(votes: NDArray[Any]) -> list[int]:
    """The different values of an array, sorted."""
    low, high = int(votes.min()), int(votes.max())
    if high - low > MAX_SEARCHED:
        return [int(v) for v in np.unique(votes)]
    between = np.arange(low, high + 1).astype(votes.dtype).tolist()  # or truth values
    known = set(votes[:N_FIRST].ravel().tolist())
    return [value for value in between if value in known or (votes == value).any()]


def _check_whole(known: NDArray[Any]) -> None:
    if (np.abs(known) > 2**53).any():
        huge = np.abs(known).max()
        raise SignalsError(f"votes must be classes, not infinite or huge: {huge:g}.")
    odd = known[known != np.rint(known)]
    if len(odd):
        raise SignalsError(
            f"votes must be class values; {float(odd[0])!r} came. Probabilities in a "
            "table need `probabilities=True`, those in an array "
            "`WeakSignals.from_probabilities` or `from_one_vs_rest`."
        )


def _classes_of_numbers(
    spoken: list[Any], named: list[Any] | None, told: tuple[Any, ...], silent: set[Any]
) -> dict[Any, Any]:
    """The class of every number or truth value; -1 is left out where it abstains."""
    if all(isinstance(value, bool | np.bool_) for value in spoken):
        return {value: value for value in spoken}
    if not all(isinstance(value, Real | np.bool_ | Decimal) for value in spoken):
        kinds = sorted({type(value).__name__ for value in spoken})
        listed = ", ".join(kinds)
        raise SignalsError(f"votes must be all strings or all integers, not {listed}.")
    _check_whole(np.array(spoken, float))
    texts = [v for v in told if isinstance(v, str) and not is_no_vote(v)]
    if texts and silent.isdisjoint(texts):
        raise SignalsError(f"the votes are numbers, but `abstain={texts[0]!r}` is not.")
    if not all(isinstance(value, Real | np.integer) for value in named or ()):
        listed = _listing(named or ())
        raise SignalsError(f"the votes are numbers, but `classes=` holds {listed}.")
    class_of = {value: int(value) for value in spoken}
    if told or ABSTAIN in (named or ()):
        return class_of
    if ABSTAIN in class_of and silent:
        raise SignalsError(
            "the votes hold both -1 and missing values (NaN, None or empty): which means "
            "no vote? Pass `abstain=`, or `classes=` if -1 is a class."
        )
    if named is None and set(class_of) == {-1, 1}:
        raise SignalsError(
            "the votes are exactly -1 and 1, which may mean two classes or one class "
            "and abstain. Pass `classes=[-1, 1]` if both are classes, or "
            "`abstain=-1` and `classes=` otherwise."
        )
    class_of.pop(ABSTAIN, None)
    if named is None and min(class_of, default=0) < 0:
        raise SignalsError(
            f"integer votes must be at least 0, or -1 for abstain; {min(class_of)} came. "
            "Pass `classes=` or `abstain=` if that is meant."
        )
    return class_of


# -- warnings about doubtful codings ------------------------------------------------


def ask_about_coding(coded: CodedVotes, shares: FloatArray, n: float) -> None:
    """Warn of values that were read as classes, or as no vote, and may be the other.

    `shares` (c, k) of the `n` cells in each column say a class.
    """
    dropped = [v for v in coded.silent if not is_missing(v) and is_no_vote(v)]
    if dropped:
        warn_user(
            f"{', '.join(map(repr, dropped))} was read as no vote. If it is a class, list "
            f"all classes in `classes=`; if not, pass `abstain={dropped!r}`.",
            SignalsWarning,
        )
    classes = coded.classes.tolist()
    texts = (c for c in classes if isinstance(c, str))
    suspects: list[Any] = [c for c in texts if c.strip().casefold() in DOUBTFUL_TEXTS]
    if classes[0] in (0, "0") and n >= MIN_EXAMPLES and not dropped:
        zeros = shares[:, 0]
        if coded.silent == (ABSTAIN,) and classes == [0, 1]:
            minus = 1 - shares.sum(axis=1).mean()
            if zeros.mean() > 1 / 2 and 2 * minus <= zeros.mean():
                raise SignalsError(
                    "the votes are -1, 0 and 1, most of them 0: which means no vote? Pass "
                    "`abstain=0` if -1 and 1 are the classes, `abstain=-1` if 0 and 1 are."
                )
        elif len(classes) > 2 and zeros.min() > 1 / 2:
            suspects.append(classes[0])
    for value in suspects:
        others = ", ".join(repr(c) for c in [c for c in classes if c != value][:4])
        warn_user(
            f"{value!r} was read as a class, like {others}. If it means no vote, pass "
            f"`abstain={value!r}`; if it is a class, list all classes in `classes=`.",
            SignalsWarning,
        )


# -- true labels --------------------------------------------------------------------


def code_labels(labels: ArrayLike, classes: NDArray[Any], n: int) -> IntArray:
    """Positions (n,) of known labels in `classes`, -1 where unknown.

    None, NaN, "" and -1 mean that a label is unknown, unless -1 is a class.
    """
    given = np.asarray(labels, object)
    if given.shape != (n,):
        raise ParameterError(
            f"known labels must have one value for each of {n} examples, None or -1 where "
            f"unknown; the shape given is {given.shape}."
        )
    code_of = {value: code for code, value in enumerate(classes.tolist())}
    values = given.tolist()
    try:
        others = [value for value in dict.fromkeys(values) if value not in code_of]
        wrong = [v for v in others if not is_no_vote(v) and v != ABSTAIN]
    except TypeError:  # no class is a list, or another collection
        wrong = [value for value in values if not isinstance(value, Hashable)]
    if wrong:
        shown = getattr(wrong[0], "item", lambda: wrong[0])()
        raise ParameterError(
            f"label {shown!r} is not one of the classes {classes.tolist()}. Name every "
            "class in `classes=`, or write labels as votes: all text or all numbers."
        )
    return np.array([code_of.get(value, ABSTAIN) for value in values], int)
