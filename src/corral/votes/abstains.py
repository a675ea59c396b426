"""Which values mean "no vote"."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from corral.errors import SignalsError

NO_VOTE_TEXTS = frozenset({"", "n/a", "na", "#n/a", "<na>", "?", "none", "null"})
"""Texts that are no vote unless they are listed in `classes`; in any case."""


def is_missing(value: Any) -> bool:
    """None, "", NaN and the missing values of data frame libraries."""
    if type(value).__name__ in ("NoneType", "NAType", "NaTType"):
        return True
    return math.isnan(value) if isinstance(value, float) else value == ""


def is_no_vote(value: Any) -> bool:
    """Whether a value is missing, or a text that says so.

    Examples
    --------
    >>> from corral.votes.abstains import is_no_vote
    >>> [is_no_vote(value) for value in (None, "N/A", " none ", "?", "no", 0, -1)]
    [True, True, True, True, False, False, False]
    """
    if isinstance(value, str):
        return value.strip().casefold() in NO_VOTE_TEXTS
    return is_missing(value)


def list_abstains(abstain: Any) -> tuple[Any, ...]:
    """The values that a user says mean no vote: none, one or several of them.

    Examples
    --------
    >>> from corral.votes.abstains import list_abstains
    >>> list_abstains(None), list_abstains(-1), list_abstains(["?", "skip"])
    ((), (-1,), ('?', 'skip'))
    """
    if abstain is None:
        return ()
    if isinstance(abstain, str) or not isinstance(abstain, Iterable):
        return (abstain,)
    if isinstance(abstain, dict):
        raise SignalsError(
            f"`abstain=` must be a value, or a list of values, that mean no vote; "
            f"{abstain!r} was given."
        )
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
