"""What can be said of signals without looking at their votes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.signals.binning import RoundingError
from corral.signals.constructors import SignalConstructors
from corral.signals.signal_data import Kind, SignalData, class_vote_columns

MOST_CLASSES = 8
"""Classes that are listed where signals say how they were read."""


class SignalProperties(SignalConstructors):
    """Kind, size and coding of `WeakSignals`, apart from what is done with them."""

    @property
    def kind(self) -> Kind:
        """Class votes, one-vs-rest or class probabilities."""
        return self._data.kind

    @property
    def classes(self) -> NDArray[Any]:
        """(k,) class values as given."""
        return self._data.classes

    @property
    def index(self) -> NDArray[Any] | None:
        """(n,) the task of every example, where a long table named them."""
        return self._data.index

    @property
    def counts(self) -> FloatArray | None:
        """(n,) how many examples every row stands for; None: one each."""
        return self._data.counts

    @property
    def n_drawn(self) -> int:
        """Examples looked at: fewer than the counts stand for if the rows are a sample."""
        if self._data.drawn is not None:
            return self._data.drawn
        return len(self) if self.counts is None else round(self.counts.sum())

    @property
    def n_examples(self) -> int:
        """Number of rows; examples, unless `counts` says otherwise."""
        if self._data.votes is not None:
            return int(self._data.votes.shape[0])
        return int(self._data.values[0].shape[1]) if self._data.values else 0

    @property
    def n_signals(self) -> int:
        """Number of signals."""
        return self._data.n_signals

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def n_label_columns(self) -> int:
        """Unknowns per example: one per class, or a single one for two classes."""
        return self._data.n_label_columns

    @property
    def reading(self) -> str:
        """How the data were read: what means no vote, and which classes there are.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> WeakSignals.from_votes([[0, 1], [-1, 1]]).reading
        '-1 = no vote; classes 0, 1'
        >>> WeakSignals.from_votes([["a", None], ["b", "b"]]).reading
        'empty = no vote; classes a, b'
        >>> WeakSignals.from_probabilities([[0.9, 0.4], [0.2, 0.1]]).reading
        'probabilities of class 1, the second of 0, 1'
        """
        return _describe_reading(self._data)

    def __len__(self) -> int:
        return self.n_examples

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of signals."""
        return len(self), self.n_signals

    def __repr__(self) -> str:
        rows = f"{self.n_examples} examples"
        if self.counts is not None:
            rows = f"{self.n_examples} rows for {self.counts.sum():.0f} examples"
        kind = self.kind.value
        if self.bins is not None:
            kind += f" in {self.bins} bins"
            if self.rounding_error is not None:
                kind += f" (rounding error {self.rounding_error.mean:.2g})"
        return (
            f"WeakSignals({rows}, {self.n_signals} signals, "
            f"{self.n_classes} classes, {kind})"
        )

    @property
    def is_hard(self) -> bool:
        """Whether all votes are certain (0 or 1)."""
        return self._data.votes is not None and self._data.grid is None

    @property
    def has_patterns(self) -> bool:
        """Whether examples can share `patterns`: hard votes, or probabilities in bins."""
        return self._data.votes is not None

    @property
    def bins(self) -> int | None:
        """Bins that probabilities were rounded to; None: as they came."""
        return None if self._data.grid is None else len(self._data.grid) - 1

    @property
    def rounding_error(self) -> RoundingError | None:
        """What rounding to bins moved, and the most it can move an error rate.

        None without bins, and for a part of binned signals: what was rounded is gone.
        """
        return self._data.rounding

    @property
    def names_classes(self) -> bool:
        """Whether signals choose among all classes; else each votes on one at a time."""
        return self.kind is not Kind.ONE_VS_REST

    @property
    def n_choices(self) -> int:
        """How many different votes there are: one per class, or "no" and "yes"."""
        return self.n_classes if self.names_classes else 2

    @property
    def vote_columns(self) -> IntArray:
        """(c, 2) signal and class that every column of `cells` votes on; -1: all of them.

        The same for soft signals, and for the votes they are rounded to.
        """
        if not self.names_classes:
            return self.columns
        return class_vote_columns(self.n_signals)

    @property
    def columns(self) -> IntArray:
        """(c, 2) signal and label column of every stored column; -1: all of them."""
        return self._data.columns


def _describe_reading(data: SignalData) -> str:
    classes = data.classes.tolist()
    shown = ", ".join(map(_shown, classes[:MOST_CLASSES]))
    if len(classes) > MOST_CLASSES:
        shown += f", ... ({len(classes)} in all)"
    if data.kind is Kind.CLASS_PROBABILITIES:
        if data.n_label_columns == 1:
            return f"probabilities of class {_shown(classes[1])}, the second of {shown}"
        return f"probabilities of the classes {shown}"
    if data.kind is Kind.ONE_VS_REST:
        return f"one class at a time; classes {shown}"
    if data.silent is None:
        return f"classes {shown}"
    if not data.silent:
        return f"every cell is a vote; classes {shown}"
    silent = ", ".join("empty" if v is None else _shown(v, True) for v in data.silent)
    return f"{silent} = no vote; classes {shown}"


def _shown(value: Any, quoted: bool = False) -> str:
    """A value; text with quotes where its ends could not be seen."""
    if isinstance(value, str) and (quoted or not value.isidentifier()):
        return repr(value)
    return str(value)
