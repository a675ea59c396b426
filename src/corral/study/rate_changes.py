"""How many labels depend on every error rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corral._types import FloatArray, IntArray
from corral.checks import check_share
from corral.constraints import System, make_system
from corral.errors import ParameterError, SignalsError
from corral.labelers import ConstrainedLabeler
from corral.labelers.constrained import estimator_of
from corral.model import LogLinear, logit, sigmoid, softmax
from corral.progress import progress
from corral.results import Part, Result, Table, bars
from corral.solvers import Status
from corral.solvers.adagrad import AdagradSteps
from corral.study.signal_values import changed_labels
from corral.votes import Schema, WeakSignals

MIN_ERROR = 0.01
"""Least probability that a vote is wrong, and that it is right, after a move."""

Relabeler = Callable[[FloatArray], tuple[Any, FloatArray]]
"""Takes how far every rate moves; gives rows whose labels may change, and their labels."""


@dataclass(frozen=True, repr=False)
class Sensitivity(Result):
    """What `sensitivity` found; print it. Shares are of the covered rows."""

    names: tuple[str, ...]  # of rates: the signal, with the class if each has its own
    error_rates: FloatArray  # (r,) the rates that were moved
    lower: FloatArray  # (r,) share whose label changes if this rate is lower
    higher: FloatArray  # (r,) if it is higher
    all_lower: float  # if all rates are
    all_higher: float
    change: float

    title = "Labels that change if an error rate is off"

    def parts(self) -> Iterator[Part]:
        order = np.argsort(-np.maximum(self.lower, self.higher), kind="stable")
        columns = {
            "rate of": ["all", *(self.names[r] for r in order)],
            "rate": [None, *self.error_rates[order]],
            f"{self.change:g} lower": [self.all_lower, *self.lower[order]],
            f"{self.change:g} higher": [self.all_higher, *self.higher[order]],
        }
        formats = dict.fromkeys(list(columns)[2:], ".1%")
        yield Table(columns, "Share of the labels that change", formats)
        worst = max(self.all_lower, self.all_higher)
        yield bars(
            self.title,
            f"With all rates off by {self.change:g}, {worst:.1%} of the labels change.",
            columns["rate of"],
            {name: columns[name] for name in formats},
            label="labels that change",
            sort=False,
        )


def sensitivity(labeler: Any, signals: Any, *, change: float = 0.05) -> Sensitivity:
    """How many labels flip when an error rate is off.

    Parameters
    ----------
    labeler : ConstrainedLabeler
        Fitted.
    signals : as for `fit`
        The votes whose labels are looked at.
    change : float
        How far rates are moved, up and down; they stay between 0 and 1.

    Returns
    -------
    Sensitivity

    Notes
    -----
    Where a solver found the labels, it solves again with every moved rate.

    Where the labels are those of an estimated model (``error_rates="auto"``), a vote of
    the signal that on its own is wrong with probability ``e`` is taken to be wrong with
    probability ``e + change``; the votes of other signals keep their weights.

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> votes, _ = random_votes(2000, [0.9, 0.8, 0.7, 0.6], coverage=0.6)
    >>> labeler = corral.ConstrainedLabeler([0.1, 0.2, 0.3, 0.4], "entropy").fit(votes)
    >>> print(corral.sensitivity(labeler, votes))
    Share of the labels that change
    rate of   rate  0.05 lower  0.05 higher
    all                   1.0%         5.3%
    s3       0.400        2.8%         4.9%
    s1       0.200        0.6%         3.7%
    s2       0.300        2.4%         2.0%
    s0       0.100        2.0%         0.6%
    """
    if not isinstance(labeler, ConstrainedLabeler):
        raise ParameterError(
            f"{type(labeler).__name__} has no error rates to move; sensitivity is for "
            "ConstrainedLabeler."
        )
    check_share("change", change, "between 0 and 1")
    read = labeler.read(signals)
    weights = read.counts * read.covered_rows
    if not weights.any():
        raise SignalsError("no signal votes on any of these rows.")
    model, rates = labeler.model_, labeler.error_rates_
    reference = getattr(model, "reference", None) is not None
    if reference and estimator_of(labeler.error_rates) is None:
        rates, reference = labeler.given_rates(read), False
    known = np.flatnonzero(~np.isnan(rates))
    if not len(known):
        raise ParameterError(
            "this labeler has no error rates, only constraints; there is no rate to move."
        )
    if labeler.solution_.status is Status.ESTIMATED or reference:
        relabel, before = _relabel_by_model(model, read), model.row_labels(read)
    else:
        relabel = _relabel_by_solver(labeler, read)
        before = relabel(np.zeros(rates.shape))[1]
    flips = np.zeros((2, len(known) + 1))
    with progress("moving error rates", flips.size) as bar:
        for side, sign in enumerate((-1, 1)):
            step = np.clip(rates + sign * change, 0, 1) - rates
            for at, which in enumerate([*known, known]):  # one by one, then all
                moves = np.zeros(rates.shape)
                moves.flat[which] = step.flat[which]
                rows, after = relabel(moves)
                flipped = changed_labels(
                    before[rows], after, multilabel=labeler.multilabel
                )
                flips[side, at] = weights[rows] @ flipped / weights.sum()
                bar.advance()
    k = rates.size // len(rates)
    of_class = [f"[{name}]" for name in read.classes] if k > 1 else [""]
    return Sensitivity(
        tuple(read.names[r // k] + of_class[r % k] for r in known),
        rates.ravel()[known],
        flips[0, :-1],
        flips[1, :-1],
        float(flips[0, -1]),
        float(flips[1, -1]),
        float(change),
    )


def _relabel_by_model(model: LogLinear, signals: WeakSignals) -> Relabeler:
    """Labels of a model, of the rows with votes of a moved signal."""
    each, schema = signals.distinct(), signals.schema
    columns = signals.F.tocsc()

    def relabel(moves: FloatArray) -> tuple[IntArray, FloatArray]:
        moved = np.flatnonzero(moves.reshape(schema.n_signals, -1).any(axis=1))
        mine = np.flatnonzero(np.isin(schema.signal, moved))
        rows = np.unique(columns[:, mine].indices)
        return rows, move_rates(model, schema, moves).row_labels(each.take(rows))

    return relabel


def move_rates(model: LogLinear, schema: Schema, moves: FloatArray) -> LogLinear:
    """The model with `moves` (m,) or (m, k) added to how often a lone vote is wrong."""
    if model.reference is not None:
        return replace(model, reference=move_rates(model.reference, schema, moves))
    weights, k = model.weights, schema.n_classes
    if model.multilabel:
        wrong = sigmoid(-weights)
    else:
        signed = np.where(schema.negated, -weights, weights)
        alone = softmax(signed[:, None] * np.eye(k)[schema.says])
        wrong = 1 - (alone * schema.supports).sum(axis=1)
    at = (schema.signal, schema.says)[: moves.ndim]
    to = np.clip(
        wrong + moves[at],
        np.minimum(wrong, MIN_ERROR),
        np.maximum(wrong, 1 - MIN_ERROR),
    )
    return replace(model, weights=weights + logit(wrong) - logit(to))


def _relabel_by_solver(labeler: ConstrainedLabeler, signals: WeakSignals) -> Relabeler:
    """Labels of a solver, which solves again for every move."""
    system, solver = labeler.make_system(signals)

    def relabel(moves: FloatArray) -> tuple[slice, FloatArray]:
        rows = make_system(
            signals, moves, joint=solver.joint, multilabel=labeler.multilabel
        )
        shift = np.zeros(len(system))
        shift[: len(rows)] = rows.rates  # the rates come first
        moved = system.bounded(system.lower + shift, system.upper + shift)
        # The same draws every time, where a solver draws its starts.
        found = solver.solve(moved, np.random.default_rng(0)).multipliers
        model = _with_multipliers(labeler.model_, system, found)
        return slice(None), model.row_labels(signals)

    return relabel


def _with_multipliers(
    model: LogLinear | AdagradSteps, system: System, found: FloatArray
) -> LogLinear | AdagradSteps:
    if isinstance(model, AdagradSteps):
        return replace(model, steps=found, rows=system.R)
    every = len(model.weights)
    weights = system.class_weights(found, half=model.link == "softmax")
    bias = weights[every : every + 2].sum(axis=0)
    return replace(model, weights=weights[:every], bias=bias)
