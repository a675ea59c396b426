"""A model that is there already as a soft signal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corral.errors import FunctionError, ParameterError, SignalsError
from corral.functions.base import Answers, Failures, SignalFunction, name_of
from corral.functions.by_rows import interpreted
from corral.functions.table import Table
from corral.signals.coding import class_list


@dataclass(frozen=True, eq=False)
class Model(SignalFunction):
    """What `model` makes.

    Attributes
    ----------
    estimator : estimator or callable
    columns : column name, list of them, or None
    proba : bool
    classes : tuple or None
    """

    estimator: Any
    columns: Any
    proba: bool
    classes: tuple[Any, ...] | None

    def reads(self) -> tuple[Any, ...] | None:
        if self.columns is None:
            return None
        one = isinstance(self.columns, str | int)
        return (self.columns,) if one else tuple(self.columns)

    def answer(self, table: Table, failures: Failures) -> Answers:
        wanted = "predict_proba" if self.proba else "predict"
        ask = getattr(self.estimator, wanted, self.estimator)
        given = table.part(self.columns)
        try:
            said = np.asarray(ask(given))
        except Exception as error:  # of all rows at once, so none can be left out
            raise FunctionError(
                f"signal {self.name!r} failed: {type(error).__name__}: {error}."
            ) from error
        if len(said) != len(table):
            raise SignalsError(
                f"signal {self.name!r}: {len(said)} answers came for {len(table)} rows."
            )
        if not self.proba:
            return interpreted(said.tolist(), None, failures)
        probabilities = _probabilities(said, self.name)
        classes = self.classes
        if classes is None and probabilities.shape[1] > 1:
            named = getattr(self.estimator, "classes_", range(probabilities.shape[1]))
            classes = tuple(np.asarray(named).tolist())
        if probabilities.shape[1] == 1:  # of the second of two classes
            second = None if classes is None else classes[-1]
            silent = np.isnan(probabilities[:, 0])
            codes = np.where(silent, -1, 0).astype(np.int8)
            return Answers((second,), codes, np.where(silent, 1.0, probabilities[:, 0]))
        if len(classes or ()) != probabilities.shape[1]:
            raise SignalsError(
                f"signal {self.name!r}: probabilities of {probabilities.shape[1]} "
                f"classes came, but the classes are {classes}. Pass classes=."
            )
        return Answers(classes or (), probabilities=probabilities)


def model(
    estimator: Any,
    columns: Any = None,
    *,
    proba: bool = True,
    classes: Sequence[Any] | None = None,
    name: str | None = None,
) -> Model:
    """A signal that says what a model says.

    Parameters
    ----------
    estimator : fitted estimator or callable
        Its ``predict_proba`` (or ``predict``) is called once with all rows; or it is
        called itself, and returns the same: probabilities (n, k), or (n,) for the second
        of two classes, NaN where it abstains; without `proba` class values (n,).
    columns : str, int or list of them, optional
        What it is given: one column, several, or all the data as they are.
    proba : bool
        Whether its probabilities count, or only the class that it says.
    classes : sequence, optional
        The class values of its probabilities; default: its ``classes_``, else 0, 1, ...
    name : str, optional
        Default: the name of the class or function.

    Examples
    --------
    >>> from corral.functions import model
    >>> def spam_filter(texts):
    ...     return [0.9 if "win" in text else 0.4 for text in texts]
    >>> model(spam_filter, classes=["ham", "spam"]).apply(["win", "noon"]).to_list()
    [('spam', 0.9), ('spam', 0.4)]
    """
    if not callable(estimator) and not hasattr(
        estimator, "predict_proba" if proba else "predict"
    ):
        raise ParameterError(
            f"{type(estimator).__name__} has no "
            f"{'predict_proba; pass proba=False' if proba else 'predict'}, and cannot be "
            "called."
        )
    named = class_list(classes)
    default = getattr(estimator, "__name__", type(estimator).__name__)
    kept = (
        columns if columns is None or isinstance(columns, str | int) else tuple(columns)
    )
    values = None if named is None else tuple(named)
    return Model(estimator, kept, proba, values, name=name_of(name, default))


def _probabilities(said: Any, name: str) -> Any:
    """(n, k) probabilities; NaN in a whole row abstains."""
    try:
        values = said.astype(float)
    except (TypeError, ValueError) as error:
        raise SignalsError(
            f"signal {name!r}: probabilities were expected, {said.dtype} came. Pass "
            "proba=False for a model that says classes."
        ) from error
    values = values[:, None] if values.ndim == 1 else values
    known = values[~np.isnan(values).all(axis=1)] if values.ndim == 2 else values
    if values.ndim != 2 or not ((known >= 0) & (known <= 1 + 1e-9)).all():
        raise SignalsError(
            f"signal {name!r}: probabilities (n, k) between 0 and 1 were expected; an "
            f"array of shape {said.shape} came."
        )
    return values
