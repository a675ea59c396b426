"""Weights of classes that a classifier was given, applied to soft labels.

Many classifiers count rows for ``class_weight="balanced"``, whatever their weights. Given
every example once per class, they find all classes equally common. So it is taken from the
classifier, and multiplied into the weights of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError, SignalsWarning, warn_user

Weigh: TypeAlias = Callable[[IntArray, FloatArray], FloatArray]
"""From the class and the weight of every row to the weight of every class (k,)."""

LEAST_SHARE = 1e-100
"""Of the weight of all rows: a class that has less is as good as absent."""


def take_class_weight(
    estimator: Any, classes: NDArray[Any], given: Any = None
) -> tuple[Any, Weigh | None]:
    """The estimator without its ``class_weight``, and what that weighs classes by.

    Parameters
    ----------
    estimator : classifier
        Changed; of a `Pipeline`, the last step.
    classes : (k,) array
        Class values.
    given : "balanced", dict or None
        The weights, if they were not given to the estimator, which may know none.
    """
    name = _own_parameter(estimator)
    deeper = [
        other
        for other, value in estimator.get_params().items()
        if other.endswith("class_weight") and other != name and value is not None
    ]
    if deeper:
        warn_user(
            f"{deeper[0]} of {type(estimator).__name__} counts rows, of which every "
            "example has one for each class, so it does not see how common classes are. "
            "Give class_weight to a classifier that is not inside another, or weigh the "
            "examples by sample_weight=.",
            SignalsWarning,
        )
    own = None if name is None else estimator.get_params()[name]
    if name is not None and own is not None:
        if given is not None:
            raise ParameterError(
                f"class_weight is {given!r}, and {own!r} in {type(estimator).__name__}. "
                "Give it to one of them."
            )
        given = own
        estimator.set_params(**{name: None})
    if given is None:
        return estimator, None
    if isinstance(given, str) and given == "balanced":
        return estimator, lambda column, weight: _balanced(column, weight, len(classes))
    if isinstance(given, Mapping):
        fixed = _by_class(given, classes)
        return estimator, lambda _column, _weight: fixed
    raise ParameterError(
        'class_weight must be "balanced" or a dict from class values to weights where '
        f"labels are soft; {given!r} was given."
    )


def _own_parameter(estimator: Any) -> str | None:
    """What the classifier, or the last step of a pipeline, calls the weights."""
    from sklearn.pipeline import Pipeline  # slow to import

    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    parameters = estimator.get_params(deep=False)
    return f"{prefix}class_weight" if "class_weight" in parameters else None


def _balanced(column: IntArray, weight: FloatArray, k: int) -> FloatArray:
    """(k,) the mean weight of the classes by that of each; zero for those without."""
    mass = np.bincount(column, weight, k)
    present = mass > LEAST_SHARE * mass.sum()
    total = mass.sum() / present.sum()
    return np.divide(total, mass, out=np.zeros(k), where=present)


def _by_class(given: Mapping[Any, Any], classes: NDArray[Any]) -> FloatArray:
    values = classes.tolist()
    unknown = [value for value in given if value not in values]
    if unknown:
        raise ParameterError(
            f"class_weight has a weight of {unknown[0]!r}, which is not one of the "
            f"classes {values}."
        )
    weights = np.array([given.get(value, 1.0) for value in values], float)
    if not ((weights >= 0) & np.isfinite(weights)).all():
        raise ParameterError(
            f"class_weight must hold finite weights, none below zero; {given!r} came."
        )
    return weights
