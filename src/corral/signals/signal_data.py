"""Signals once read: codes or values, and what their columns are about."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.signals.binning import RoundingError
from corral.signals.vote_matrix import Votes, freeze


class Kind(StrEnum):
    """What a signal says of an example."""

    CLASS_VOTES = "class votes"
    ONE_VS_REST = "one-vs-rest"
    CLASS_PROBABILITIES = "class probabilities"


@dataclass(frozen=True)
class SignalData:
    """What `WeakSignals` hold; either `votes` or `values` is set.

    Binned probabilities are `votes` whose codes stand for the values of a `grid`.

    Attributes
    ----------
    kind : Kind
    classes : (k,) array
    n_signals : int
    n_label_columns : int
        Unknowns per example: one per class, or one in all (the probability of the second
        class) for two classes.
    columns : (c, 2) array of int
        Signal and label column that every stored column is about. Class votes are about
        every label column, which is written -1.
    votes : (n, c) codes or None
    values : one (c_k, n) array per label column, or None
        Probabilities; NaN for abstain.
    index : (n,) array or None
        The task of every example.
    abstain : scalar, tuple or None
        What was said to mean no vote, so that new data are read alike.
    normalise : bool
        Whether texts that differ in case or blanks only are one class.
    silent : tuple or None
        The values that occurred and were read as no vote (None: missing ones); None
        where abstains are not written, as in sparse votes and long tables.
    counts : (n,) array of float or None
        How many examples every row stands for; None: one each.
    drawn : int or None
        Of how many examples the rows are, if they are a sample that stands for more.
    grid : (bins + 1,) array of float or None
        The probability that every code stands for, where probabilities are binned.
    rounding : RoundingError or None
        What binning costs; None where nothing is known of it.
    """

    kind: Kind
    classes: NDArray[Any]
    n_signals: int
    n_label_columns: int
    columns: IntArray
    votes: Votes | None = None
    values: tuple[NDArray[np.floating], ...] | None = None
    index: NDArray[Any] | None = None
    abstain: Any = None
    normalise: bool = False
    silent: tuple[Any, ...] | None = None
    counts: FloatArray | None = None
    drawn: int | None = None
    grid: NDArray[np.floating] | None = None
    rounding: RoundingError | None = None

    def __post_init__(self) -> None:
        if isinstance(self.abstain, np.generic):  # files hold plain numbers
            object.__setattr__(self, "abstain", self.abstain.item())
        elif isinstance(self.abstain, list | set | np.ndarray):
            plain = np.asarray(list(self.abstain), object).tolist()
            object.__setattr__(self, "abstain", tuple(plain))
        arrays = (self.classes, self.columns, self.votes, self.index, self.counts)
        for array in (*arrays, *(self.values or ()), self.grid):
            freeze(array)


def label_columns(classes: NDArray[Any]) -> int:
    """Unknowns per example whose one class is looked for: one in all for two classes."""
    return 1 if len(classes) == 2 else len(classes)


def class_vote_columns(n_signals: int) -> IntArray:
    """(m, 2) columns of signals that vote on every class."""
    return np.column_stack([np.arange(n_signals), np.full(n_signals, -1)])


def class_vote_data(
    votes: Votes, classes: NDArray[Any], index: NDArray[Any] | None = None
) -> SignalData:
    """Store coded class votes."""
    m = votes.shape[1]
    return SignalData(
        Kind.CLASS_VOTES,
        classes,
        n_signals=m,
        n_label_columns=label_columns(classes),
        columns=class_vote_columns(m),
        votes=votes,
        index=index,
    )
