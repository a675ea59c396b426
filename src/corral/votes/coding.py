"""From class values as users write them to small integer codes, and what abstains.

Ambiguous coding is refused, never guessed: a wrong guess would not crash, it would
quietly label everything wrong. Where a value that was read as a class looks like the "no
vote" of another convention, a warning asks; `abstain=` or `classes=` is the answer.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
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
UNSIGNED = (2**8 - 1, 2**16 - 1, 2**32 - 1, 2**64 - 1)
"""What -1 becomes in integers without a sign."""
MAX_CLASS_CODE = 100
"""Codes of classes are smaller."""
MIN_EXAMPLES = 10
"""Examples from which on a value that fills most of every column is suspicious."""
MAX_LISTED = 8
WHOLE_NUMBER = re.compile(r"[+-]?\d{1,15}(\.0*)?")


# -- what means no vote -------------------------------------------------------------


def is_missing(value: Any) -> bool:
    """None, "", NaN and the missing values of data frame libraries."""
    if type(value).__name__ in ("NoneType", "NAType", "NaTType"):
        return True
    return math.isnan(value) if isinstance(value, float) else value == ""


def is_no_vote(value: Any) -> bool:
    """Whether a value is missing, or a text that says so.

    Examples
    --------
    >>> from corral.votes.coding import is_no_vote
    >>> [is_no_vote(value) for value in (None, "N/A", " none ", "?", "no", 0, -1)]
    [True, True, True, True, False, False, False]
    """
    if isinstance(value, str):
        return value.strip().casefold() in NO_VOTE_TEXTS
    return is_missing(value)


def list_abstains(abstain: Any) -> tuple[Any, ...]:
    """The values that a user says mean no vote: a scalar is one, None names no value."""
    if abstain is None:
        return ()
    if isinstance(abstain, str) or not isinstance(abstain, Iterable):
        return (abstain,)
    if isinstance(abstain, dict):
        raise SignalsError(f"`abstain=` must be a value or a list; it is {abstain!r}.")
    return tuple(abstain)


def take_one_abstain(abstain: Any) -> Any:
    """The single value that means no opinion among probabilities."""
    values = list_abstains(abstain)
    if len(values) > 1:
        raise SignalsError(
            f"probabilities have one value that means no opinion; `abstain=` "
            f"names {len(values)}: {', '.join(map(repr, values))}. Write NaN, or leave "
            "the cell empty, where a signal has no opinion."
        )
    return values[0] if values else None


# -- classes ------------------------------------------------------------------------


def normalise_text(text: str) -> str:
    """Lower case, single blanks, nothing invisible; whole numbers without a fraction.

    Examples
    --------
    >>> from corral.votes.coding import normalise_text
    >>> normalise_text("  Very  Positive "), normalise_text("1.0")
    ('very positive', '1')
    """
    if not text.isprintable():
        text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    plain = " ".join(text.split()).casefold()
    return str(int(float(plain))) if WHOLE_NUMBER.fullmatch(plain) else plain


def _refuse_spellings(values: Iterable[str]) -> None:
    """Refuse texts that look like one class written in several ways."""
    groups: dict[str, list[str]] = {}
    for value in sorted(values):
        groups.setdefault(normalise_text(value), []).append(value)
    several = [group for group in groups.values() if len(group) > 1]
    if several:
        listed = "; ".join(", ".join(map(repr, group)) for group in several[:5])
        more = f"; and {len(several) - 5} more" if len(several) > 5 else ""
        raise SignalsError(
            f"votes that differ in case, blanks or how a number is written only: "
            f"{listed}{more}. Pass `normalise=True` to read each as one class, or list "
            "them in `classes=` if they are different classes."
        )


def class_list(classes: Any) -> list[Any] | None:
    """Named classes as a list: all text or all numbers, in an order, each once."""
    if classes is None:
        return None
    unordered = isinstance(classes, str | set | frozenset | dict)
    values: list[Any] = []
    if not unordered and isinstance(classes, Iterable):
        has_dtype = hasattr(classes, "dtype")
        values = np.asarray(classes).tolist() if has_dtype else list(classes)
    plain = all(isinstance(value, Hashable) for value in values)
    if not values or not plain or len({isinstance(v, str) for v in values}) > 1:
        raise SignalsError(
            "`classes=` must be a list of class values in order, all text or all numbers; "
            f"{classes!r:.80} was given."
        )
    if len(set(values)) < len(values):
        raise SignalsError(f"`classes=` names a class twice: {values}.")
    return values


class UnknownClassError(SignalsError):
    """Votes for a class that is not listed: what came, and what to do."""

    def __str__(self) -> str:
        return " ".join(self.args)


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


def _listing(values: Sequence[Any]) -> str:
    plain = (getattr(v, "item", lambda v=v: v)() for v in values[:MAX_LISTED])
    shown = ", ".join(map(repr, plain))
    many = len(values) > MAX_LISTED
    return shown + (f", ... ({len(values)} in all)" if many else "")


def code_type(n_classes: int) -> type[np.signedinteger]:
    """The smallest integer type that holds the codes of `n_classes` classes."""
    return np.int8 if n_classes <= 127 else np.int16 if n_classes < 2**15 else np.int32


# -- votes --------------------------------------------------------------------------


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
    *,
    normalise: bool = False,
    may_be_silent: bool = False,
) -> CodedVotes:
    """Code votes of any shape as integers.

    `classes`, `abstain` and `normalise` are as for `WeakSignals.from_votes`. Votes that all
    abstain may be predicted on, but there is nothing to learn from them: `may_be_silent`.
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
        none = np.full(votes.shape, ABSTAIN, np.int8)
        return CodedVotes(none, np.array(names), unused)
    _check_classes(names, spoken, guessed=classes is None)
    dtype = code_type(len(names))
    if unused in ((), (ABSTAIN,)) and list(names) == list(range(len(names))):
        return CodedVotes(votes.astype(dtype), np.array(names), unused)
    order = {value: code for code, value in enumerate(names)}
    codes_of = np.array([order[value] for value in spoken], dtype)
    codes = codes_of[np.searchsorted(spoken, votes).clip(max=len(spoken) - 1)]
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
    _refuse_missing(f"NaN ({int(missing.sum())} of {votes.size})", abstain)
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


def _refuse_missing(found: str, abstain: tuple[Any, ...]) -> None:
    """Refuse missing values if another value was said to mean no vote."""
    if abstain and not any(map(is_missing, abstain)):
        raise SignalsError(
            f"{found} where votes are, while `abstain={abstain[0]!r}`. Name every value "
            f"that means no vote: `abstain={[abstain[0], None]!r}`."
        )


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
    empty = [value for value in silent if is_missing(value)]
    if empty:
        _refuse_missing(repr(empty[0]), abstain)
    spoken = distinct - silent
    written = sorted(silent - set(empty), key=lambda v: (str(type(v)), v))
    unused = (*written, None) if empty else tuple(written)
    truths = bool(spoken) and all(isinstance(v, bool | np.bool_) for v in spoken)
    if truths and normalise:
        raise SignalsError(
            "`normalise=True` is for votes that are text; these are not."
        )
    if not truths and not all(isinstance(value, str) for value in spoken):
        if not all(isinstance(v, Real | np.bool_ | Decimal) for v in spoken):
            kinds = sorted({type(value).__name__ for value in spoken})
            raise SignalsError(
                "votes must be all strings or all integers; the array given holds "
                f"{', '.join(kinds)}."
            )
        if abstain and not silent and all(isinstance(v, str) for v in abstain):
            raise SignalsError(
                f"the votes are numbers, but `abstain={abstain[0]!r}` is not."
            )
        numbers = [math.nan if v in silent else float(v) for v in flat]
        # Where abstains were named, -1 is one of them or a class.
        shaped, rest = np.reshape(numbers, votes.shape), (None,) if abstain else ()
        coded = _code_floats(shaped, classes, rest)
        kept = tuple(value for value in coded.silent if value is not None)
        return replace(coded, silent=(*kept, *unused))
    class_of = {value: value for value in spoken}
    if normalise:
        _refuse_spellings(classes or ())
        listed = {normalise_text(name): name for name in classes or ()}
        keys = {value: normalise_text(value) for value in spoken}
        class_of = {value: listed.get(key, key) for value, key in keys.items()}
    elif classes is None and not truths:
        _refuse_spellings(spoken)
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


# -- warnings about doubtful codings ------------------------------------------------


def ask_about_coding(coded: CodedVotes, cast: FloatArray, total: float) -> None:
    """Warn of values that were read as classes, or as no vote, and may be the other.

    Of `total` cells in each of `c` columns, `cast` (c, k) say a class.
    """
    dropped = [v for v in coded.silent if not is_missing(v) and is_no_vote(v)]
    if dropped:
        one = len(dropped) == 1
        warn_user(
            f"{', '.join(map(repr, dropped))} {'was' if one else 'were'} read as no vote. "
            f"If {'it' if one else 'one of them'} is a class, list all classes in "
            f"`classes=`; if not, `abstain={dropped!r}` says so.",
            SignalsWarning,
        )
    classes = coded.classes.tolist()
    many = total >= MIN_EXAMPLES
    signs = coded.silent == (ABSTAIN,) and classes == [0, 1]
    if signs and many:
        zeros, ones = cast.T
        minus = total - cast.sum(axis=1)
        # A column of -1 and 1 is one of Snorkel's: a rule for class 1, which abstains.
        snorkel = ((zeros == 0) & (ones > 0) & (minus > 0)).any()
        few = 2 * minus.sum() <= zeros.sum()
        if few and not snorkel and zeros.mean() > total / 2:
            raise SignalsError(
                "the votes are -1, 0 and 1, and most of them are 0, so it is unclear "
                "whether -1 or 0 means no vote. Pass `abstain=0` if -1 and 1 are the "
                "classes, or `abstain=-1` if 0 and 1 are."
            )
    texts = (c for c in classes if isinstance(c, str))
    suspects: list[Any] = [c for c in texts if c.strip().casefold() in DOUBTFUL_TEXTS]
    if not suspects and all(re.fullmatch(r"-?\d+", str(c)) for c in classes):
        by_number = {int(value): value for value in classes}
        numbers = sorted(by_number)
        plain = coded.silent in ((), (None,), (ABSTAIN,))
        fewest = 2 if coded.silent == (ABSTAIN,) else 3
        if numbers[-1] in UNSIGNED and numbers[-2] < MAX_CLASS_CODE:
            suspects = [by_number[numbers[-1]]]
        elif many and plain and numbers[0] == 0 and len(numbers) >= fewest:
            zeros = cast[:, classes.index(by_number[0])]
            if (zeros.mean() if signs else zeros.min()) > total / 2:
                suspects = [by_number[0]]
    for value in suspects:
        others = ", ".join(repr(c) for c in [c for c in classes if c != value][:4])
        warn_user(
            f"{value!r} was read as a class, like {others}. If it means "
            f"no vote, pass `abstain={value!r}`; if it is a class, list all classes "
            f"in `classes=`.",
            SignalsWarning,
        )


# -- true labels --------------------------------------------------------------------


def code_labels(labels: ArrayLike, classes: NDArray[Any], n: int) -> IntArray:
    """Positions (n,) of known labels in `classes`, -1 where unknown.

    Unknown are None, NaN, "" and, unless it is a class, -1.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.votes.coding import code_labels
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
        elif not is_no_vote(value) and value != ABSTAIN:
            advice = "Name every class in `classes=`, in order."
            alike = [known for known in lookup if str(known) == str(value)]
            if alike:
                kind = type(alike[0]).__name__
                advice = (
                    f"The class {alike[0]!r} is of type {kind}, the label of type "
                    f"{type(value).__name__}: make the labels {kind}, too."
                )
            raise ParameterError(
                f"label {value!r} is not one of the classes {classes.tolist()}. {advice}"
            )
    return codes
