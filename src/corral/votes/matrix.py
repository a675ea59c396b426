"""The matrix of votes ``F``: what its columns mean, and how it is multiplied.

Hard votes of a few signals have few different rows, so signals are taken in groups: a row
is one code per group, and a product is a small one with all codes, and a look-up.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from corral._types import BoolArray, FloatArray, IntArray
from corral.errors import SignalsError

if TYPE_CHECKING:
    from corral.votes.weak_signals import WeakSignals

MAX_CODES = 4096  # different rows of a group of signals: they stay in the cache
MIN_PACKED_VOTES = 50_000  # votes from which look-ups pay for the codes
MIN_VOTES_PER_CODE = 2  # votes that a code must stand for on average


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
    abstain : tuple or None
        What means no vote, as the user said, so that new data are read alike.
    normalise : bool
        Whether texts that differ only in case or blanks are one class.
    columns : tuple of str or None
        The columns of a table that has one per signal and class, signal by signal.
    """

    kind: Kind
    classes: NDArray[Any]
    n_signals: int
    given_names: tuple[str, ...] | None = None
    abstain: Any = None
    normalise: bool = False
    columns: tuple[str, ...] | None = None

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

        Named signals are matched by name, and those that are missing abstain. Votes and
        class probabilities may stand for each other.
        """
        from corral.votes.reading import read_alike  # these use a schema
        from corral.votes.weak_signals import WeakSignals

        given = isinstance(data, WeakSignals)
        new = data if given else WeakSignals(**read_alike(self, data))
        if not len(new):
            raise SignalsError("the new signals are empty; there is nothing to label.")
        return new.align(self)


class VoteMatrix:
    """``F`` (u, f), and how it is multiplied.

    `step` is the number of features per question, if all votes are hard.
    """

    def __init__(self, F: csr_array, step: int | None = None) -> None:
        self.F, self._step = F, step

    @cached_property
    def packs(self) -> list[tuple[IntArray, IntArray, IntArray, FloatArray]]:
        """Of every group of questions what stands for the votes on it: a code per row.

        Codes (u,); where runs of equal ones begin, if they rise, as those of the first
        questions do; features (g,); and the votes (codes, g) of every code.
        """
        F, step = self.F, self._step
        if step is None or F.nnz < MIN_PACKED_VOTES or step >= MAX_CODES:
            return []
        used = np.flatnonzero(np.bincount(F.indices // step))
        size = max(1, int(np.log(MAX_CODES) / np.log(step + 1)))
        groups = [used[a : a + size] for a in range(0, len(used), size)]
        if F.nnz < MIN_VOTES_PER_CODE * F.shape[0] * len(groups):
            return []
        # All groups at once: a pass over the votes for each would be quadratic in signals.
        place = np.zeros(int(used.max()) + 1, int)
        place[used] = np.arange(len(used))
        own_group, own = np.divmod(place, size)
        lengths = np.array([len(group) for group in groups])
        worth = (step + 1) ** np.maximum(lengths[own_group] - 1 - own, 0)
        row = np.repeat(np.arange(F.shape[0]), np.diff(F.indptr))
        question, said = np.divmod(F.indices, step)
        cell = row * len(groups) + own_group[question]
        sums = np.bincount(cell, worth[question] * (said + 1), F.shape[0] * len(groups))
        codes = sums.reshape(-1, len(groups)).T.astype(np.intp, order="C")
        packs = []
        for group, code in zip(groups, codes, strict=True):
            features = (group[:, None] * step + np.arange(step)).ravel()
            step_up = np.diff(code, prepend=-1)
            runs = np.flatnonzero(step_up if (step_up >= 0).all() else [])
            packs.append((code, runs, features, _rows_of_codes(len(group), step)))
        return packs

    def times(self, W: FloatArray, at: slice = slice(None)) -> FloatArray:
        """(p, k) ``F[at] @ W``; W is (f, k)."""
        if not self.packs:
            part = self.F if at == slice(None) else self.F[at]
            return _product(part, W)
        total: Any = None
        for code, _, features, rows in self.packs:
            part = (rows @ W[features]).take(code[at], axis=0)
            total = part if total is None else np.add(total, part, out=total)
        return total

    def transposed_times(self, y: FloatArray, at: slice = slice(None)) -> FloatArray:
        """(f, k) ``F[at].T @ y``; y is (p, k)."""
        if not self.packs:
            part = self.F if at == slice(None) else self.F[at]
            return _product(part.T, y)
        total = np.zeros((self.F.shape[1], y.shape[1]))
        for code, runs, features, rows in self.packs:
            n = len(rows)
            if len(runs) and at == slice(None):
                sums = np.zeros((n, y.shape[1]))
                sums[code[runs]] = np.add.reduceat(y, runs, axis=0)
            else:
                each = [np.bincount(code[at], column, n) for column in y.T]
                sums = np.stack(each, axis=1)
            total[features] = rows.T @ sums
        return total


def _product(table: Any, vectors: FloatArray) -> FloatArray:
    """A product with a sparse array, which is faster with a vector."""
    one = vectors.shape[1] == 1
    found: FloatArray = (table @ vectors[:, 0])[:, None] if one else table @ vectors
    return found


def _rows_of_codes(questions: int, step: int) -> FloatArray:
    """(codes, g) the votes that every code of a group of questions stands for."""
    n = (step + 1) ** questions
    worth = (step + 1) ** np.arange(questions)[::-1]
    said = np.arange(n)[:, None] // worth % (step + 1)
    rows: FloatArray = said[:, :, None] == np.arange(1, step + 1)
    return rows.reshape(n, -1).astype(float)
