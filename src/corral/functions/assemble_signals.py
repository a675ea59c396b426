"""From the answers of many functions to `WeakSignals`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from corral._types import FloatArray, IntArray
from corral.errors import SignalsError
from corral.functions.signal_function import Answers
from corral.signals import WeakSignals
from corral.signals.coding import ABSTAIN, class_list, code_type
from corral.signals.signal_data import class_vote_data
from corral.signals.vote_matrix import DENSE_SHARE, make_sparse
from corral.wording import option

SPARSE_FROM = 64
"""Signals from which on votes that are rare are kept as a sparse array."""


def assemble(
    answers: Sequence[Answers],
    names: Sequence[str],
    classes: Sequence[Any] | None,
    one_vs_rest: bool,
) -> WeakSignals:
    """Class votes, class probabilities or one-vs-rest signals, as the answers are."""
    values = _find_classes(answers, names, classes)
    position: dict[Any, int] = {value: k for k, value in enumerate(values)}
    position[None] = 1  # the second of two classes
    if one_vs_rest:
        shares = np.stack(
            [_make_one_vs_rest(a, position, len(values)) for a in answers]
        )
        return WeakSignals.from_one_vs_rest(shares, classes=values, names=names)
    if any(a.is_soft for a in answers):
        shares = np.stack(
            [_make_distribution(a, position, len(values)) for a in answers], 1
        )
        return WeakSignals.from_probabilities(shares, classes=values, names=names)
    n, m = len(answers[0]), len(answers)
    kind = code_type(len(values))
    votes: Any = np.empty((n, m), kind)
    for at, one in enumerate(answers):
        votes[:, at] = _encode(one, position)
    if m >= SPARSE_FROM and np.mean(votes != ABSTAIN) < DENSE_SHARE:
        votes = make_sparse(votes)
    return WeakSignals(class_vote_data(votes, np.array(values)), names)


def _find_classes(
    answers: Sequence[Answers], names: Sequence[str], classes: Sequence[Any] | None
) -> list[Any]:
    """All classes in order: those given, or those that are voted for, sorted."""
    given = class_list(classes)
    first_signal: dict[Any, str] = {}
    for name, one in zip(names, answers, strict=True):
        for value in one.classes:
            first_signal.setdefault(value, name)
    voted = [value for value in first_signal if value is not None]
    if given is None:
        if len({isinstance(value, str) for value in voted}) > 1:
            shown = ", ".join(f"{v!r} ({first_signal[v]})" for v in voted[:8])
            raise SignalsError(
                f"classes must be all text or all numbers; the functions say {shown}."
            )
        values = sorted(voted)
    else:
        values = given
        unknown = [v for v in voted if v not in values]
        if unknown:
            raise SignalsError(
                f"signal {first_signal[unknown[0]]!r} says {unknown[0]!r}, which is not "
                f"among the classes {values}. Name every class with {option('classes')}."
            )
    if len(values) < 2:
        raise SignalsError(
            f"the functions speak of {values or 'no class'}; a labeling problem has at "
            f"least two classes. Name them all with {option('classes')}."
        )
    if None in first_signal and len(values) > 2:
        raise SignalsError(
            f"signal {first_signal[None]!r} gives a probability without saying of which of "
            f"the {len(values)} classes. Name it: @corral.signal(label=...)."
        )
    return values


def _encode(one: Answers, position: dict[Any, int]) -> IntArray:
    """Positions in all classes, -1 for an abstain."""
    to = np.array([*(position[value] for value in one.classes), ABSTAIN])
    codes: IntArray = to[one.codes]  # -1 is the last
    return codes


def _make_distribution(one: Answers, position: dict[Any, int], k: int) -> FloatArray:
    """(n, k) probabilities; classes that were not named share the rest evenly."""
    if one.probabilities is not None:
        shares = np.zeros((len(one), k))
        shares[:, [position[value] for value in one.classes]] = one.probabilities
        shares[np.isnan(one.probabilities).any(axis=1)] = np.nan
        return shares
    codes = _encode(one, position)
    sure = np.ones(len(one)) if one.confidence is None else one.confidence
    shares = np.repeat(((1 - sure) / (k - 1))[:, None], k, axis=1)
    shares[np.arange(len(one)), codes] = sure
    shares[codes == ABSTAIN] = np.nan
    return shares


def _make_one_vs_rest(one: Answers, position: dict[Any, int], k: int) -> FloatArray:
    """(n, k) probability of every class on its own; NaN where none was given."""
    shares = np.full((len(one), k), np.nan)
    if one.probabilities is not None:
        shares[:, [position[value] for value in one.classes]] = one.probabilities
        return shares
    codes = _encode(one, position)
    rows = np.flatnonzero(codes != ABSTAIN)
    shares[rows, codes[rows]] = 1.0 if one.confidence is None else one.confidence[rows]
    return shares
