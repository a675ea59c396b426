"""What the file of a `ConstrainedLabeler` holds beside its model.

What is about the examples fitted on is not in it: `GroupShare` and `Known` are left out,
and `FromLabels`, as well as estimators of a user's own, are saved as the rates that they
estimated.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.constraints import (
    ClassBalance,
    Confusion,
    ErrorRate,
    GroupShare,
    Known,
    Precision,
    Recall,
    Rows,
)
from corral.constraints.row_terms import RowTerms
from corral.error_rates import Agreement, Auto, Firing, Rates, VoteModel
from corral.labelers.column_models import ClassModel, ColumnModels
from corral.labelers.constraint_model import ConstraintModel
from corral.labelers.estimated_rates import estimator_of
from corral.labelers.probabilities import ROUNDING, check_shares
from corral.solvers import Adagrad, Entropy, Projection, Solution, Status
from corral.solvers.adagrad import Trajectory
from corral.solvers.dual import Multipliers
from corral.storage.content_checks import check_floats, check_shape, require

ESTIMATORS = (Agreement, Auto, Firing)
RULE_TYPES = (*ESTIMATORS, ClassBalance, Confusion, ErrorRate, Precision, Recall)
STORED_TYPES = (
    *(
        ClassModel,
        ColumnModels,
        ConstraintModel,
        Rows,
        RowTerms,
        Trajectory,
        Multipliers,
        VoteModel,
    ),
    *(Solution, Rates, Adagrad, Entropy, Projection, *RULE_TYPES),
)
SAVED_ATTRIBUTES: dict[str, Any] = {
    "error_rates_": FloatArray,
    "implied_error_rates_": FloatArray,
    "solution_": Solution,
    "rates_": Rates | None,
}


def rules_to_save(labeler: Any) -> dict[str, Any]:
    """Of the rates and constraints of a fitted labeler, what needs no examples."""
    rate = labeler.error_rates
    if isinstance(rate, Real):
        rate = float(rate)
    elif rate is not None and type(estimator_of(rate)) not in ESTIMATORS:
        rate = labeler.error_rates_
    asked = labeler.constraints or ()
    kept = [c for c in asked if not isinstance(c, GroupShare | Known)]
    return {"error_rates": rate, "constraints": kept or None}


def options_to_save(labeler: Any) -> dict[str, Any]:
    """Of the options of a fitted labeler, what can be used without its examples."""
    rules, solver, balance = (
        rules_to_save(labeler),
        labeler.solver,
        labeler.class_balance,
    )
    given = isinstance(rules["error_rates"], np.ndarray)
    if solver is None and given and hasattr(labeler, "rates_"):
        # What cannot be estimated again is labelled by numbers, and these by a solver.
        solver = labeler._solver_
    if isinstance(solver, Adagrad) and not solver.is_expected:
        # Explicit starts belong to examples; how many there were is enough.
        solver = replace(solver, starts=len(labeler.model_.solver_model.steps))
    even = None if balance is None else np.asarray(balance, float)
    return rules | {"solver": solver, "class_balance": even}


def results_to_save(labeler: Any) -> dict[str, Any]:
    """Rates and verdict of a fitted labeler; its labels are left out."""
    results = {name: getattr(labeler, name, None) for name in SAVED_ATTRIBUTES}
    solution, rates = labeler.solution_, results["rates_"]
    none = np.empty((len(solution.labels), 0))
    bare = replace(solution, labels=none, example_labels=None, model=None)
    rates = None if rates is None else replace(rates, model=None)
    return results | {"solution_": bare, "rates_": rates}


def check_results(labeler: Any) -> None:
    """Refuse rates and a verdict that a file holds if they are none."""
    like, solution = labeler._like_, labeler.solution_
    ranges: list[tuple[str, FloatArray, float]] = [
        (name, getattr(labeler, name), 1)
        for name in ("error_rates_", "implied_error_rates_")
    ]
    rates: Rates | None = getattr(labeler, "rates_", None)
    if rates is not None:
        ranges += [
            ("rates_.error_rates", rates.error_rates, 1),
            ("rates_.standard_errors", rates.standard_errors, np.inf),
        ]
        if rates.class_balance is not None:
            check_shares(
                "rates_.class_balance",
                rates.class_balance,
                like.n_classes,
                multilabel=labeler.multilabel,
            )
    for name, numbers, high in ranges:
        shape = (like.n_signals, like.n_label_columns)[: max(numbers.ndim, 1)]
        check_floats(
            name,
            numbers,
            shape,
            low=-ROUNDING,
            high=high + ROUNDING,
            may_be_nan=True,
        )
    rows = getattr(labeler.model_, "rows", None)
    by_solver = solution.status is not Status.ESTIMATED
    require(by_solver is not (rows is None), "a verdict on the model that is there")
    r = len(solution.residual) if rows is None else len(rows)
    check_shape("residual", solution.residual, (r,), "f")
    check_shape("implied_error_rates", solution.implied_error_rates, (r,), "f")
    check_shape("history", solution.history, (None,), "f")
    require(len(solution.history), "at least one step in the history")
