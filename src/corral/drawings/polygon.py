"""The labels of two examples that all constraints allow: a polygon, exactly."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray

Corner = tuple[float, float]
SQUARE: tuple[Corner, ...] = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
NEAR = 1e-9
"""Distances below this are none: what two constraints share is a line, not nothing."""


def clip_square(a: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> tuple[Corner, ...]:
    """Corners of ``{y : lower <= a y <= upper, 0 <= y <= 1}`` for two labels.

    The square is clipped by one half-plane after the other.

    Parameters
    ----------
    a : (r, 2) array of float
    lower, upper : (r,) arrays of float
        Infinite where there is no bound; equal for an equation.

    Returns
    -------
    tuple of (x, y)
        Counterclockwise; none if nothing is allowed, one for a point, two for a segment.

    Examples
    --------
    >>> from corral.drawings.polygon import clip_square
    >>> clip_square([[1, 1]], [-float("inf")], [0.5])
    ((0.0, 0.5), (0.0, 0.0), (0.5, 0.0))
    >>> clip_square([[1, -1]], [0.5], [0.5])
    ((0.5, 0.0), (1.0, 0.5))
    """
    corners = SQUARE
    rows = zip(
        np.asarray(a, float).reshape(-1, 2).tolist(),
        np.asarray(lower, float).tolist(),
        np.asarray(upper, float).tolist(),
        strict=True,
    )
    for (u, v), low, high in rows:
        length = float(np.hypot(u, v))
        if length == 0:  # it says nothing of these labels: all hold it, or none
            corners = corners if low <= NEAR and high >= -NEAR else ()
            continue
        if np.isfinite(high):
            corners = _clip(corners, (u / length, v / length), high / length)
        if np.isfinite(low):
            corners = _clip(corners, (-u / length, -v / length), -low / length)
    return corners


def _clip(
    corners: tuple[Corner, ...], normal: Corner, offset: float
) -> tuple[Corner, ...]:
    """What is left of a polygon where ``normal @ y <= offset`` (Sutherland-Hodgman)."""
    beyond = [normal[0] * x + normal[1] * y - offset for x, y in corners]
    found: list[Corner] = []
    for at, (corner, over) in enumerate(zip(corners, beyond, strict=True)):
        before, over_before = corners[at - 1], beyond[at - 1]
        if (over_before < -NEAR and over > NEAR) or (
            over_before > NEAR and over < -NEAR
        ):
            part = over_before / (over_before - over)
            found.append(
                (
                    before[0] + part * (corner[0] - before[0]),
                    before[1] + part * (corner[1] - before[1]),
                )
            )
        if over <= NEAR:
            found.append(corner)
    return _without_doubles(found)


def _without_doubles(corners: Iterable[Corner]) -> tuple[Corner, ...]:
    kept: list[Corner] = []
    for x, y in corners:
        if all(abs(x - a) > NEAR or abs(y - b) > NEAR for a, b in kept):
            kept.append((x, y))
    return tuple(kept)


def area_of(corners: tuple[Corner, ...]) -> float:
    """Area of a polygon; zero of a segment or a point.

    Examples
    --------
    >>> from corral.drawings.polygon import area_of
    >>> area_of(((0, 0), (1, 0), (0, 1)))
    0.5
    """
    if len(corners) < 3:
        return 0.0
    x, y = np.array(corners, float).T
    twice: FloatArray = x * np.roll(y, -1) - y * np.roll(x, -1)
    return abs(float(twice.sum())) / 2
