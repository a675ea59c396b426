"""The labels of two examples that the constraints allow, and which of them are chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from corral.drawings.drawing import Area, Axis, Drawing, Line, Mark, Points, Shape, Tone
from corral.drawings.polygon import Corner, area_of, clip_square

CHOICES: tuple[tuple[Tone, Shape], ...] = (
    ("green", "circle"),
    ("pink", "diamond"),
    ("grey", "square"),
)


def draw_constrained_space(
    a: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    names: Sequence[str],
    points: Mapping[str, Corner] | None = None,
    n_cut: int = 0,
    axes: tuple[str, str] = (
        "label of the first example",
        "label of the second example",
    ),
) -> Drawing:
    """Draw ``{y : lower <= a y <= upper, 0 <= y <= 1}`` for the labels of two examples.

    Parameters
    ----------
    a : (r, 2) array of float
    lower, upper : (r,) arrays of float
        Infinite where there is no bound; equal for an equation.
    names : r strings
        What the constraints are called.
    points : mapping of str to (y1, y2), optional
        Labels that were chosen, by the name of what chose them.
    n_cut : int
        How many of the constraints, from the last, are drawn as a cut: the space without
        them, and what they leave.
    axes : two strings

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from corral.drawings import draw_constrained_space
    >>> drawing = draw_constrained_space(
    ...     [[1, 1], [1, -1]], [0.5, -0.2], [1.5, 0.2], names=["sum", "difference"], n_cut=1
    ... )
    >>> drawing.description
    'The constraints allow 75% of all labels of two examples, and 20% with difference.'
    """
    rows = np.asarray(a, float).reshape(-1, 2)
    ends = np.asarray(lower, float), np.asarray(upper, float)
    kept = len(rows) - n_cut
    whole = clip_square(rows[:kept], *(end[:kept] for end in ends))
    marks: list[Mark] = [*_space(whole, "what the constraints allow", "blue", 0.22)]
    words = f"The constraints allow {_size(whole)}"
    if n_cut:
        left = clip_square(rows, *ends)
        cut = " and ".join(names[kept:])
        marks += _space(left, f"and with {cut}", "orange", 0.5)
        words += f", and {_size(left).removesuffix(ALL)} with {cut}"
    for row, low, high, name in zip(rows, *ends, names, strict=True):
        marks += _edges(row, low, high, name)
    chosen = points or {}
    for at, (name, (x, y)) in enumerate(chosen.items()):
        tone, shape = CHOICES[at % len(CHOICES)]
        tip = f"{name}: {x:.3f}, {y:.3f}"
        marks.append(Points((x,), (y,), (tip,), tone, name, shape))
        words += f". {name} chooses {x:.2f} and {y:.2f}"
    return Drawing(
        "The constrained space of two labels",
        f"{words}.",
        Axis(axes[0], (0.0, 1.0)),
        Axis(axes[1], (0.0, 1.0)),
        tuple(marks),
        equal=True,
    )


ALL = " of all labels of two examples"


def _size(corners: tuple[Corner, ...]) -> str:
    if not corners:
        return "no labels"
    if len(corners) < 3:
        return "a single point" if len(corners) == 1 else "the labels on a line"
    return f"{area_of(corners):.0%}{ALL}"


def _space(
    corners: tuple[Corner, ...], name: str, tone: Tone, opacity: float
) -> list[Mark]:
    """What is left, as an area, a line or a point; nothing, if nothing is."""
    if not corners:
        return []
    x, y = zip(*corners, strict=True)
    if len(corners) == 1:
        return [Points(x, y, (name,), tone, name)]
    if len(corners) == 2:
        return [Line(x, y, name, tone, name)]
    return [Area(x, y, name, tone, name, opacity)]


def _edges(row: np.ndarray, low: float, high: float, name: str) -> list[Mark]:
    """The lines on which a constraint holds with equality, where these cross the square."""
    found: list[Mark] = []
    for bound in dict.fromkeys((low, high)):
        if not np.isfinite(bound):
            continue
        line = clip_square(row[None], [bound], [bound])
        if len(line) == 2:
            x, y = zip(*line, strict=True)
            found.append(
                Line(x, y, f"{name}: {_formula(row, bound)}", "grey", dashed=True)
            )
    return found


def _formula(row: np.ndarray, bound: float) -> str:
    u, v = row.tolist()
    return f"{u:.3g} y1 {'-' if v < 0 else '+'} {abs(v):.3g} y2 = {bound:.3g}"
