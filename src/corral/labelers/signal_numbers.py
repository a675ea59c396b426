"""What users say of signals and classes in numbers: weights, accuracies, shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.error_rates.given_rates import by_name
from corral.errors import ParameterError
from corral.labelers.probabilities import check_balance
from corral.signals import WeakSignals


def signal_numbers(name: str, given: Any, signals: WeakSignals) -> FloatArray:
    """Numbers (m,), or (m, k) for one-vs-rest signals, in any form a user gives them.

    Parameters
    ----------
    name : str
        What they were given as.
    given : float, array (m,) or (m, k), or mapping from name to number
    signals : WeakSignals

    Examples
    --------
    >>> from corral import WeakSignals
    >>> from corral.labelers.signal_numbers import signal_numbers
    >>> signals = WeakSignals.from_votes([[0, 1], [1, 1]], names=["rule", "crowd"])
    >>> signal_numbers("weights", {"crowd": 1, "rule": 3}, signals).tolist()
    [3.0, 1.0]
    """
    shapes: list[tuple[int, ...]] = [(signals.n_signals,)]
    if not signals.names_classes:
        shapes.append((signals.n_signals, signals.n_label_columns))
    listed = by_name(name, given, signals) if isinstance(given, Mapping) else given
    try:
        numbers = np.asarray(listed, float)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{name} must be a number, an array with one number per signal, or a mapping "
            f"from signal name to number; {given!r} was given."
        ) from error
    if numbers.ndim == 0:
        numbers = np.full(signals.n_signals, float(numbers))
    if numbers.shape not in shapes or not np.isfinite(numbers).all():
        raise ParameterError(
            f"{name} must be finite numbers, one per signal, of the shape "
            f"{' or '.join(map(str, shapes))}; the shape given is {numbers.shape}."
        )
    return numbers


def by_column(numbers: FloatArray, signals: WeakSignals) -> FloatArray:
    """A number for every stored column, from one per signal or one per signal and class."""
    if numbers.ndim == 1:
        return numbers[signals.columns[:, 0]]
    return numbers[tuple(signals.columns.T)]


def check_accuracies(name: str, accuracies: FloatArray) -> None:
    """Refuse what has no finite log-odds."""
    if not ((accuracies > 0) & (accuracies < 1)).all():
        bad = accuracies[~((accuracies > 0) & (accuracies < 1))][0]
        raise ParameterError(
            f"{name} must be more than 0 and less than 1, as a vote that is always right "
            f"could never be outvoted; {bad:g} was given."
        )


def positive_balance(class_balance: ArrayLike | None, n_classes: int) -> FloatArray:
    """Shares (k,) of the classes as a user gave them, none of them zero; default even."""
    balance = check_balance(class_balance, n_classes)
    # Beside a share of 1e-17, another one is rounded to one, as if there were no other.
    if not balance.all() or (balance == 1).any():
        raise ParameterError(
            "class_balance must have a share above zero and below one for every class; "
            f"{balance.tolist()} was given."
        )
    return balance
