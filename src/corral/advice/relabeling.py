"""Labels under other error rates, from a model or from a solver that solves again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from scipy.special import logit

from corral._types import FloatArray, IntArray
from corral.constraints import row_rates
from corral.error_rates import VoteModel
from corral.error_rates.vote_features import softmax
from corral.errors import ParameterError
from corral.labelers import ConstrainedLabeler
from corral.signals import WeakSignals

Relabeler: TypeAlias = Callable[[FloatArray], "tuple[IntArray | slice, FloatArray]"]
"""Takes how far every rate moves; gives patterns whose labels change, and their labels."""

LEAST = 0.01
"""Least probability that a vote is wrong, and that it is right, after a move."""


def make_model_relabeler(model: VoteModel, signals: WeakSignals) -> Relabeler:
    """Labels of a model, of the patterns with votes of a moved signal."""
    shares = model.feature_shares(signals)
    scores = shares @ model.weights + model.bias
    votes = shares @ model.vote_sizes

    def relabel(moves: FloatArray) -> tuple[IntArray, FloatArray]:
        added = move_rates(model, signals, moves).weights - model.weights
        at = np.flatnonzero(added.any(axis=1))
        shift = shares[:, at] @ added[at]
        patterns = np.flatnonzero(shift.any(axis=1))
        moved = scores[patterns] + shift[patterns]
        return patterns, model.probabilities(moved, votes[patterns])

    return relabel


def move_rates(model: VoteModel, signals: WeakSignals, moves: FloatArray) -> VoteModel:
    """The model if votes were wrong more often, or less often: its rates moved.

    Parameters
    ----------
    model : VoteModel
    signals : WeakSignals
        Those that the model was fitted on.
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


def make_solver_relabeler(
    labeler: ConstrainedLabeler, signals: WeakSignals
) -> Relabeler:
    """Labels of a solver, which solves again for every move."""
    shift_of = _row_shifts(labeler)
    space, model = labeler.space_, labeler.model_
    design = model.rows.design(signals)

    def relabel(moves: FloatArray) -> tuple[slice, FloatArray]:
        shift = shift_of(moves)
        other = replace(space, rates=space.rates + shift)
        if space.lower is not None and space.upper is not None:
            bounds = space.lower + shift, space.upper + shift
            other = replace(other, lower=bounds[0], upper=bounds[1])
        # The same draws every time, where a solver draws its starts.
        found = labeler._solver_.solve(other, np.random.default_rng(0)).model
        return slice(None), replace(model, solver_model=found).design_labels(design)

    return relabel


def _row_shifts(labeler: ConstrainedLabeler) -> Callable[[FloatArray], FloatArray]:
    """Takes how far every rate moves; gives how far the rate of every row does."""
    if not hasattr(labeler, "space_"):
        raise ParameterError(
            "a loaded labeler cannot be solved again: the votes it was fitted on are not "
            "saved. Fit one."
        )
    rows = labeler.space_.rows
    at = slice(rows.n_rates)
    first = replace(
        rows,
        signal=rows.signal[at],
        label=rows.label[at],
        size=rows.size[at],
        mean=rows.mean[at],
        terms=None,
    )

    def shifts(moves: FloatArray) -> FloatArray:
        shift = np.zeros(len(rows))
        shift[at] = row_rates(labeler._signals_, first, moves)
        return shift

    return shifts
