"""Constraints as inequalities on the labels of single examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.checks import require_votes
from corral.constraints import (
    Constraint,
    Known,
    LabelSpace,
    check_constraints,
    constrained_space,
    label_space,
    read_example_facts,
    row_rates,
)
from corral.error_rates import RateSource, SignalRates
from corral.errors import ParameterError
from corral.labelers.estimated_rates import estimate_rates, estimator_of, signal_rates
from corral.labelers.fit_data import FitData
from corral.signals import WeakSignals


class Bounds:
    """``A y <= b``: every share that a constraint bounds, less its bound, is not positive.

    Labels ``y`` are (n, c), one column for two classes, one per class otherwise. They may
    differ between examples that have the same votes.

    Parameters
    ----------
    space : LabelSpace
        With at least one finite bound.
    names : sequence of str
        One per row of the space.

    Attributes
    ----------
    names : tuple of str
        One per bound.
    size : (b,) array of float
        The examples that it is a share of.
    """

    def __init__(self, space: LabelSpace, names: Sequence[str]) -> None:
        self.space = space
        lower, upper = space.interval
        most, least = np.flatnonzero(upper < np.inf), np.flatnonzero(lower > -np.inf)
        self._row = np.append(most, least)
        self._sign = np.append(np.ones(len(most)), -np.ones(len(least)))
        self._limit = np.append(upper[most], lower[least])
        self.names = tuple(names[r] for r in self._row.tolist())
        self.size = space.rows.size[self._row]

    def __len__(self) -> int:
        return len(self._row)

    def violation(self, y: FloatArray) -> FloatArray:
        """(b,) how far labels (n, c) are beyond every bound; negative: within it."""
        errors = self.space.errors(self.space.design.by_pattern(y))
        return self._sign * (errors[self._row] - self._limit)

    def pull(self, multipliers: FloatArray) -> FloatArray:
        """(n, c) derivative of ``multipliers @ violation(y)`` by the labels."""
        design, rows = self.space.design, self.space.rows
        signed = self._sign * multipliers
        by_row = np.bincount(self._row, signed, minlength=len(rows)) / rows.size
        parts = [design.pull(by_row, a, b) for a, b in design.ranges()]
        by_example = design.by_example(np.concatenate(parts, axis=1).T)
        return by_example * design.sample_weight[:, None]

    def worst(self, y: FloatArray) -> float:
        """The largest violation; 0 if all bounds are met."""
        return max(0.0, float(self.violation(y).max()))


def make_bounds(
    error_rates: Any,
    constraints: Sequence[Constraint] | None,
    signals: WeakSignals,
    weights: FloatArray | None,
) -> tuple[Bounds, SignalRates]:
    """Bounds from what a user gave, and the rates by signal.

    Parameters
    ----------
    error_rates : as for `ConstrainedLabeler`
        Every signal is wrong at most so often.
    constraints : sequence of Constraint, optional
        All kinds but `Known`.
    signals : WeakSignals
    weights : (n,) array of float, optional

    Examples
    --------
    >>> import numpy as np
    >>> from corral import Precision, WeakSignals
    >>> from corral.labelers.label_bounds import make_bounds
    >>> signals = WeakSignals.from_votes([[1, -1], [1, 1], [0, 0], [-1, 0]])
    >>> asked = [Precision("s1", 1, at_least=0.9)]
    >>> bounds, _ = make_bounds(0.2, asked, signals, None)
    >>> bounds.names
    ('s0', 's1', 'Precision(s1, 1)')
    >>> bounds.violation(np.full((4, 1), 0.5)).round(2).tolist()
    [0.3, 0.3, 0.4]
    """
    asked = check_constraints(constraints)
    if any(isinstance(constraint, Known) for constraint in asked):
        raise ParameterError(
            "Known labels are for ConstrainedLabeler; a labeler that trains a model on "
            "features takes bounds on shares only."
        )
    data = FitData.of(signals, weights, read_example_facts(asked, signals))
    space = label_space(data.signals, weights=weights)
    require_votes(len(space.rows))
    estimator = estimator_of(error_rates)
    estimated = None if estimator is None else estimate_rates(estimator, data, data)
    rates = signal_rates(error_rates, estimated, signals, space.rows, at_most=True)
    upper = row_rates(signals, space.rows, rates.rates)
    if np.isnan(upper).all() and not asked:
        raise ParameterError(
            "give error_rates, constraints or both; there is nothing to label by."
        )
    space = space.bounded(upper=upper)
    space = constrained_space(space, data.signals, asked, data.facts)
    if asked:
        rates = SignalRates(rates.rates, RateSource.GIVEN)
    return Bounds(space, space.rows.names(signals)), rates
