"""A fitted labeler as a file: what labels new votes, and nothing of the data."""

from __future__ import annotations

from dataclasses import fields
from numbers import Real
from os import PathLike
from typing import Any, TypeVar

import numpy as np

from corral.constraints import Rows
from corral.errors import StorageError
from corral.signals import WeakSignals
from corral.signals.parts import Kind, Parts
from corral.solvers import SOLVERS, Solution, Status
from corral.storage import read_file, write_file

KIND = "ConstrainedLabeler"
_PARAMETERS = ("ties", "uncovered", "allow_above_chance", "max_patterns")
_ROWS = ("signal", "label", "size", "mean")
_SOLUTION = ("residual", "implied_error_rates", "history")
_SCALARS = ("iterations", "excess", "tolerance", "rows_used", "gap")

T = TypeVar("T")


def save_labeler(labeler: Any, path: str | PathLike[str]) -> None:
    """Write a fitted `ConstrainedLabeler`."""
    solution, like = labeler.solution_, labeler._like_
    name = next((n for n, c in SOLVERS.items() if type(labeler._solver_) is c), None)
    if name is None:
        raise StorageError(f"cannot save a labeler with {labeler._solver_!r}.")
    state = _stored(solution.state)
    options = _stored(labeler._solver_)
    if "starts" in options and not labeler._solver_.is_expected:
        # Explicit starts belong to the examples fitted on; how many there were is enough.
        options["starts"] = len(solution.state.steps)
    seed, rate = labeler.random_state, labeler.error_rates
    settings = {
        "parameters": {name: getattr(labeler, name) for name in _PARAMETERS},
        "random_state": int(seed) if isinstance(seed, int | np.integer) else None,
        "uniform_rate": float(rate) if isinstance(rate, Real) else None,
        "has_balance": labeler.class_balance is not None,
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
    }
    arrays = {
        "classes": labeler.classes_,
        "prior": labeler._prior_,
        "error_rates": labeler.error_rates_,
        "implied": labeler.implied_error_rates_,
        **{f"state_{key}": x for key, x in state.items() if _is_array(x)},
        **{f"rows_{name}": getattr(labeler._rows_, name) for name in _ROWS},
        **{f"solution_{name}": getattr(solution, name) for name in _SOLUTION},
    }
    write_file(path, KIND, settings, arrays)


def _stored(instance: Any) -> dict[str, Any]:
    """The fields of a dataclass, as they are."""
    return {field.name: getattr(instance, field.name) for field in fields(instance)}


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def load_labeler(cls: type[T], path: str | PathLike[str]) -> T:
    """Read what `save_labeler` wrote into a labeler of class `cls`."""
    settings, arrays = read_file(path, KIND)
    try:
        return _restored(cls, settings, arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(
            f"{str(path)!r} is damaged: {type(error).__name__} {error}"
        ) from error


def _restored(cls: type[T], settings: dict[str, Any], arrays: dict[str, Any]) -> T:
    solver = SOLVERS[settings["solver"]](**settings["options"])
    stored = {
        name.removeprefix("state_"): array
        for name, array in arrays.items()
        if name.startswith("state_")
    }
    rate = settings["uniform_rate"]
    labeler: Any = cls(
        error_rates=arrays["error_rates"] if rate is None else rate,  # type: ignore[call-arg]
        solver=solver,
        class_balance=arrays["prior"] if settings["has_balance"] else None,
        random_state=settings["random_state"],
        **settings["parameters"],
    )
    names, classes = settings["names"], arrays["classes"]
    parts = Parts(
        Kind(settings["kind"]),
        classes,
        n_signals=len(names),
        n_label_columns=settings["n_label_columns"],
        columns=np.empty((0, 2), int),
        abstain=settings["abstain"],
    )
    n_labels = settings["n_label_columns"]
    scalars = settings["solution"]
    labeler._like_ = WeakSignals(parts, names if settings["named"] else None)
    labeler._solver_ = solver
    labeler._prior_ = arrays["prior"]
    labeler._rows_ = Rows(*(arrays[f"rows_{name}"] for name in _ROWS))
    labeler._implied_ = arrays["implied"]
    labeler.solution_ = Solution(
        labels=np.empty((n_labels, 0)),
        example_labels=None,
        status=Status(settings["status"]),
        iterations=int(scalars["iterations"]),
        excess=scalars["excess"],
        tolerance=scalars["tolerance"],
        rows_used=int(scalars["rows_used"]),
        gap=scalars["gap"],
        state=solver.state_type(**stored, **settings["state"]),
        **{name: arrays[f"solution_{name}"] for name in _SOLUTION},
    )
    labeler.error_rates_ = arrays["error_rates"]
    labeler.classes_ = classes
    labeler.signal_names_ = labeler._like_.names
    labeler.n_features_in_ = len(names)
    return labeler
