"""The space of the labels of two examples, drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.checks import check_number
from corral.constraints import (
    Constraint,
    LabelSpace,
    check_constraints,
    constrained_space,
    label_space,
    read_example_facts,
)
from corral.drawings import draw_constrained_space
from corral.drawings.polygon import Corner
from corral.errors import ParameterError
from corral.labelers.inputs import as_signals
from corral.plots.display import Display
from corral.signals import WeakSignals
from corral.solvers import Adagrad, Entropy, Solver


class ConstrainedSpaceDisplay(Display):
    """All labels of two examples that the constraints allow, and which are chosen.

    Each point of the square is a pair of labels: the probabilities that the first and the
    second example are of the second class. Constraints are half-planes and lines; what
    all of them leave is the constrained space, clipped exactly.

    Examples
    --------
    >>> from corral.plots import ConstrainedSpaceDisplay
    >>> votes = [[1, 1, 0], [0, 1, 1]]
    >>> display = ConstrainedSpaceDisplay.from_votes(
    ...     votes, error_rates=[0.55, 0.3, 0.45], margin=0.1, n_cut=1
    ... )
    """

    @classmethod
    def from_votes(
        cls,
        votes: Any,
        *,
        error_rates: ArrayLike | None = None,
        margin: float = 0.0,
        constraints: Sequence[Constraint] = (),
        n_cut: int = 0,
        ax: Any = None,
    ) -> Self:
        """Draw the space of two examples from their votes.

        Parameters
        ----------
        votes : as for `fit`
            Of two examples, with two classes.
        error_rates : float or (m,) array of float, optional
            How often signals are expected to err; default: only `constraints` count.
        margin : float
            How far the rates may be off. With none, every constraint is a line.
        constraints : sequence of constraints
            Further ones, such as `corral.ClassBalance`; not those of single examples
            (`Known`, `GroupShare`).
        n_cut : int
            How many constraints, from the last, are drawn as a cut of what the others
            allow.
        ax : matplotlib axes, optional
        """
        signals = as_signals(votes)
        check_number("margin", margin, zero=True)
        given = check_constraints(constraints)
        if error_rates is None and not given:
            raise ParameterError("give error_rates, constraints or both.")
        # A rate that is not a number asks for nothing.
        rates = _read_rates(error_rates, signals.n_signals)
        space = label_space(signals)
        each = rates[space.rows.signal]
        space = replace(space, rates=each)
        if margin:
            space = replace(
                space,
                lower=np.maximum(each - margin, 0),
                upper=np.minimum(each + margin, 1),
            )
        if given:
            if read_example_facts(given, signals) is not None:
                raise ParameterError(
                    "GroupShare and Known are about single examples, which have no row "
                    "of their own to draw; leave them out."
                )
            space = constrained_space(space, signals, given)
        return cls.from_space(space, signals, n_cut=n_cut, ax=ax)

    @classmethod
    def from_space(
        cls, space: LabelSpace, signals: WeakSignals, *, n_cut: int = 0, ax: Any = None
    ) -> Self:
        """Draw a space of `corral.label_space`.

        The entropy centre is drawn, before and after the cut, and the point of the paper's
        solver. That one takes exact rates, so it gets the middle of intervals; where these
        have no middle, it is left out.

        Parameters
        ----------
        space : LabelSpace
        signals : WeakSignals
            Those of the space: two examples, with two classes.
        n_cut, ax
            As for `from_votes`.
        """
        if (
            len(signals) != 2
            or signals.n_label_columns != 1
            or signals.counts is not None
        ):
            raise ParameterError(
                "the space is drawn for two examples and two classes; "
                f"{len(signals)} examples and {signals.n_classes} classes came."
            )
        names = space.rows.names(signals)
        if not 0 <= n_cut < len(names):
            raise ParameterError(
                f"must be at least 0 and below the number of constraints, {len(names)}; "
                f"{n_cut!r} was given.",
                parameter="n_cut",
            )
        of_example = signals.patterns.inverse if signals.is_hard else np.arange(2)
        low, high = _find_bounds(space)
        yes = signals.classes[1]
        drawing = draw_constrained_space(
            space.matrix()[:, of_example],
            low - space.offset,
            high - space.offset,
            names=names,
            points=dict(_find_points(space, of_example, n_cut)),
            n_cut=n_cut,
            axes=(f"P(first example is {yes})", f"P(second example is {yes})"),
        )
        return cls(drawing).plot(ax)


def _find_bounds(space: LabelSpace) -> tuple[FloatArray, FloatArray]:
    """(r,) least and greatest errors; infinite where nothing is asked for."""
    low, high = space.interval
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _find_points(
    space: LabelSpace, of_example: IntArray, n_cut: int
) -> Iterator[tuple[str, Corner]]:
    rng = np.random.default_rng(0)  # asked for, and not used without random starts

    def solve(solver: Solver, space: LabelSpace) -> Corner:
        first, second = solver.solve(space, rng).labels[0][of_example].tolist()
        return first, second

    low, high = _find_bounds(space)
    kept = np.arange(len(low)) < len(low) - n_cut
    before = space.bounded(np.where(kept, low, -np.inf), np.where(kept, high, np.inf))
    yield "entropy centre", solve(Entropy(), before)
    if n_cut:
        yield "entropy centre after the cut", solve(Entropy(), space)
    if np.isfinite(low + high).all():
        exact = replace(space, rates=(low + high) / 2, lower=None, upper=None)
        yield "the paper's point (Adagrad)", solve(Adagrad(), exact)


def _read_rates(error_rates: ArrayLike | None, m: int) -> FloatArray:
    if error_rates is None:
        return np.full(m, np.nan)
    rates = np.asarray(error_rates, float)
    if rates.shape not in ((), (m,)) or not ((rates >= 0) & (rates <= 1)).all():
        raise ParameterError(
            f"must be a number from 0 to 1, or one per signal ({m}); {error_rates!r} was "
            "given.",
            parameter="error_rates",
        )
    return np.broadcast_to(rates, m)
