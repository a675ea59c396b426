"""The error of every signal under any labeling."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import FloatArray
from corral.constraints.space import LabelSpace, label_space
from corral.decisions import one_hot
from corral.errors import ParameterError
from corral.signals import WeakSignals


def label_matrix(y: ArrayLike, classes: NDArray[Any]) -> FloatArray:
    """Class values (n,) as one-hot rows; probabilities (n, k) pass through."""
    labels = np.asarray(y)
    if labels.ndim not in (1, 2):
        raise ParameterError(
            f"labels must be (n,) or (n, k); the shape given is {labels.shape}."
        )
    if labels.ndim == 2:
        if labels.shape[1] != len(classes):
            raise ParameterError(
                f"labels have {labels.shape[1]} columns for {len(classes)} classes."
            )
        soft = np.asarray(labels, float)
        if not ((soft >= 0) & (soft <= 1)).all():
            raise ParameterError("soft labels must be between 0 and 1.")
        return soft
    return one_hot(labels, classes).astype(float)


def signal_errors(
    signals: WeakSignals, y: ArrayLike, sample_weight: FloatArray | None = None
) -> FloatArray:
    """Expected error of every signal if `y` were the labels.

    Parameters
    ----------
    signals : WeakSignals
    y : (n,) class values or (n, k) probabilities
    sample_weight : (n,) array of float, optional

    Returns
    -------
    (m,) array of float, or (m, k) for one-vs-rest signals
        NaN where a signal never votes. With true labels these are the true error
        rates; with the labels of a labeler, the implied ones.

    Examples
    --------
    >>> from corral import WeakSignals, signal_errors
    >>> signals = WeakSignals.from_votes([[1, 0], [1, 1], [0, -1]])
    >>> signal_errors(signals, [1, 1, 1]).round(3).tolist()
    [0.333, 0.5]
    """
    space = label_space(signals, weights=sample_weight)
    table = error_table(space, signals, y)
    return mean_by_signal(space, signals, table) if signals.names_classes else table


def error_table(space: LabelSpace, signals: WeakSignals, y: ArrayLike) -> FloatArray:
    """Expected error of every signal and label column if `y` were the labels: (m, l).

    Parameters
    ----------
    space : LabelSpace
        Of the signals; its rates are not looked at.
    signals : WeakSignals
    y : (n,) class values or (n, k) probabilities
    """
    labels = label_matrix(y, signals.classes)
    if len(labels) != len(signals):
        raise ParameterError(
            f"{len(labels)} labels were given for {len(signals)} examples."
        )
    if signals.n_label_columns == 1:
        labels = labels[:, 1:]
    table = np.full((signals.n_signals, signals.n_label_columns), np.nan)
    by_pattern = space.design.by_pattern(labels)
    table[space.rows.signal, space.rows.label] = space.errors(by_pattern)
    return table


def mean_by_signal(
    space: LabelSpace, signals: WeakSignals, rates: FloatArray
) -> FloatArray:
    """(m,) one rate per signal from rates per signal and class; NaN where it is silent.

    A one-vs-rest signal has the mean over its classes, by how often it votes on each.
    """
    if rates.ndim == 1:
        return rates
    if signals.names_classes:
        # A wrong class vote is an error about two classes; binary votes have one row.
        return rates.sum(axis=1) / min(2, rates.shape[1])
    size, rows = np.zeros(rates.shape), space.rows
    size[rows.signal, rows.label] = rows.size
    total, sums = size.sum(axis=1), np.nansum(size * rates, axis=1)
    return np.divide(sums, total, out=np.full(len(total), np.nan), where=total > 0)
