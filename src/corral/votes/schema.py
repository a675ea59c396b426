"""`Schema`: what the columns of the matrix of votes mean."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from corral._types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from corral.votes.weak_signals import WeakSignals


class Kind(StrEnum):
    """What a signal says of an example."""

    CLASS_VOTES = "class votes"
    ONE_VS_REST = "one-vs-rest"
    CLASS_PROBABILITIES = "class probabilities"


@dataclass(frozen=True, eq=False)
class Schema:
    """What votes mean: all that a fitted labeler keeps of the signals it was fitted on.

    Attributes
    ----------
    kind : Kind
    classes : (k,) array
        Class values as given.
    n_signals : int
    given_names : tuple of str or None
        Names of the signals, if any were given.
    abstain : scalar, tuple or None
        What was said to mean no vote, so that new data are read alike.
    normalise : bool
        Whether texts that differ in case or blanks only are one class.
    """

    kind: Kind
    classes: NDArray[Any]
    n_signals: int
    given_names: tuple[str, ...] | None = None
    abstain: Any = None
    normalise: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the signals; s0, s1, ... unless given."""
        return self.given_names or tuple(f"s{i}" for i in range(self.n_signals))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def names_classes(self) -> bool:
        """Whether signals choose among all classes; else each votes on one at a time."""
        return self.kind is not Kind.ONE_VS_REST

    @property
    def n_features(self) -> int:
        """Columns of ``F``: signal times class, times "no" and "yes" if one-vs-rest."""
        return self.n_signals * self.n_classes * (1 if self.names_classes else 2)

    @cached_property
    def signal(self) -> IntArray:
        """(f,) who says it."""
        return np.arange(self.n_features) // (self.n_features // self.n_signals)

    @cached_property
    def says(self) -> IntArray:
        """(f,) the class that it is about."""
        step = 1 if self.names_classes else 2
        return np.arange(self.n_features) // step % self.n_classes

    @cached_property
    def negated(self) -> BoolArray:
        """(f,) whether it says "not this class"."""
        odd = np.arange(self.n_features) % 2 == 0
        return odd if not self.names_classes else np.zeros(self.n_features, bool)

    @cached_property
    def supports(self) -> FloatArray:
        """(f, k) one for the classes that a vote is for, else zero."""
        named = np.eye(self.n_classes)[self.says]
        return np.where(self.negated[:, None], 1 - named, named)

    @cached_property
    def shares(self) -> FloatArray:
        """(f, k) the same, adding up to one for every vote."""
        return self.supports / self.supports.sum(axis=1, keepdims=True)

    @property
    def n_columns(self) -> int:
        """Questions that are answered: one per signal, or per signal and class."""
        return self.n_signals * (1 if self.names_classes else self.n_classes)

    @cached_property
    def column(self) -> IntArray:
        """(f,) the question that a vote answers."""
        return np.arange(self.n_features) // (self.n_features // self.n_columns)

    def by_column(self, each: FloatArray) -> FloatArray:
        """Numbers (f, ...) of votes, summed by question: (c, ...)."""
        shape = (self.n_columns, -1, *each.shape[1:])
        total: FloatArray = each.reshape(shape).sum(axis=1)
        return total

    def by_signal(self, each: FloatArray) -> FloatArray:
        """Numbers (c,) of questions as (m,), or (m, k) for one-vs-rest signals."""
        return each if self.names_classes else each.reshape(self.n_signals, -1)

    def read(self, data: Any) -> WeakSignals:
        """New data as signals of this schema.

        Named signals are matched by name, and those that are missing abstain; an unseen
        class, an unknown name or another number of unnamed signals is an error. Votes and
        class probabilities may stand for each other.
        """
        from corral.votes.weak_signals import WeakSignals  # which have a schema

        return WeakSignals.from_schema(self, data)
