"""Add a list of constraints to a space of error rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.constraints.designs import Operator
from corral.constraints.kinds import (
    Constraint,
    ErrorRate,
    GroupShare,
    Known,
    Limits,
)
from corral.constraints.row_terms import GROUP, RowTerms, feature_matrix
from corral.constraints.signal_errors import label_matrix
from corral.constraints.space import LabelSpace, Rows, row_rates
from corral.errors import ParameterError
from corral.signals import WeakSignals


@dataclass(frozen=True)
class ExampleFacts:
    """What constraints say of single examples: their groups, and known labels.

    Attributes
    ----------
    groups : (n, g) array of int
        The group of every example in every array of groups, as a number; no two arrays
        share a number.
    known : (n,) array of int
        The number of the labels that an example is known to have, or -1.
    labels : (j, k) array of float
        These labels.
    numbers : dict
        From the place of an array of groups and a value in it to its number.
    columns : tuple
        The arrays of groups, as given.
    """

    groups: IntArray
    known: IntArray
    labels: FloatArray
    numbers: dict[tuple[int, Any], int]
    columns: tuple[ArrayLike, ...]

    @property
    def codes(self) -> IntArray:
        """(n,) one number per example, equal where groups and known labels are."""
        table = np.column_stack([self.groups, self.known])
        codes: IntArray = np.unique(table, axis=0, return_inverse=True)[1].ravel()
        return codes

    def take(self, rows: IntArray) -> ExampleFacts:
        """Those of some examples."""
        return replace(self, groups=self.groups[rows], known=self.known[rows])

    def by_pattern(self, design: Operator) -> ExampleFacts:
        """Those of patterns, whose examples all have the same."""
        any_of = np.arange(design.n_patterns)
        if design.inverse is not None:
            any_of[design.inverse] = np.arange(len(design.inverse))
        return self.take(any_of)

    def number(self, groups: ArrayLike, group: Any) -> int:
        """The number of a group."""
        column = next(i for i, own in enumerate(self.columns) if own is groups)
        if (column, group) not in self.numbers:
            have = [value for at, value in self.numbers if at == column]
            raise ParameterError(
                f"no example is in group {group!r}; the groups are "
                f"{', '.join(map(repr, have[:8]))}."
            )
        return self.numbers[column, group]


def check_constraints(constraints: Any) -> Sequence[Constraint]:
    """Refuse what is not a list of constraints."""
    given = () if constraints is None else constraints
    if isinstance(given, Constraint) or not isinstance(given, Sequence):
        raise ParameterError(
            "constraints must be a list, such as [corral.ErrorRate(at_most=0.3)]; "
            f"{constraints!r} was given."
        )
    for constraint in given:
        if not isinstance(constraint, Constraint):
            raise ParameterError(
                "constraints must be made by corral.ErrorRate and its siblings; "
                f"{constraint!r} was given."
            )
        constraint.check()
    return given


def read_example_facts(
    constraints: Sequence[Constraint], signals: WeakSignals, *, multilabel: bool = False
) -> ExampleFacts | None:
    """Groups and known labels of examples, if the constraints name any."""
    shares = [c for c in constraints if isinstance(c, GroupShare)]
    given = [c for c in constraints if isinstance(c, Known)]
    if not shares and not given:
        return None
    if signals.counts is not None:
        raise ParameterError(
            "GroupShare and Known are about single examples, but these signals are "
            "counted: a row stands for many."
        )
    columns: list[ArrayLike] = []
    for share in shares:
        if not any(share.groups is column for column in columns):
            columns.append(share.groups)
    numbers: dict[tuple[int, Any], int] = {}
    groups = np.empty((len(signals), len(columns)), int)
    for at, column in enumerate(columns):
        values = np.asarray(column)
        if values.shape != (len(signals),):
            raise ParameterError(
                f"groups must have one for each of the {len(signals)} examples; the "
                f"shape given is {values.shape}."
            )
        distinct, codes = np.unique(values, return_inverse=True)
        groups[:, at] = codes + len(numbers)
        numbers |= {(at, v): len(numbers) + i for i, v in enumerate(distinct.tolist())}
    known, labels = _read_known(given, signals, multilabel)
    return ExampleFacts(groups, known, labels, numbers, tuple(columns))


def _read_known(
    given: Sequence[Known], signals: WeakSignals, multilabel: bool
) -> tuple[IntArray, FloatArray]:
    """The number (n,) of the labels that examples have, and all labels (j, k)."""
    table = np.full((len(signals), signals.n_classes), np.nan)
    for one in given:
        rows = _known_rows(one, len(signals))
        if np.ndim(one.labels) != (2 if multilabel else 1):
            raise ParameterError(
                "Known takes one class value per example; in multi-label tasks one row "
                "of 0 and 1, one per class."
            )
        labels = label_matrix(one.labels, signals.classes)
        if ((labels != 0) & (labels != 1)).any():
            raise ParameterError("labels of Known must be 0 or 1, not soft.")
        before = table[rows]
        if (~np.isnan(before) & (before != labels)).any():
            raise ParameterError("an example is known to have two different labels.")
        table[rows] = labels
    fixed = ~np.isnan(table[:, 0])
    known = np.full(len(signals), -1)
    distinct, known[fixed] = np.unique(table[fixed], axis=0, return_inverse=True)
    return known, distinct


def _known_rows(one: Known, n: int) -> IntArray:
    rows = np.asarray(one.rows)
    outside = (rows < 0) | (rows >= n)
    if outside.any():
        # -1 is what look-ups return for "not found"; the last example is n - 1.
        raise ParameterError(
            f"rows of Known are positions of examples, from 0 to {n - 1}; "
            f"{rows[outside][0]} was given."
        )
    distinct, times = np.unique(rows, return_counts=True)
    if len(distinct) < len(rows):
        raise ParameterError(
            f"Known names example {distinct[times > 1][0]} twice; name it once."
        )
    return rows.astype(int)


class SpaceBuilder:
    """A space while constraints are added to it; parameters as for `constrained_space`."""

    def __init__(
        self, space: LabelSpace, signals: WeakSignals, facts: ExampleFacts | None
    ) -> None:
        self.space = space
        self.signals = signals
        asked, (lower, upper) = ~np.isnan(space.rates), space.interval
        self._lower = np.where(asked, lower, -np.inf)
        self._upper = np.where(asked, upper, np.inf)
        self._weight = np.ones(len(space.rows))
        self._names: list[str] = []
        self._terms: list[tuple[int, int, int, int, float]] = []
        self._rows: list[tuple[int, float, float, Limits]] = []
        self.facts = None if facts is None else facts.by_pattern(space.design)

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

    def group(self, groups: ArrayLike, group: Any) -> tuple[int, float]:
        """Number and size of a group."""
        assert self.facts is not None  # `read_example_facts` reads every `GroupShare`
        number = self.facts.number(groups, group)
        size = self.total((GROUP, number))
        if not size:
            raise ParameterError(f"no example that has a weight is in group {group!r}.")
        return number, size

    def total(self, feature: tuple[int, int]) -> float:
        """The sum of a feature over the examples, such as votes of a signal for a class."""
        weights, pair = self.space.design.weights, np.array([feature])
        column = feature_matrix(self.signals, pair, len(weights), self._groups)
        return float((column.T @ weights)[0])

    @property
    def _groups(self) -> IntArray | None:
        return None if self.facts is None else self.facts.groups

    def bound_rates(self, constraint: ErrorRate) -> None:
        """Bound the error rates of one signal, or of all."""
        rows = self.space.rows
        chosen = np.ones(len(rows), bool)
        if constraint.signal is not None:
            chosen &= rows.signal == self.signal(constraint.signal)
        if constraint.class_ is not None:
            if self.signals.names_classes:
                raise ParameterError(
                    f"{constraint} of one class is for one-vs-rest signals; these are "
                    f"{self.signals.kind.value}. Use Precision or Confusion."
                )
            chosen &= rows.label == self.label(constraint.class_)
        if not chosen.any():
            raise ParameterError(f"{constraint} is about a signal that never votes.")
        # `row_rates` spreads the rate of a signal over the rows of the classes.
        ones = np.ones(self.signals.n_signals)
        factor = row_rates(self.signals, rows, ones)[chosen]
        lower, upper, weight = constraint.limits
        self._lower[chosen] = lower * factor
        self._upper[chosen] = upper * factor
        self._weight[chosen] = weight

    def add(
        self,
        name: str,
        terms: Sequence[tuple[int, int, int, float]],
        size: float,
        limits: Limits,
    ) -> None:
        """Add a row.

        Parameters
        ----------
        name : str
        terms : sequence of (signal, said, class, coefficient)
        size : float
            The number of examples that the row is a share of.
        limits : Limits
        """
        row, constant = len(self._names), 0.0
        for signal, said, k, coefficient in terms:
            column = k
            if self.space.design.n_labels == 1:
                # The only column is the second class; the first is one minus it.
                column = 0
                if k == 0:
                    constant += coefficient * self.total((signal, said)) / size
                    coefficient = -coefficient
            self._terms.append((row, signal, said, column, coefficient))
        self._names.append(name)
        self._rows.append((max(terms[0][0], -1), size, constant, limits))

    def build(self) -> LabelSpace:
        """The space with all rows."""
        space = self._with_rows() if self._names else self.space
        limits = np.array([row[3] for row in self._rows]).reshape(-1, 3)
        lower = np.append(self._lower, limits[:, 0])
        upper = np.append(self._upper, limits[:, 1])
        weight = np.append(self._weight, limits[:, 2])
        if (lower == upper).all():
            space = replace(space, rates=lower)
        else:
            rates = np.clip(np.zeros(len(lower)), lower, upper)
            space = replace(space, rates=rates, lower=lower, upper=upper)
        if (weight != 1).any():
            space = replace(space, weight=weight)
        return space if self.facts is None else _fix_known(space, self.facts)

    def _with_rows(self) -> LabelSpace:
        columns = [np.array(column) for column in zip(*self._terms, strict=True)]
        terms = RowTerms(tuple(self._names), *columns)
        signal, size, constant, _ = zip(*self._rows, strict=True)
        old = self.space.rows
        rows = Rows(
            np.append(old.signal, signal),
            np.append(old.label, np.full(len(signal), -1)),
            np.append(old.size, size),
            np.append(old.mean, constant),
            terms,
        )
        design = terms.design(self.space.design, self.signals, self._groups)
        return replace(self.space, design=design, rows=rows)


def _fix_known(space: LabelSpace, facts: ExampleFacts) -> LabelSpace:
    """Move patterns with known labels from the unknowns to the constants."""
    fixed = facts.known >= 0
    if not fixed.any():
        return space
    design = space.design
    columns = facts.labels if design.n_labels > 1 else facts.labels[:, 1:]
    labels = np.zeros((design.n_labels, design.n_patterns))
    labels[:, fixed] = columns[facts.known[fixed]].T
    shift = design.totals(labels * design.weights) / space.rows.size
    return replace(
        space,
        design=design.without(fixed),
        constant=space.offset + shift,
        known_weight=float(design.weights[fixed].sum()),
    )


def constrained_space(
    space: LabelSpace,
    signals: WeakSignals,
    constraints: Sequence[Constraint],
    facts: ExampleFacts | None = None,
) -> LabelSpace:
    """A space of error rates with further constraints.

    Parameters
    ----------
    space : LabelSpace
        Its rows are error rates, exact or in intervals; those that are NaN ask for
        nothing.
    signals : WeakSignals
        Those of the space. With `facts`, ``signals.split_by(facts.codes)``.
    constraints : sequence of Constraint
    facts : ExampleFacts, optional
        From `read_example_facts`.

    Examples
    --------
    >>> import numpy as np
    >>> from corral import ClassBalance, Entropy, WeakSignals
    >>> from corral.constraints import constrained_space, label_space
    >>> signals = WeakSignals.from_votes([[0, 1], [0, 0], [1, 1], [0, -1]])
    >>> space = label_space(signals, np.full(2, 0.4))
    >>> space = constrained_space(space, signals, [ClassBalance(1, equal=0.3)])
    >>> Entropy().solve(space).implied_error_rates.round(3).tolist()
    [0.4, 0.4, 0.3]
    """
    builder = SpaceBuilder(space, signals, facts)
    for constraint in constraints:
        constraint.add_to(builder)
    return builder.build()
