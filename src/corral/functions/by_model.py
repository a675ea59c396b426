"""A fitted model as a soft signal."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corral.errors import FunctionError, ParameterError, SignalsError
from corral.functions.by_rows import read_answers
from corral.functions.row_table import Table, is_scalar
from corral.functions.signal_function import (
    Answers,
    Failures,
    SignalFunction,
    choose_name,
)
from corral.signals.abstains import is_missing
from corral.signals.coding import ABSTAIN, class_list, code_type


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
            output = np.asarray(ask(given))
        except Exception as error:  # it was asked for all rows at once
            raise FunctionError(
                f"signal {self.name!r} failed: {type(error).__name__}: {error}."
            ) from error
        if len(output) != len(table):
            raise SignalsError(
                f"signal {self.name!r}: {len(output)} answers came for {len(table)} rows."
            )
        classes = self.classes
        if classes is None and hasattr(self.estimator, "classes_"):
            classes = tuple(np.asarray(self.estimator.classes_).tolist())
        if not self.proba:
            return _encode_classes(output.tolist(), classes, failures)
        probabilities = _check_probabilities(output, self.name)
        n_classes = probabilities.shape[1]
        if n_classes == 1 and (classes is None or len(classes) == 2):
            # of the second of two classes
            abstains = np.isnan(probabilities[:, 0])
            codes = np.where(abstains, ABSTAIN, len(classes or "-") - 1).astype(np.int8)
            sure = np.where(abstains, 1.0, probabilities[:, 0])
            return Answers(classes or (None,), codes, sure)
        classes = tuple(range(n_classes)) if classes is None else classes
        if len(classes) != n_classes:
            raise SignalsError(
                f"signal {self.name!r}: probabilities of {n_classes} classes came, but "
                f"the classes are {classes}. Pass classes=."
            )
        return Answers(classes, probabilities=probabilities)


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
        The class values that it votes on, in the order of its probabilities; default:
        its ``classes_``, else 0, 1, ... for probabilities and what it says for classes.
        -1 abstains unless it is named here.
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
    if columns is not None and not isinstance(columns, str | int):
        columns = tuple(columns)
    values = None if classes is None else tuple(class_list(classes) or ())
    return Model(estimator, columns, proba, values, name=choose_name(name, estimator))


def _encode_classes(
    output: list[Any], classes: tuple[Any, ...] | None, failures: Failures
) -> Answers:
    """Class values as answers; -1 is a class where it is among them."""
    if classes is None:
        return read_answers(output, None, failures)
    known = {value: code for code, value in enumerate(classes)}
    codes = np.full(len(output), ABSTAIN, code_type(len(classes)))
    for row, value in enumerate(output):
        if isinstance(value, Hashable) and value in known:
            codes[row] = known[value]
        elif not is_scalar(value) or not (is_missing(value) or value == ABSTAIN):
            error = ValueError(f"one of {classes} was expected; {value!r:.80} came")
            failures.add(row, error)
    return Answers(classes, codes)


def _check_probabilities(output: Any, name: str) -> Any:
    """(n, k) probabilities; NaN in a whole row abstains."""
    try:
        values = output.astype(float)
    except (TypeError, ValueError) as error:
        raise SignalsError(
            f"signal {name!r}: probabilities were expected, {output.dtype} came. Pass "
            "proba=False for a model that says classes."
        ) from error
    values = values[:, None] if values.ndim == 1 else values
    known = values[~np.isnan(values).all(axis=1)] if values.ndim == 2 else values
    if values.ndim != 2 or not ((known >= 0) & (known <= 1 + 1e-9)).all():
        raise SignalsError(
            f"signal {name!r}: probabilities (n, k) between 0 and 1 were expected; an "
            f"array of shape {output.shape} came."
        )
    return values
