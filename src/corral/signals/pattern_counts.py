"""Counts of vote patterns, which add up over chunks, files and machines."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from corral._stored import (
    check_classes,
    check_coding,
    check_floats,
    check_positions,
    require,
)
from corral._types import FloatArray
from corral.errors import SignalsError
from corral.patterns import Votes
from corral.signals.coding import ABSTAIN, code_type
from corral.signals.parts import Kind, Parts, class_vote_parts
from corral.signals.weak_signals import WeakSignals
from corral.storage import read_file, restoring, write_file

KIND = "PatternCounts"


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
        patterns = signals.patterns
        counts = patterns.counts
        if weights is not None:
            counts = np.bincount(patterns.inverse, weights, len(counts)).astype(float)
        kept = np.flatnonzero(counts > 0)
        self.counts = counts[kept]
        votes = _rows(patterns.codes, kept)
        parts = replace(signals._parts, votes=votes, counts=self.counts, index=None)
        self.signals = WeakSignals(parts, signals.names if signals.named else None)

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
            theirs = theirs._matched(mine.names)
        elif mine.n_signals != theirs.n_signals:
            raise SignalsError(
                f"counts of {mine.n_signals} and of {theirs.n_signals} signals cannot be "
                "added."
            )
        classes = _union(mine.classes, theirs.classes)
        pair = [_recoded(side, classes) for side in (mine, theirs)]
        counts = np.concatenate([self.counts, other.counts])
        if mine.kind is Kind.CLASS_VOTES:
            parts = class_vote_parts(_stacked(pair), classes)
        else:
            if not np.array_equal(mine.columns, theirs.columns):
                raise SignalsError("the signals speak of different classes.")
            parts = replace(mine._parts, votes=_stacked(pair))
        parts = replace(
            parts,
            counts=counts,
            abstain=mine._parts.abstain,
            normalise=mine._parts.normalise,
            silent=mine._parts.silent,
        )
        names = mine.names if mine.named else None
        return PatternCounts(WeakSignals(parts, names))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the counts to a file, without pickle."""
        signals = self.signals
        votes = signals.votes
        arrays = {
            "classes": signals.classes,
            "columns": signals.columns,
            "counts": self.counts,
        }
        if isinstance(votes, csr_array):
            arrays |= {f"votes_{x}": getattr(votes, x) for x in _CSR}
        else:
            arrays["votes"] = votes
        settings = {
            "kind": signals.kind.value,
            "names": list(signals.names),
            "named": signals.named,
            "n_label_columns": signals.n_label_columns,
            "abstain": signals._parts.abstain,
            "normalise": signals._parts.normalise,
        }
        write_file(path, KIND, settings, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> PatternCounts:
        """Read counts that `save` wrote."""
        settings, arrays = read_file(path, KIND)
        with restoring(path):
            check_coding(settings)
            names, counts = settings["names"], arrays["counts"]
            votes = arrays.get("votes")
            if votes is None:
                cells = tuple(arrays[f"votes_{x}"] for x in _CSR)
                votes = csr_array(cells, (len(counts), len(names)))
                votes.check_format(full_check=True)
            parts = Parts(
                Kind(settings["kind"]),
                arrays["classes"],
                n_signals=len(names),
                n_label_columns=settings["n_label_columns"],
                columns=arrays["columns"],
                votes=votes,
                abstain=settings["abstain"],
                normalise=settings["normalise"],
                counts=counts,
            )
            _check_stored(parts, votes, counts)
            return cls(WeakSignals(parts, names if settings["named"] else None))


def _check_stored(parts: Parts, codes: Votes, counts: FloatArray) -> None:
    """Refuse what `save` would not have written."""
    check_classes(parts.classes, parts.n_label_columns)
    n, k = len(counts), len(parts.classes)
    check_positions("columns", parts.columns, (None, 2), -1, max(parts.n_signals, k))
    named = parts.kind is Kind.CLASS_VOTES
    own = np.column_stack([np.arange(parts.n_signals), np.full(parts.n_signals, -1)])
    fits = not named or np.array_equal(parts.columns, own)
    signal, label = parts.columns.T
    fits &= (signal >= 0).all() and (signal < parts.n_signals).all()
    require(fits and (label < parts.n_label_columns).all(), "a signal for every column")
    if isinstance(codes, csr_array):
        check_positions("votes", codes.data, (None,), 0, k + 1)
    else:
        shape = (n, len(parts.columns))
        check_positions("votes", codes, shape, -1, k if named else 2)
    check_floats("counts", counts, (n,), low=np.nextafter(0, 1))


_CSR = ("data", "indices", "indptr")


def _rows(votes: Votes, rows: NDArray[Any]) -> Votes:
    if isinstance(votes, csr_array):
        return votes[rows]
    return np.ascontiguousarray(votes[rows])


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


def _recoded(signals: WeakSignals, classes: NDArray[Any]) -> Votes:
    """Votes with the codes of more classes."""
    votes = signals.votes
    if signals.kind is not Kind.CLASS_VOTES or np.array_equal(signals.classes, classes):
        return votes
    to = np.searchsorted(classes, signals.classes)
    if isinstance(votes, csr_array):
        return csr_array(
            (to[votes.data - 1] + 1, votes.indices, votes.indptr), votes.shape
        )
    moved = np.append(to, ABSTAIN)[votes]  # code -1 is the last entry
    return moved.astype(code_type(len(classes)))


def _stacked(pair: list[Votes]) -> Votes:
    """One below the other; sparse if either is."""
    if not any(isinstance(votes, csr_array) for votes in pair):
        return np.concatenate(pair)
    wide = [
        v if isinstance(v, csr_array) else csr_array(v.astype(np.int32) + 1)
        for v in pair
    ]
    return csr_array(vstack(wide))
