"""What a model says, as a signal."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.errors import FunctionError, ParameterError, SignalsError
from corral.functions.base import (
    Answers,
    Failures,
    SignalFunction,
    Table,
    empty_codes,
    is_blank,
    read_answers,
)
from corral.votes.coding import class_list


def model(
    estimator: Any,
    columns: Any = None,
    *,
    proba: bool = True,
    classes: Sequence[Any] | None = None,
    name: str | None = None,
) -> SignalFunction:
    """A signal that says what a model says, be it trained on a few labelled examples.

    The signal knows these labels, so leave the examples out when you count errors.

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
    wanted = "predict_proba" if proba else "predict"
    if not callable(estimator) and not hasattr(estimator, wanted):
        raise ParameterError(
            f"{type(estimator).__name__} has no {wanted} and cannot be called; pass an "
            f"estimator that has it{' or proba=False' if proba else ''}."
        )
    if columns is not None and not isinstance(columns, str | int):
        columns = tuple(columns)
    given = getattr(estimator, "classes_", None) if classes is None else classes
    values = None if given is None else tuple(class_list(given) or ())
    ask = getattr(estimator, wanted, estimator)

    def answer(table: Table, failures: Failures) -> Answers:
        part = table.part(columns)
        try:
            output = np.asarray(ask(part))
        except Exception as error:  # it was asked for all rows at once
            raise FunctionError(
                f"signal {failures.name!r} failed: {type(error).__name__}: {error}."
            ) from error
        if len(output) != len(table):
            raise SignalsError(
                f"signal {failures.name!r}: {len(output)} answers came for {len(table)} "
                "rows."
            )
        if proba:
            return _read_probabilities(output, values, failures.name)
        return _read_classes(output.tolist(), values, failures)

    return SignalFunction(answer, name, estimator)


def _read_probabilities(
    output: Any, classes: tuple[Any, ...] | None, name: str
) -> Answers:
    try:
        values: FloatArray = output.astype(float).reshape(len(output), -1)
    except (TypeError, ValueError) as error:
        raise SignalsError(
            f"signal {name!r}: probabilities were expected, {output.dtype} came. Pass "
            "proba=False for a model that says classes."
        ) from error
    silent, k = np.isnan(values).all(axis=1), values.shape[1]
    said = values[~silent]
    if output.ndim > 2 or not ((said >= 0) & (said <= 1 + 1e-9)).all():
        raise SignalsError(
            f"signal {name!r}: probabilities (n, k) between 0 and 1 were expected; an "
            f"array of shape {output.shape} came."
        )
    if k == 1 and (classes is None or len(classes) == 2):  # of the second of two
        classes = (None,) if classes is None else classes
        codes = np.where(silent, -1, len(classes) - 1).astype(np.int8)
        return Answers(classes, codes, np.where(silent, 1.0, values[:, 0]))
    classes = tuple(range(k)) if classes is None else classes
    if len(classes) != k:
        raise SignalsError(
            f"signal {name!r}: probabilities of {k} classes came, but the classes are "
            f"{classes}. Pass classes=."
        )
    return Answers(classes, probabilities=values)


def _read_classes(
    output: list[Any], classes: tuple[Any, ...] | None, failures: Failures
) -> Answers:
    """Class values as answers; -1 is a class where it is among them."""
    if classes is None:
        return read_answers(output, None, failures)
    known = {value: code for code, value in enumerate(classes)}
    codes = empty_codes(len(output), len(classes))
    for row, value in enumerate(output):
        if isinstance(value, Hashable) and value in known:
            codes[row] = known[value]
        elif value != -1 and not is_blank(value):
            error = ValueError(f"one of {classes} was expected; {value!r:.80} came")
            failures.add({row: error})
    return Answers(classes, codes)
