"""Which of many signals a chart shows, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.drawings.drawing import Numbers, Texts
from corral.errors import ParameterError

MOST = 60
"""Signals that fit a chart."""


def read_column(name: str, values: ArrayLike, n: int) -> FloatArray:
    """(n,) numbers of a chart, checked."""
    column = np.asarray(values, float)
    if column.shape != (n,):
        raise ParameterError(
            f"must have one number per name, {n} in all; an array of shape "
            f"{column.shape} came.",
            parameter=name,
        )
    return column


def order_signals(values: FloatArray) -> tuple[list[int], Texts]:
    """The largest values first, at most `MOST`, and a sentence on those left out."""
    order = np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable").tolist()
    left_out = len(order) - MOST
    if left_out <= 0:
        return order, ()
    return order[:MOST], (f"The {MOST} largest; {left_out:,} more are not shown.",)


def take(values: FloatArray, order: Sequence[int]) -> Numbers:
    """The values in this order, as a mark holds them."""
    return tuple(values[list(order)].tolist())


def round_up(value: float, least: float = 0.05) -> float:
    """A round end of an axis of shares that has room for the value."""
    if not np.isfinite(value):
        return 1.0
    ends = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
    wanted = max(value, least) - 1e-12
    return next((end for end in ends if end >= wanted), float(np.ceil(wanted)))


def order_by_likeness(agreement: FloatArray) -> IntArray:
    """An order in which signals that agree stand side by side.

    Parameters
    ----------
    agreement : (m, m) array of float
        Symmetric, the larger the more alike; NaN where it is not known.

    Returns
    -------
    (m,) array of int

    Examples
    --------
    >>> import numpy as np
    >>> from corral.drawings.choice import order_by_likeness
    >>> table = np.array([[1, 0.1, 0.9], [0.1, 1, 0.2], [0.9, 0.2, 1]])
    >>> order_by_likeness(table).tolist() in ([0, 2, 1], [1, 2, 0])
    True
    """
    m = len(agreement)
    if m < 3:
        return np.arange(m)
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    known = np.isfinite(agreement)
    mean = float(agreement[known].mean()) if known.any() else 0.0
    apart = 1 - np.where(known, agreement, mean)
    np.fill_diagonal(apart, 0)
    tree = linkage(squareform(apart, checks=False), "average", optimal_ordering=True)
    return leaves_list(tree)
