"""Comparisons as numbers: distinct (first, second, judge), with counts of verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray

TASK = "(task)"
"""The key of what items were compared on; those of slices are names of columns."""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """What judges said of pairs of items; equal comparisons are counted, not repeated.

    Attributes
    ----------
    items, judges : tuples of str
        In the order of their codes.
    first, second : (r,) arrays of int
        The items, in the order in which they were shown.
    judge : (r,) array of int
    wins, ties, losses : (r,) arrays of float
        How often the first was preferred, neither, and the second.
    ordered : bool
        Whether it is known which item was shown first.
    keys : mapping of name to (r,) array of int
        What else tells rows apart: slices, and `TASK`.
    key_values : mapping of name to tuple of str
        What their codes stand for.
    """

    items: tuple[str, ...]
    judges: tuple[str, ...]
    first: IntArray
    second: IntArray
    judge: IntArray
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray
    ordered: bool
    keys: Mapping[str, IntArray]
    key_values: Mapping[str, tuple[str, ...]]

    @property
    def n(self) -> FloatArray:
        """(r,) verdicts."""
        return self.wins + self.ties + self.losses

    @property
    def has_ties(self) -> bool:
        """Whether any verdict is a tie."""
        return bool(self.ties.any())

    def sum_by(self, keys: Iterable[str] = ()) -> Comparisons:
        """One row per first, second, judge and what is named; all else is summed over.

        Where the order is not known, an item of lower code is the first.
        """
        first, second, wins, losses = self.first, self.second, self.wins, self.losses
        if not self.ordered:
            turned = first > second
            first, second = np.where(turned, [second, first], [first, second])
            wins, losses = np.where(turned, [losses, wins], [wins, losses])
        kept = {name: self.keys[name] for name in keys}
        at, row_of = find_distinct([first, second, self.judge, *kept.values()])
        wins, ties, losses = (
            add_up(row_of, counts, len(at)) for counts in (wins, self.ties, losses)
        )
        return replace(
            self,
            first=first[at],
            second=second[at],
            judge=self.judge[at],
            wins=wins,
            ties=ties,
            losses=losses,
            keys={name: codes[at] for name, codes in kept.items()},
        )

    def count_verdicts(self) -> FloatArray:
        """(K,) verdicts in which an item took part."""
        both = np.concatenate([self.first, self.second])
        return add_up(both, np.tile(self.n, 2), len(self.items))

    def reorder(self, order: IntArray) -> Comparisons:
        """The same with items in another order."""
        place = np.argsort(order)
        return replace(
            self,
            items=tuple(self.items[i] for i in order),
            first=place[self.first],
            second=place[self.second],
        )

    def take(self, rows: IntArray | slice) -> Comparisons:
        """Some of the rows."""
        names = ("first", "second", "judge", "wins", "ties", "losses")
        return replace(
            self,
            keys={name: codes[rows] for name, codes in self.keys.items()},
            **{name: getattr(self, name)[rows] for name in names},
        )


def add_up(codes: IntArray, values: FloatArray, size: int) -> FloatArray:
    """(size,) the values of every code, added up."""
    return np.bincount(codes, values, size).astype(float, copy=False)


def find_distinct(codes: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """Where every distinct row of some columns is first, and which of those a row is.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.ranking.comparisons import find_distinct
    >>> at, row_of = find_distinct([np.array([1, 0, 1]), np.array([2, 2, 2])])
    >>> at.tolist(), row_of.tolist()
    ([1, 0], [1, 0, 1])
    """
    key = np.zeros(len(codes[0]), np.int64)
    size = 1
    for column in codes:
        span = int(column.max(initial=0)) + 1
        if size > (1 << 62) // span:  # no number is that large: number what there is
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            size = int(key.max(initial=0)) + 1
        key, size = key * span + column, size * span
    _, at, row_of = np.unique(key, return_index=True, return_inverse=True)
    return at, row_of


def code_comparisons(
    a: Sequence[str],
    b: Sequence[str],
    verdicts: Sequence[int],
    judges: Sequence[str] | None = None,
    *,
    ordered: bool = True,
    counts: ArrayLike | None = None,
    keys: Mapping[str, Sequence[str]] | None = None,
) -> Comparisons:
    """Comparisons of names.

    Parameters
    ----------
    a, b : n strings
        Items, in the order in which they were shown if `ordered`.
    verdicts : (n,) array of int
        1: the first was preferred; -1: the second; 0: neither.
    judges : n strings, optional
        Default: all verdicts are of one judge.
    ordered : bool
    counts : (n,) array of float, optional
        How often each was said; default: once.
    keys : mapping of name to n strings, optional
        What else tells comparisons apart.

    Examples
    --------
    >>> from corral.ranking.comparisons import code_comparisons
    >>> data = code_comparisons(["x", "x"], ["y", "y"], [1, 1]).sum_by()
    >>> data.items, data.wins.tolist()
    (('x', 'y'), [2.0])
    """
    said = np.asarray(verdicts)
    weights = np.ones(len(said)) if counts is None else np.asarray(counts, float)
    items, both = code_names([*a, *b])
    names, judge = code_names(["all"] * len(said) if judges is None else judges)
    coded = {name: code_names(values) for name, values in (keys or {}).items()}
    return Comparisons(
        items,
        names,
        both[: len(said)],
        both[len(said) :],
        judge,
        wins=weights * (said == 1),
        ties=weights * (said == 0),
        losses=weights * (said == -1),
        ordered=ordered,
        keys={name: codes for name, (_, codes) in coded.items()},
        key_values={name: values for name, (values, _) in coded.items()},
    )


def code_names(names: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """The distinct names, sorted, and the place of every one among them.

    Examples
    --------
    >>> from corral.ranking.comparisons import code_names
    >>> values, codes = code_names(["y", "x", "y"])
    >>> values, codes.tolist()
    (('x', 'y'), [1, 0, 1])
    """
    values = sorted(set(names))
    place = {name: i for i, name in enumerate(values)}
    codes = np.fromiter(map(place.__getitem__, names), np.int64, len(names))
    return tuple(values), codes
