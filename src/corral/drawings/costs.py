"""What labeling costs, against the number of rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle

from corral.drawings.drawing import Axis, Drawing, Line, Mark, Points, Shape, Tone
from corral.drawings.ticks import write_number
from corral.errors import ParameterError

KINDS: tuple[tuple[Tone, Shape], ...] = (
    ("blue", "circle"),
    ("orange", "diamond"),
    ("green", "square"),
    ("pink", "triangle"),
    ("grey", "cross"),
)


def draw_costs(
    costs: Mapping[str, Sequence[tuple[float, float]]],
    *,
    rows: str = "rows",
    unit: str = "seconds",
) -> Drawing:
    """Draw seconds, or bytes, against rows, both on logarithmic axes.

    Parameters
    ----------
    costs : mapping of str to (rows, cost) pairs
        One line per name.
    rows, unit : str
        What the axes are called.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from corral.drawings import draw_costs
    >>> drawing = draw_costs({"corral": [(1e4, 0.1), (1e6, 2)], "other": [(1e4, 3)]})
    >>> drawing.x.limits, drawing.y.limits
    ((10000.0, 1000000.0), (0.1, 10.0))
    """
    every = [pair for pairs in costs.values() for pair in pairs]
    if not every or not all(0 < n < math.inf for pair in every for n in pair):
        raise ParameterError(
            "costs must hold pairs of rows and cost, all above zero, as both axes are "
            "logarithmic."
        )
    marks: list[Mark] = []
    for (name, pairs), (tone, shape) in zip(costs.items(), cycle(KINDS), strict=False):
        x, y = (
            tuple(map(float, column)) for column in zip(*sorted(pairs), strict=True)
        )
        tips = tuple(
            f"{name}: {write_number(a)} {rows}, {write_number(b)} {unit}"
            for a, b in zip(x, y, strict=True)
        )
        marks += [Line(x, y, name, tone), Points(x, y, tips, tone, name, shape)]
    most = max(every)[0]
    there = {
        name: cost for name, pairs in costs.items() for n, cost in pairs if n == most
    }
    said = ", ".join(f"{name} {write_number(cost)}" for name, cost in there.items())
    return Drawing(
        f"{unit.capitalize()} against {rows}",
        f"At {write_number(most)} {rows}, in {unit}: {said}.",
        Axis(rows, _powers(pair[0] for pair in every), log=True),
        Axis(unit, _powers(pair[1] for pair in every), log=True),
        tuple(marks),
    )


def _powers(values: Iterable[float]) -> tuple[float, float]:
    """Powers of ten around the values."""
    logs = [math.log10(value) for value in values]
    low, high = math.floor(min(logs) + 1e-9), math.ceil(max(logs) - 1e-9)
    return 10.0**low, 10.0 ** max(high, low + 1)
