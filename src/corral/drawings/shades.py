"""Which shade a cell has."""

from __future__ import annotations

from corral.drawings.drawing import Cells
from corral.drawings.style import STEPS


def find_step(cells: Cells, value: float) -> int:
    """The step of a value, from -`STEPS` (orange) by 0 (weakest) to `STEPS` (blue).

    Examples
    --------
    >>> from corral.drawings import Cells
    >>> from corral.drawings.shades import find_step
    >>> cells = Cells((), limits=(-1, 1))
    >>> [find_step(cells, value) for value in (-1, -0.5, 0, 0.1, 2)]
    [-6, -3, 0, 1, 6]
    """
    low, high = cells.limits
    start, end = (0.0, high) if low < 0 and value >= 0 else (low, high)
    if low < 0 and value < 0:
        start, end = 0.0, -low
    part = (value - start) / (end - start) if end > start else 0.0
    return round(max(-1.0, min(1.0, part)) * STEPS)


def scale_steps(cells: Cells) -> range:
    """All steps that the cells may have."""
    return range(-STEPS if cells.limits[0] < 0 else 0, STEPS + 1)
