"""A fitted labeler as a file: what labels new votes, and nothing of the data."""

from __future__ import annotations

from dataclasses import fields
from numbers import Real
from os import PathLike
from typing import Any, TypeVar

import numpy as np

from corral._stored import check_classes
from corral.constraints import (
    ClassBalance,
    Confusion,
    Constraint,
    ErrorRate,
    Precision,
    Recall,
    Rows,
)
from corral.constraints.terms import Terms
from corral.error_rates import Rates, VoteModel
from corral.errors import StorageError
from corral.labelers.estimated import restored_estimator, stored_estimator
from corral.labelers.model_checks import (
    check_found,
    check_rates,
    check_rows,
    check_settings,
    check_state,
)
from corral.signals import WeakSignals
from corral.signals.parts import Kind, Parts
from corral.solvers import SOLVERS, Solution, Status
from corral.storage import read_file, restoring, write_file

KIND = "ConstrainedLabeler"
_PARAMETERS = ("multilabel", "ties", "uncovered", "allow_above_chance", "max_patterns")
_ROWS = ("signal", "label", "size", "mean")
_TERMS = ("row", "signal", "said", "label", "coefficient")
_SOLUTION = ("residual", "implied_error_rates", "history")
_SCALARS = ("iterations", "excess", "tolerance", "rows_used", "gap")
_KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (ClassBalance, Confusion, ErrorRate, Precision, Recall)
}

T = TypeVar("T")


def save_labeler(labeler: Any, path: str | PathLike[str]) -> None:
    """Write a fitted `ConstrainedLabeler`."""
    solution, like, terms = labeler.solution_, labeler._like_, labeler._rows_.terms
    name = next((n for n, c in SOLVERS.items() if type(labeler._solver_) is c), None)
    if name is None:
        raise StorageError(f"cannot save a labeler with {labeler._solver_!r}.")
    state = _stored(solution.state)
    options = _stored(labeler._solver_)
    if "starts" in options and not labeler._solver_.is_expected:
        # Explicit starts belong to the examples fitted on; how many there were is enough.
        options["starts"] = len(solution.state.steps)
    seed, rate = labeler.random_state, labeler.error_rates
    rates: Rates | None = getattr(labeler, "rates_", None)
    estimator = stored_estimator(rate)
    settings = {
        "parameters": {name: getattr(labeler, name) for name in _PARAMETERS},
        "random_state": int(seed) if isinstance(seed, int | np.integer) else None,
        "uniform_rate": float(rate) if isinstance(rate, Real) else None,
        "has_rates": rate is not None,
        "has_balance": labeler.class_balance is not None,
        "estimator": estimator,
        "note": None if rates is None else rates.note,
        # What cannot be estimated again is labelled by numbers, and these by a solver.
        "default_solver": labeler.solver is None
        and (rates is None or estimator is not None),
        "is_model": isinstance(solution.state, VoteModel),
        "solver": name,
        "options": options,
        "state": {key: x for key, x in state.items() if not _is_array(x)},
        "status": solution.status.value,
        "solution": {name: float(getattr(solution, name)) for name in _SCALARS},
        "kind": like.kind.value,
        "names": list(like.names),
        "named": like.named,
        "n_label_columns": like.n_label_columns,
        "abstain": like._parts.abstain,
        "normalise": like._parts.normalise,
        "constraints": _stored_constraints(labeler.constraints),
        "terms": None if terms is None else list(terms.names),
    }
    arrays = {
        **{
            f"terms_{name}": getattr(terms, name)
            for name in _TERMS
            if terms is not None
        },
        "classes": labeler.classes_,
        "prior": labeler._prior_,
        "error_rates": labeler.error_rates_,
        "implied": labeler.implied_error_rates_,
        **{f"state_{key}": x for key, x in state.items() if _is_array(x)},
        **_stored_rates(rates),
        **{f"rows_{name}": getattr(labeler._rows_, name) for name in _ROWS},
        **{f"solution_{name}": getattr(solution, name) for name in _SOLUTION},
    }
    write_file(path, KIND, settings, arrays)


def _stored(instance: Any) -> dict[str, Any]:
    """The fields of a dataclass, as they are."""
    return {field.name: getattr(instance, field.name) for field in fields(instance)}


def _stored_rates(rates: Rates | None) -> dict[str, Any]:
    """The arrays of estimated rates that are not stored anyway."""
    if rates is None:
        return {}
    balance = rates.class_balance
    return {
        "rates_spread": rates.standard_errors,
        "rates_balance": np.empty(0) if balance is None else balance,
    }


def _restored_rates(
    note: str, arrays: dict[str, Any], model: VoteModel | None
) -> Rates:
    balance = arrays["rates_balance"]
    return Rates(
        arrays["error_rates"],
        arrays["rates_spread"],
        note,
        balance if len(balance) else None,
        model,
    )


def _stored_constraints(constraints: Any) -> list[dict[str, Any]]:
    """Those that speak of signals and classes; what is said of examples stays there."""
    return [
        {"kind": type(c).__name__, **{k: _plain(v) for k, v in _stored(c).items()}}
        for c in constraints or ()
        if type(c).__name__ in _KINDS
    ]


def _plain(value: Any) -> Any:
    """A number or text that JSON can hold."""
    return value.item() if isinstance(value, np.generic) else value


def _restored_constraints(stored: list[dict[str, Any]]) -> list[Constraint] | None:
    made = [
        _KINDS[one["kind"]](**{k: v for k, v in one.items() if k != "kind"})
        for one in stored
    ]
    return made or None


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def load_labeler(cls: type[T], path: str | PathLike[str]) -> T:
    """Read what `save_labeler` wrote into a labeler of class `cls`."""
    settings, arrays = read_file(path, KIND)
    with restoring(path):
        return _restored(cls, settings, arrays)


def _restored(cls: type[T], settings: dict[str, Any], arrays: dict[str, Any]) -> T:
    check_settings(settings)
    solver = SOLVERS[settings["solver"]](**settings["options"])
    solver.check()
    stored = {
        name.removeprefix("state_"): array
        for name, array in arrays.items()
        if name.startswith("state_")
    }
    rate: Any = settings["uniform_rate"]
    if settings["estimator"] is not None:
        rate = restored_estimator(settings["estimator"])
    elif rate is None and settings["has_rates"]:
        rate = arrays["error_rates"]
    labeler: Any = cls(
        error_rates=rate,  # type: ignore[call-arg]
        solver=None if settings["default_solver"] else solver,
        constraints=_restored_constraints(settings["constraints"]),
        class_balance=arrays["prior"] if settings["has_balance"] else None,
        random_state=settings["random_state"],
        **settings["parameters"],
    )
    labeler._check_parameters()
    names, classes = settings["names"], arrays["classes"]
    n_labels, k = settings["n_label_columns"], len(classes)
    check_classes(classes, n_labels)
    check_rates(arrays, len(names), n_labels, k, labeler.multilabel)
    parts = Parts(
        Kind(settings["kind"]),
        classes,
        n_signals=len(names),
        n_label_columns=n_labels,
        columns=np.empty((0, 2), int),
        abstain=settings["abstain"],
        normalise=settings["normalise"],
    )
    scalars = settings["solution"]
    labeler._like_ = WeakSignals(parts, names if settings["named"] else None)
    labeler._solver_ = solver
    labeler._prior_ = arrays["prior"]
    terms = settings["terms"]
    if terms is not None:
        terms = Terms(tuple(terms), *(arrays[f"terms_{name}"] for name in _TERMS))
    rows = {name: arrays[f"rows_{name}"] for name in _ROWS}
    labeler._rows_ = Rows(**rows, terms=terms)
    check_rows(labeler._rows_, len(names), n_labels, k)
    labeler._implied_ = arrays["implied"]
    state_type = VoteModel if settings["is_model"] else solver.state_type
    state = state_type(**stored, **settings["state"])
    check_state(state, len(labeler._rows_), len(names), n_labels, k)
    found = {name: arrays[f"solution_{name}"] for name in _SOLUTION}
    check_found(len(labeler._rows_), **found)
    labeler.solution_ = Solution(
        labels=np.empty((n_labels, 0)),
        example_labels=None,
        status=Status(settings["status"]),
        iterations=int(scalars["iterations"]),
        excess=scalars["excess"],
        tolerance=scalars["tolerance"],
        rows_used=int(scalars["rows_used"]),
        gap=scalars["gap"],
        state=state,
        **found,
    )
    labeler.error_rates_ = arrays["error_rates"]
    if settings["note"] is not None:
        model = labeler.solution_.state if settings["is_model"] else None
        labeler.rates_ = _restored_rates(settings["note"], arrays, model)
    labeler.classes_ = classes
    labeler.signal_names_ = labeler._like_.names
    labeler.n_features_in_ = len(names)
    return labeler
