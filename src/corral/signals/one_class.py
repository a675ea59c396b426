"""One-vs-rest signals on one class: a task of its own with the classes "no" and "yes"."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import IntArray
from corral.errors import SignalsError
from corral.signals.coding import ABSTAIN
from corral.signals.signal_data import (
    Kind,
    SignalData,
    class_vote_columns,
    class_vote_data,
)
from corral.signals.vote_matrix import Votes, choose_votes

NO_YES = np.array(["no", "yes"])
"""The classes of such a task."""


def select_class(
    data: SignalData, names: tuple[str, ...], value: Any, signals: ArrayLike | None
) -> tuple[SignalData, list[str]]:
    """What signals say of a class, and their names; see `WeakSignals.about`."""
    if data.kind is not Kind.ONE_VS_REST:
        raise SignalsError(
            "these signals name one class of an example, so there is one task, not one "
            "per class; see WeakSignals.from_one_vs_rest."
        )
    classes = data.classes.tolist()
    if value not in classes:
        raise SignalsError(f"{value!r} is none of the classes {classes}.")
    k = classes.index(value)
    asked = speakers_of(data, k) if signals is None else signals
    speakers: IntArray = np.asarray(asked, int)
    if not len(speakers):
        raise SignalsError(f"no signal speaks of the class {value!r}.")
    return about_class(data, k, speakers), [names[i] for i in speakers]


def speakers_of(data: SignalData, k: int) -> IntArray:
    """The signals that have a column on class `k`, in order."""
    return np.sort(data.columns[data.columns[:, 1] == k, 0])


def about_class(data: SignalData, k: int, speakers: IntArray) -> SignalData:
    """What some signals say of class `k`; those without a column on it are silent.

    Parameters
    ----------
    data : SignalData
        One-vs-rest.
    k : int
        Position of the class.
    speakers : (s,) array of int
        Positions of the signals that are asked for.
    """
    place = np.full(data.n_signals, -1)
    own = np.flatnonzero(data.columns[:, 1] == k)
    place[data.columns[own, 0]] = own
    at = place[speakers]
    if data.values is not None:
        # Every label column has its own array, with one line per signal that speaks.
        first = int(np.searchsorted(data.columns[:, 1], k))
        lines = data.values[k]
        silent = np.full((1, lines.shape[1]), np.nan, lines.dtype)
        chosen = np.concatenate([lines, silent])[np.where(at < 0, -1, at - first)]
        return _soft_data(data, len(speakers), values=(chosen,))
    if data.votes is None:  # of a file, which has no examples
        return class_vote_data(np.full((1, len(at)), ABSTAIN, np.int8), NO_YES)
    votes = choose_votes(data.votes, at)
    if data.grid is not None:
        return _soft_data(data, len(speakers), votes=votes)
    made = class_vote_data(votes, NO_YES, data.index)
    return replace(made, counts=data.counts, drawn=data.drawn)


def _soft_data(
    data: SignalData,
    m: int,
    votes: Votes | None = None,
    values: tuple[np.ndarray, ...] | None = None,
) -> SignalData:
    return replace(
        data,
        kind=Kind.CLASS_PROBABILITIES,
        classes=NO_YES,
        n_signals=m,
        n_label_columns=1,
        columns=class_vote_columns(m) + np.array([0, 1]),
        votes=votes,
        values=values,
        rounding=None,
        abstain=None,
    )
