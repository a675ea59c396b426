"""Probabilities rounded to a grid, so that examples share patterns, and what it costs.

If a signal says ``w + d`` instead of ``w``, its error under labels ``y`` changes by the
mean of ``d (1 - 2 y)`` over the examples it votes on, that is, by at most the mean of
``|d|``, whatever the labels are.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import BoolArray, FloatArray, IntArray
from corral.errors import SignalsError
from corral.signals.coding import ABSTAIN, code_type
from corral.signals.soft_source import SoftSource

MOST_BINS = 30_000
"""Codes stay small integers; finer grids give every example its own pattern anyway."""


@dataclass(frozen=True)
class RoundingError:
    """How far rounding moved probabilities, and the error rates with them.

    Attributes
    ----------
    mean, largest : float
        Of the absolute differences, over all entries that are no abstain.
    by_signal : (m,) array of float, or (m, k) for one-vs-rest signals
        The most by which the error of a signal can differ, under any labels, from
        what it is without rounding. NaN where a signal never votes.

    Examples
    --------
    >>> from corral import WeakSignals
    >>> signals = WeakSignals.from_probabilities([[0.52, 0.1], [0.9, 0.34]], bins=10)
    >>> signals.rounding_error.by_signal.round(3).tolist()
    [0.01, 0.02]
    """

    mean: float
    largest: float
    by_signal: FloatArray


def check_bins(bins: Any) -> int:
    """Refuse anything but a whole number of bins."""
    whole = isinstance(bins, Integral) and not isinstance(bins, bool)
    if not whole or not 1 <= bins <= MOST_BINS:
        raise SignalsError(
            f"`bins=` must be a whole number from 1 to {MOST_BINS}; {bins!r} was given."
        )
    return int(bins)


def grid_of(bins: int, dtype: type[np.floating]) -> NDArray[np.floating]:
    """The probability of every code: ``0, 1 / bins, ..., 1``."""
    return (np.arange(bins + 1) / bins).astype(dtype)


def grid_codes(
    source: SoftSource,
    pairs: BoolArray,
    bins: int,
    *,
    by_class: bool,
    counts: FloatArray | None = None,
) -> tuple[IntArray, RoundingError]:
    """Round to the nearest multiple of ``1 / bins``, half of a step upward.

    Parameters
    ----------
    source : SoftSource
    pairs : (k, m) array of bool
        Classes and signals to round.
    bins : int
    by_class : bool
        Whether signals vote on one class at a time, with an error for each.
    counts : (n,) array of float, optional
        Examples per row.

    Returns
    -------
    codes : (n, c) array of int
        Multiples, -1 for abstain; one column per pair, by class.
    error : RoundingError
    """
    n, c = source.view.shape[2], int(pairs.sum())
    codes = np.empty((n, c), code_type(bins + 1))
    sums, sizes, largest = np.zeros(c), np.zeros(c), 0.0
    for at, part in source.blocks():
        exact = part[pairs].astype(np.float64)
        missing = np.isnan(exact)
        code = np.floor(exact * bins + 0.5)
        off = np.abs(exact - code / bins)
        code[missing], off[missing] = ABSTAIN, 0
        codes[at] = code.T
        each = np.ones(exact.shape[1]) if counts is None else counts[at]
        sums += off @ each
        sizes += ~missing @ each
        largest = max(largest, float(off.max(initial=0)))
    table = np.full(pairs.shape, np.nan)
    table[pairs] = np.divide(sums, sizes, out=np.full(c, np.nan), where=sizes > 0)
    # A wrong class is an error about two classes; a single column is about both.
    by_signal = table.T if by_class else table.sum(axis=0) / min(2, len(table))
    mean = float(sums.sum() / max(sizes.sum(), 1))
    return codes, RoundingError(mean, largest, by_signal)
