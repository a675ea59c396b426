"""Strengths of items, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from corral.drawings.choice import order_signals, read_column, take
from corral.drawings.drawing import Axis, Drawing, Line, Points
from corral.errors import ParameterError


def draw_strengths(
    names: Sequence[str],
    strengths: ArrayLike,
    interval: ArrayLike,
    *,
    level: float = 0.9,
) -> Drawing:
    """Draw strengths in log-odds, the strongest on top.

    Parameters
    ----------
    names : K strings
    strengths : (K,) array of float
    interval : (K, 2) array of float
    level : float
        Probability of the intervals.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from corral.drawings import draw_strengths
    >>> draw_strengths(["x", "y"], [-1, 1], [[-2, 0], [0, 2]]).y.categories
    ('y', 'x')
    """
    n = len(names)
    values, ends = read_column("strengths", strengths, n), np.asarray(interval, float)
    if ends.shape != (n, 2):
        raise ParameterError(
            f"must be an array of shape ({n}, 2), two ends per name; one of shape "
            f"{ends.shape} came.",
            parameter="interval",
        )
    order, notes = order_signals(values)
    low, high = ends[order].min(), ends[order].max()
    room = 0.04 * (high - low)
    points = Points(
        take(values, order),
        tuple(map(float, range(len(order)))),
        tuple(
            f"{names[i]}: {values[i]:.2f} ({ends[i, 0]:.2f} to {ends[i, 1]:.2f})"
            for i in order
        ),
        low=take(ends[:, 0], order),
        high=take(ends[:, 1], order),
    )
    middle = Line((0.0, 0.0), (-0.5, len(order) - 0.5), "the mean", "grey", dashed=True)
    return Drawing(
        "Strengths",
        f"Strengths of {n} items with {level:.0%} intervals. The strongest is "
        f"{names[order[0]]}, {values[order[0]]:.2f}.",
        Axis("strength, log-odds", (float(low - room), float(high + room))),
        Axis(categories=tuple(names[i] for i in order)),
        (middle, points),
        notes,
    )
