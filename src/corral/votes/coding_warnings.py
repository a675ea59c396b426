"""Values read as classes that may mean "no vote": what a warning asks about.

Coding is read by fixed rules, which are right for most people. Where a value looks like
the "no vote" of another convention, labels may be wrong from end to end, so it is asked
about. Naming `abstain=` or `classes=` is the answer.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.errors import SignalsError, SignalsWarning, warn_user
from corral.votes.abstains import is_missing, is_no_vote
from corral.votes.coding import ABSTAIN, CodedVotes

FEWEST_EXAMPLES = 10
"""With fewer examples, a value that fills most of every column is no surprise."""
UNSIGNED = (2**8 - 1, 2**16 - 1, 2**32 - 1, 2**64 - 1)
"""What -1 becomes in integers without a sign."""
SMALL = 100
"""Codes of classes are smaller."""
ODD_TEXTS = ("nan", "-1", "abstain")
"""Texts that are a class only because nobody said otherwise."""


def ask_about_coding(coded: CodedVotes, counts: FloatArray | None = None) -> None:
    """Warn of values that were read as classes, or as no vote, and may be the other.

    Parameters
    ----------
    coded : CodedVotes
        Votes (n, m), or (n,) answers, of which neither classes nor abstains were named.
    counts : (n,) array of float, optional
        How many examples every row stands for.
    """
    dropped = [v for v in coded.silent if not is_missing(v) and is_no_vote(v)]
    if dropped:
        listed = ", ".join(map(repr, dropped))
        verb, it = (
            ("was", "it is a class")
            if len(dropped) == 1
            else ("were", "one of them is a class")
        )
        warn_user(
            f"{listed} {verb} read as no vote. If {it}, list all classes in "
            f"`classes=`; if not, `abstain={dropped!r}` says so.",
            SignalsWarning,
        )
    if _are_signs(coded):
        _refuse_signs(coded.codes, counts)
    for value in _suspects(coded, counts):
        warn_user(
            f"{value!r} was read as a class, like {_others(coded, value)}. If it means "
            f"no vote, pass `abstain={value!r}`; if it is a class, list all classes "
            f"in `classes=`.",
            SignalsWarning,
        )


def _are_signs(coded: CodedVotes) -> bool:
    return coded.silent == (-1,) and coded.classes.tolist() == [0, 1]


def _refuse_signs(codes: Any, counts: FloatArray | None) -> None:
    """Refuse -1, 0 and 1 if most are 0, few -1, and no column has -1 and 1 only.

    Such a column is one of Snorkel's: a rule for class 1, which abstains with -1.
    """
    zeros, ones, negatives = (_count_cells(codes, c, counts) for c in (0, 1, ABSTAIN))
    snorkel = ((zeros == 0) & (ones > 0) & (negatives > 0)).any()
    few = 2 * negatives.sum() <= zeros.sum()
    if few and not snorkel and _fills_most(codes, 0, counts, each=False):
        raise SignalsError(
            "the votes are -1, 0 and 1, and most of them are 0, so it is unclear whether "
            "-1 or 0 means no vote. Pass `abstain=0` if -1 and 1 are the "
            "classes, or `abstain=-1` if 0 and 1 are."
        )


def _suspects(coded: CodedVotes, counts: FloatArray | None) -> list[Any]:
    classes = coded.classes.tolist()
    odd = [
        c for c in classes if isinstance(c, str) and c.strip().casefold() in ODD_TEXTS
    ]
    if odd:
        return odd
    if not all(re.fullmatch(r"-?\d+", str(c)) for c in classes):
        return []
    by_number = {int(value): value for value in classes}
    numbers = sorted(by_number)
    # -1 as an unsigned integer, as in uint8, beside a few classes.
    if numbers[-1] in UNSIGNED and numbers[-2] < SMALL:
        return [by_number[numbers[-1]]]
    least = 2 if coded.silent == (-1,) else 3
    plain = coded.silent in ((), (None,), (-1,))
    if plain and numbers[0] == 0 and len(numbers) >= least:
        zero = by_number[0]
        each = not _are_signs(coded)
        if _fills_most(coded.codes, classes.index(zero), counts, each):
            return [zero]
    return []


def _fills_most(codes: Any, code: int, counts: FloatArray | None, each: bool) -> bool:
    """Whether a code is in more than half of the cells, of each column or of all."""
    total = len(codes) if counts is None else counts.sum()
    filled = _count_cells(codes, code, counts)
    least = filled.min() if each else filled.mean()
    return bool(total >= FEWEST_EXAMPLES and least > total / 2)


def _count_cells(codes: Any, code: int, counts: FloatArray | None) -> FloatArray:
    """How many examples have a code in each column."""
    table = codes.reshape(len(codes), -1)
    found = (column == code for column in table.T)  # one column in memory at a time
    return np.array([f.sum() if counts is None else f @ counts for f in found], float)


def _others(coded: CodedVotes, value: Any) -> str:
    others = [c for c in coded.classes.tolist() if c != value][:4]
    return ", ".join(map(repr, others))
