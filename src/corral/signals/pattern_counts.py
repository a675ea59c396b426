"""Counts of vote patterns, which add up over chunks, files and machines."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.errors import SignalsError
from corral.persist import (
    Arrays,
    decode,
    encode,
    explain_damage,
    read_file,
    write_file,
)
from corral.signals.signal_data import Kind, SignalData, label_columns
from corral.signals.vote_matrix import Votes, recode, stack_votes
from corral.signals.weak_signals import WeakSignals

KIND = "PatternCounts"
KNOWN = {"SignalData": SignalData, "Kind": Kind}


class PatternCounts:
    """How often every vote pattern occurs: all that a fit needs of hard votes.

    Counts add up, so chunks of a stream, files and machines count for themselves, and
    the sum is that of the whole, in whatever order it is taken.

    Parameters
    ----------
    signals : WeakSignals
        Hard votes. Signals with names are told apart by them, others by position.
    weights : (n,) array of float, optional
        Count examples by weight.

    Attributes
    ----------
    signals : WeakSignals
        One row per pattern; what a labeler is fitted on.
    counts : (p,) array of float

    Examples
    --------
    >>> from corral import PatternCounts, WeakSignals
    >>> monday = PatternCounts(WeakSignals.from_votes([[1, 0], [1, 1], [1, 0]]))
    >>> tuesday = PatternCounts(WeakSignals.from_votes([[1, 0], [2, -1]]))
    >>> monday + tuesday
    PatternCounts(3 patterns of 5 examples, 2 signals, 3 classes)
    """

    def __init__(self, signals: WeakSignals, weights: FloatArray | None = None) -> None:
        if not isinstance(signals, WeakSignals):
            raise SignalsError(
                f"PatternCounts are made from WeakSignals; {type(signals).__name__} was "
                "given."
            )
        if not signals.is_hard:
            raise SignalsError(
                "only votes are counted; soft signals, binned ones too, are fitted on as "
                "they are."
            )
        patterns = signals.patterns.keep(signals.patterns.totals(weights))
        self.counts = patterns.counts
        data = replace(
            signals._data, votes=patterns.codes, counts=self.counts, index=None
        )
        self.signals = signals._copy(data, patterns)

    def __len__(self) -> int:
        return len(self.signals)

    @property
    def n_examples(self) -> float:
        """Examples counted, or their weight."""
        return float(self.counts.sum())

    def __repr__(self) -> str:
        return (
            f"PatternCounts({len(self)} patterns of {self.n_examples:g} examples, "
            f"{self.signals.n_signals} signals, {self.signals.n_classes} classes)"
        )

    def __add__(self, other: PatternCounts) -> PatternCounts:
        if not isinstance(other, PatternCounts):
            return NotImplemented
        mine, theirs = self.signals, other.signals
        if mine.kind is not theirs.kind:
            raise SignalsError(
                f"{mine.kind.value} and {theirs.kind.value} cannot be added."
            )
        if mine.named and theirs.named:
            if set(mine.names) != set(theirs.names):
                odd = sorted(set(mine.names) ^ set(theirs.names))
                raise SignalsError(
                    "counts of different signals cannot be added; only one side has "
                    f"{', '.join(odd)}."
                )
            theirs = theirs._match_names(mine.names)
        elif mine.n_signals != theirs.n_signals:
            raise SignalsError(
                f"counts of {mine.n_signals} and of {theirs.n_signals} signals cannot be "
                "added."
            )
        classes = _union(mine.classes, theirs.classes)
        votes = stack_votes(*(_recode(side, classes) for side in (mine, theirs)))
        counts = np.concatenate([self.counts, other.counts])
        if not np.array_equal(mine.columns, theirs.columns):
            raise SignalsError("the signals speak of different classes.")
        data = mine._data
        if mine.names_classes:  # of perhaps more classes, so of more label columns
            data = replace(data, n_label_columns=label_columns(classes))
        data = replace(data, classes=classes, votes=votes, counts=counts, drawn=None)
        return PatternCounts(mine._copy(data))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the counts to a file, without pickle."""
        arrays: Arrays = {}
        names = self.signals.names if self.signals.named else None
        held = {"data": self.signals._data, "names": names}
        write_file(path, KIND, encode(held, arrays, KNOWN, "counts"), arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> PatternCounts:
        """Read counts that `save` wrote."""
        settings, arrays = read_file(path, KIND)
        with explain_damage(path):
            return cls(WeakSignals(**decode(settings, arrays, KNOWN, "counts")))


def _union(mine: NDArray[Any], theirs: NDArray[Any]) -> NDArray[Any]:
    """All classes, sorted; an order that somebody chose is kept only if it is shared."""
    if np.array_equal(mine, theirs):
        return mine
    try:
        union = np.unique(np.concatenate([mine, theirs]))
    except TypeError as error:
        raise SignalsError(
            "the classes of the two sides cannot be compared."
        ) from error
    for classes in (mine, theirs):
        if mine.dtype.kind != theirs.dtype.kind or list(classes) != sorted(classes):
            raise SignalsError(
                f"the classes {mine.tolist()} and {theirs.tolist()} have no common "
                "order. Pass classes= when making the signals."
            )
    return union


def _recode(signals: WeakSignals, classes: NDArray[Any]) -> Votes:
    """Votes with the codes of more classes."""
    if not signals.names_classes or np.array_equal(signals.classes, classes):
        return signals.votes
    return recode(
        signals.votes, np.searchsorted(classes, signals.classes), len(classes)
    )
