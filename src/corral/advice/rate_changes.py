"""How much depends on every error rate."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import logit

from corral._types import FloatArray
from corral.advice.changed import changed, check_labeler
from corral.constraints import row_rates
from corral.error_rates import VoteModel
from corral.error_rates.features import softmax
from corral.errors import ParameterError, SignalsError
from corral.labelers import ConstrainedLabeler
from corral.progress import progress
from corral.signals import WeakSignals
from corral.text_table import text_table

LEAST = 0.01
"""A vote is not made surer than this, nor surely wrong."""


@dataclass(frozen=True, repr=False)
class Sensitivity:
    """What `sensitivity` found; print it.

    Attributes
    ----------
    names : tuple of str
        One a rate: the signal, with the class where a signal has a rate for each.
    error_rates : (r,) array of float
        The rates that were moved.
    lower, higher : (r,) arrays of float
        Share of the covered rows whose label is another one if this rate is lower, or
        higher, by `change`.
    all_lower, all_higher : float
        The same if all rates are.
    change : float
    """

    names: tuple[str, ...]
    error_rates: FloatArray
    lower: FloatArray
    higher: FloatArray
    all_lower: float
    all_higher: float
    change: float

    def __str__(self) -> str:
        order = np.argsort(-np.maximum(self.lower, self.higher), kind="stable")
        rows = [("all", "", f"{self.all_lower:.1%}", f"{self.all_higher:.1%}")]
        rows += [
            (
                self.names[r],
                f"{self.error_rates[r]:.3f}",
                f"{self.lower[r]:.1%}",
                f"{self.higher[r]:.1%}",
            )
            for r in order
        ]
        off = f"{self.change:g}"
        headings = ("labels that flip", "rate", f"{off} lower", f"{off} higher")
        return text_table(headings, rows)

    __repr__ = __str__


def sensitivity(labeler: Any, signals: Any, *, change: float = 0.05) -> Sensitivity:
    """How many labels flip when an error rate is off.

    Parameters
    ----------
    labeler : ConstrainedLabeler
        Fitted.
    signals : as for `fit`
        Whose labels to look at.
    change : float
        How far rates are moved, up and down; they stay between 0 and 1.

    Returns
    -------
    Sensitivity

    Notes
    -----
    Where a solver found the labels, it solves again with the moved rate.

    Where the labels are those of an estimated model (``error_rates="auto"``), what the
    votes of the signal say is moved: a vote that on its own is wrong with probability
    ``e`` is taken to be wrong with probability ``e + change``. The votes of the others
    say what they said before. So the answer is small for a signal among many that speak
    of the same rows, as it should be: its rate hardly matters there. To ask instead for
    labels under which the signal errs more would override the others.

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> votes, _ = random_votes(2000, [0.9, 0.8, 0.7, 0.6], coverage=0.6)
    >>> labeler = corral.ConstrainedLabeler([0.1, 0.2, 0.3, 0.4], "entropy").fit(votes)
    >>> print(corral.sensitivity(labeler, votes))
    labels that flip   rate  0.05 lower  0.05 higher
    all                            1.0%         5.3%
    s3                0.400        2.8%         4.9%
    s1                0.200        0.6%         3.7%
    s2                0.300        2.4%         2.0%
    s0                0.100        2.0%         0.6%
    """
    check_labeler(labeler)
    if not isinstance(labeler, ConstrainedLabeler):
        raise ParameterError(
            f"{type(labeler).__name__} has no error rates to move; sensitivity is for "
            "ConstrainedLabeler."
        )
    if not isinstance(change, Real) or not 0 < float(change) < 1:
        raise ParameterError(f"change must be between 0 and 1; {change!r} was given.")
    read = labeler.read(signals)
    design = labeler._rows_.design(read)
    covered = labeler._rows_.rates_design(read).active_counts().max(axis=0) > 0
    weights = np.where(covered, design.weights, 0.0)
    if not weights.any():
        raise SignalsError("no signal speaks of any of these rows.")
    state_of = _states(labeler, read)

    def labels(moves: FloatArray) -> FloatArray:
        other = copy(labeler)
        other.solution_ = replace(labeler.solution_, state=state_of(moves))
        return other._unit_labels(read, design)

    rates = labeler.error_rates_
    known = np.flatnonzero(~np.isnan(rates))
    if not len(known):
        raise ParameterError(
            "this labeler has no error rates, only constraints; there is none to move."
        )
    none = np.zeros(rates.shape)
    before = labels(none)
    steps = [np.clip(rates + sign * change, 0, 1) - rates for sign in (-1, 1)]
    flips = np.zeros((2, len(known) + 1))
    with progress("moving error rates", flips.size) as bar:
        for side, step in enumerate(steps):
            for at, r in enumerate([*known.tolist(), None]):
                moves, which = none.copy(), known if r is None else r
                moves.flat[which] = step.flat[which]
                other = changed(before, labels(moves), multilabel=labeler.multilabel)
                flips[side, at] = weights @ other / weights.sum()
                bar.advance()
    return Sensitivity(
        _names(read, rates, known),
        rates.ravel()[known],
        flips[0, :-1],
        flips[1, :-1],
        float(flips[0, -1]),
        float(flips[1, -1]),
        float(change),
    )


def _names(signals: WeakSignals, rates: FloatArray, known: Any) -> tuple[str, ...]:
    if rates.ndim == 1:
        return tuple(signals.names[r] for r in known)
    i, k = np.divmod(known, rates.shape[1])
    if rates.shape[1] == 1:
        return tuple(signals.names[a] for a in i)
    return tuple(
        f"{signals.names[a]}[{signals.classes[b]}]" for a, b in zip(i, k, strict=True)
    )


def _states(
    labeler: ConstrainedLabeler, signals: WeakSignals
) -> Callable[[FloatArray], Any]:
    """What gives the state of a fit from how far every rate is moved."""
    state = labeler.solution_.state
    if isinstance(state, VoteModel):
        return lambda moves: moved_model(state, signals, moves)
    if not hasattr(labeler, "space_"):
        raise ParameterError(
            "a loaded labeler cannot be solved again: the votes it was fitted on are not "
            "saved. Fit one."
        )
    space, rows = labeler.space_, labeler.space_.rows
    at = slice(rows.n_rates)
    first = replace(
        rows,
        signal=rows.signal[at],
        label=rows.label[at],
        size=rows.size[at],
        mean=rows.mean[at],
        terms=None,
    )

    def solved(moves: FloatArray) -> Any:
        shift = np.zeros(len(rows))
        shift[at] = row_rates(labeler._signals_, first, moves)
        moved = replace(space, rates=space.rates + shift)
        if space.lower is not None and space.upper is not None:
            bounds = space.lower + shift, space.upper + shift
            moved = replace(moved, lower=bounds[0], upper=bounds[1])
        # The same draws every time, where a solver draws its starts.
        return labeler._solver_.solve(moved, np.random.default_rng(0)).state

    return solved


def moved_model(model: VoteModel, signals: WeakSignals, moves: FloatArray) -> VoteModel:
    """The model if votes were wrong more often, or less often.

    Parameters
    ----------
    model : VoteModel
    signals : WeakSignals
        Those it is for.
    moves : (m,) or (m, k) array of float
        What is added to the probability that a vote, on its own, is wrong.
    """
    named = model.label < 0
    at = (model.signal,) if moves.ndim == 1 else (model.signal, model.label)
    classes = np.where(named, model.vote, model.label + (signals.n_label_columns == 1))
    member = np.eye(len(model.bias))[classes]
    member = np.where((~named & (model.vote == 0))[:, None], 1 - member, member)
    alone = softmax(model.weights)
    wrong = np.clip(1 - (alone * member).sum(axis=1), 1e-9, 1 - 1e-9)
    to = np.clip(
        wrong + moves[at], np.minimum(wrong, LEAST), np.maximum(wrong, 1 - LEAST)
    )
    shift = logit(wrong) - logit(to)
    return replace(model, weights=model.weights + shift[:, None] * member)
