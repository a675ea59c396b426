"""Constraints that users may put on labels, beside one error rate per signal.

Each is linear in the moments of the labels, and says so as rows of a `System`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from corral._types import BoolArray, IntArray
from corral.checks import check_number, check_share
from corral.errors import ParameterError
from corral.votes import WeakSignals

Limits = tuple[float, float, float]
"""The least and the largest value allowed, and the weight of missing them."""


class Row(NamedTuple):
    """A linear function of the moments that must be within limits."""

    name: str
    terms: list[tuple[int, int, float]]  # feature, class, coefficient
    size: float  # number of examples that it is a share of
    limits: Limits
    signal: int = -1  # that it belongs to; -1: it belongs to no signal


class Features:
    """What rows may be about: what signals say, all examples, covered ones, and groups.

    `example` (u,) has an example of every distinct row.
    """

    def __init__(self, signals: WeakSignals, example: IntArray) -> None:
        self.signals, self.example = signals, example
        # The columns after those of the signals: all examples, covered ones, then groups.
        self.extra = [np.ones(signals.n_rows), signals.covered_rows.astype(float)]
        self.every = signals.schema.n_features
        self.covered = self.every + 1

    def signal(self, which: str | int) -> int:
        """Position of a signal given by name or position."""
        names = self.signals.names
        if isinstance(which, str) and which in names:
            return names.index(which)
        if isinstance(which, int | np.integer) and 0 <= which < len(names):
            return int(which)
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        raise ParameterError(f"there is no signal {which!r}; the signals are {shown}.")

    def label(self, class_: Any) -> int:
        """Position of a class."""
        values = self.signals.classes.tolist()
        if class_ not in values:
            raise ParameterError(f"{class_!r} is not one of the classes {values}.")
        return values.index(class_)

    def vote(self, signal: str | int, class_: Any) -> int:
        """The feature that a signal says "yes" to a class."""
        place = self.signal(signal) * self.signals.n_classes + self.label(class_)
        return place if self.signals.schema.names_classes else 2 * place + 1

    def group(self, groups: ArrayLike, group: Any) -> int:
        """The feature of a group."""
        of_rows = np.asarray(groups)[self.example]
        self.extra.append((of_rows == group).astype(float))
        return self.every + len(self.extra) - 1

    def total(self, feature: int) -> float:
        """The sum of a feature over the examples, such as votes of a signal for a class."""
        if feature < self.every:
            return float(self.signals.cast[feature])
        return float(self.extra[feature - self.every] @ self.signals.counts)

    def share(self, asked: BoundedShare, feature: int, class_: Any) -> Row:
        """The row about the share of a class among the examples with a feature."""
        size = self.total(feature)
        if not size:
            raise ParameterError(
                f"{asked}: no example that counts has such a vote or is in such a group."
            )
        signal = self.signals.schema.signal[feature] if feature < self.every else -1
        terms = [(feature, self.label(class_), 1.0)]
        return Row(str(asked), terms, size, asked.limits, signal)


class Constraint:
    """A condition on the labels; `check` refuses arguments that no signals make right."""

    def check(self) -> None: ...

    def make_rows(self, _: Features) -> Iterable[Row]:
        """The rows that say it."""
        return ()


@dataclass(frozen=True, kw_only=True)
class BoundedShare(Constraint):
    """A share that should be equal to a number, at most, at least, or between two."""

    equal: float | None = None
    at_most: float | None = None
    at_least: float | None = None
    weight: float = 1.0

    def __str__(self) -> str:
        """The name in reports: all arguments but the bounds and arrays of groups."""
        own = [f.name for f in fields(self) if not f.kw_only and f.name != "groups"]
        shown = (getattr(self, name) for name in own)
        return f"{type(self).__name__}({', '.join(str(x) for x in shown if x is not None)})"

    def check(self) -> None:
        for name in ("equal", "at_most", "at_least"):
            if getattr(self, name) is not None:
                check_share(f"{name} of {self}", getattr(self, name))
        if (self.equal is None) is (self.at_most is None and self.at_least is None):
            raise ParameterError(
                f"{self} must say what is asked: equal=, or at_most= and at_least=, one "
                "or both."
            )
        check_number(f"weight of {self}", self.weight)
        lower, upper, _ = self.limits
        if lower > upper:
            raise ParameterError(
                f"{self} asks for at least {self.at_least}, at most {self.at_most}."
            )

    @property
    def limits(self) -> Limits:
        """What the bounds say."""
        if self.equal is not None:
            return float(self.equal), float(self.equal), float(self.weight)
        lower = -np.inf if self.at_least is None else float(self.at_least)
        upper = np.inf if self.at_most is None else float(self.at_most)
        return lower, upper, float(self.weight)


@dataclass(frozen=True)
class ErrorRate(BoundedShare):
    """How often a signal is wrong, in place of what `error_rates` says.

    Parameters
    ----------
    signal : str or int, optional
        Name or position; default: every signal.
    class_ : optional
        Only its error about this class; for one-vs-rest signals.
    equal, at_most, at_least : float, optional
        Between 0 and 1; `equal` goes alone.
    weight : float
        How much it counts where not all constraints can be met.

    Examples
    --------
    >>> from corral import ConstrainedLabeler, ErrorRate, Precision
    >>> votes = [[1, 1, 0], [0, 1, 0], [1, -1, 1], [0, 0, 0]]
    >>> asked = [ErrorRate(at_most=0.3), Precision("s0", 1, at_least=0.9)]
    >>> labeler = ConstrainedLabeler(None, "entropy", constraints=asked).fit(votes)
    >>> labeler.implied_error_rates_.round(2).tolist()
    [0.14, 0.3, 0.3]
    """

    signal: str | int | None = None
    class_: Any = None

    def bound(self, features: Features, signal: IntArray, label: IntArray) -> BoolArray:
        """Which error rates, of rows about a signal and a class, it bounds."""
        chosen = np.ones(len(signal), bool)
        if self.signal is not None:
            chosen &= signal == features.signal(self.signal)
        if self.class_ is not None:
            if features.signals.schema.names_classes:
                raise ParameterError(
                    f"{self} of one class is for one-vs-rest signals; these are "
                    f"{features.signals.kind.value}. Use Precision or Confusion."
                )
            chosen &= label == features.label(self.class_)
        if not chosen.any():
            raise ParameterError(f"{self} is about a signal that never votes.")
        return chosen


@dataclass(frozen=True)
class Precision(BoundedShare):
    """Of the votes of a signal for a class, the share that is right.

    A vote of a soft signal counts by its probability.

    Parameters
    ----------
    signal, class_
        Name or position of the signal, and a class value.
    equal, at_most, at_least, weight : as for `ErrorRate`
    """

    signal: str | int
    class_: Any

    def make_rows(self, features: Features) -> Iterable[Row]:
        vote = features.vote(self.signal, self.class_)
        yield features.share(self, vote, self.class_)


@dataclass(frozen=True)
class Confusion(BoundedShare):
    """Of the votes of a signal for one class, the share that is of another.

    Parameters
    ----------
    signal, said, class_
        Name or position of the signal, the class it votes for, and the class it should
        have voted for.
    equal, at_most, at_least, weight : as for `ErrorRate`
    """

    signal: str | int
    said: Any
    class_: Any

    def make_rows(self, features: Features) -> Iterable[Row]:
        vote = features.vote(self.signal, self.said)
        yield features.share(self, vote, self.class_)


@dataclass(frozen=True)
class Recall(BoundedShare):
    """Of the examples of a class, the share that a signal votes for.

    Examples on which it abstains count as missed.

    Parameters
    ----------
    signal, class_
        Name or position of the signal, and a class value.
    equal, at_most, at_least, weight
        As for `ErrorRate`. Misses are measured as shares of all examples.
    """

    signal: str | int
    class_: Any

    def make_rows(self, features: Features) -> Iterable[Row]:
        vote, k = features.vote(self.signal, self.class_), features.label(self.class_)
        signal, every = features.signal(self.signal), features.every
        # found / all >= share is not linear in the labels; found - share * all >= 0 is.
        asked = (
            (self.equal, 0.0, 0.0),
            (self.at_least, 0.0, np.inf),
            (self.at_most, -np.inf, 0.0),
        )
        for share, lower, upper in asked:
            if share is not None:
                terms = [(vote, k, 1.0), (every, k, -float(share))]
                limits = lower, upper, self.weight
                yield Row(str(self), terms, features.total(every), limits, signal)


@dataclass(frozen=True)
class ClassBalance(BoundedShare):
    """The share of a class among all examples, those without votes included.

    Parameters
    ----------
    class_
        A class value.
    equal, at_most, at_least, weight : as for `ErrorRate`

    Examples
    --------
    >>> from corral import ClassBalance, ConstrainedLabeler, ErrorRate
    >>> votes = [["ham", "ham"], ["ham", "spam"], ["spam", "spam"], [None, None]]
    >>> asked = [ErrorRate(at_most=0.4), ClassBalance("spam", at_most=0.4)]
    >>> labeler = ConstrainedLabeler(None, "entropy", constraints=asked).fit(votes)
    >>> labeler.labels_.mean(axis=0).round(2).tolist()
    [0.6, 0.4]
    """

    class_: Any

    def make_rows(self, features: Features) -> Iterable[Row]:
        yield features.share(self, features.every, self.class_)


@dataclass(frozen=True)
class CoveredBalance(BoundedShare):
    """The same among the examples with a vote: what the option `class_balance` asks."""

    class_: Any

    def make_rows(self, features: Features) -> Iterable[Row]:
        yield features.share(self, features.covered, self.class_)


@dataclass(frozen=True, eq=False)
class GroupShare(BoundedShare):
    """The share of a class among the examples of a group (label proportions).

    Parameters
    ----------
    groups : (n,) array
        The group of every example fitted on. The same array may serve many constraints.
    group
        One of them.
    class_
        A class value.
    equal, at_most, at_least, weight : as for `ErrorRate`

    Groups belong to the examples fitted on; `predict_proba` takes no groups.

    Examples
    --------
    >>> from corral import ConstrainedLabeler, ErrorRate, GroupShare
    >>> votes = [[1, 0], [1, 1], [1, 0], [0, 0], [0, 1], [0, 0]]
    >>> site = ["north", "north", "north", "south", "south", "south"]
    >>> asked = [ErrorRate(at_most=0.4), GroupShare(site, "north", 1, at_least=0.8)]
    >>> labeler = ConstrainedLabeler(None, "entropy", constraints=asked).fit(votes)
    >>> float(labeler.labels_[:3, 1].mean().round(3))
    0.8
    """

    groups: ArrayLike
    group: Any
    class_: Any

    def make_rows(self, features: Features) -> Iterable[Row]:
        member = features.group(self.groups, self.group)
        yield features.share(self, member, self.class_)


@dataclass(frozen=True, eq=False)
class Known(Constraint):
    """Examples whose label is known. They keep it, and count in every error rate.

    Parameters
    ----------
    rows : (j,) array of int
        Positions of the examples, each once, from 0 on; negative ones are refused.
    labels : (j,) array
        Their class values. In multi-label tasks (j, k), 0 or 1 for every class.

    Examples
    --------
    >>> from corral import ConstrainedLabeler, Known
    >>> votes = [["a", "b"], ["a", "b"], ["a", "b"], ["b", "b"], ["a", "a"]]
    >>> labeler = ConstrainedLabeler(0.45, "entropy", constraints=[Known([0], ["b"])])
    >>> labeler.fit(votes).labels_.round(2).tolist()[:2]
    [[0.0, 1.0], [0.75, 0.25]]
    """

    rows: ArrayLike
    labels: ArrayLike

    def positions(self, n: int) -> IntArray:
        """The rows, which must be positions of `n` examples."""
        rows = np.asarray(self.rows)
        # -1 is what look-ups return for "not found"; the last example is n - 1.
        fine = rows.ndim == 1 and (rows.dtype.kind in "iu" or not rows.size)
        if not fine or len(np.unique(rows[(rows >= 0) & (rows < n)])) < len(rows):
            raise ParameterError(
                f"rows of Known are different positions of examples, from 0 to {n - 1}; "
                f"{rows.ravel().tolist()[:3]} of type {rows.dtype} came. For a mask, give "
                "Known(np.flatnonzero(mask), labels)."
            )
        return rows.astype(int)


def check_constraints(constraints: Sequence[Constraint]) -> None:
    """Refuse what is not a list of constraints."""
    listed = isinstance(constraints, Sequence)
    if not listed or not all(isinstance(one, Constraint) for one in constraints):
        raise ParameterError(
            "must be a list, such as [corral.ErrorRate(at_most=0.3)]; "
            f"{constraints!r} was given.",
            parameter="constraints",
        )
    for one in constraints:
        one.check()
