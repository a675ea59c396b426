"""Where an axis has numbers, and how these are written."""

from __future__ import annotations

import math

from corral.drawings.drawing import Axis

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
UNITS = ((1e9, "B"), (1e6, "M"))
"""How large numbers are abbreviated."""


def find_ticks(axis: Axis, most: int = 6) -> list[tuple[float, str]]:
    """Places and texts of at most so many ticks.

    Examples
    --------
    >>> from corral.drawings import Axis
    >>> from corral.drawings.ticks import find_ticks
    >>> find_ticks(Axis(limits=(0, 0.5), percent=True), most=3)
    [(0.0, '0%'), (0.25, '25%'), (0.5, '50%')]
    >>> find_ticks(Axis(limits=(1e3, 1e7), log=True))
    [(1000.0, '1,000'), (10000.0, '10,000'), (100000.0, '100,000'), (1000000.0, '1M'),
     (10000000.0, '10M')]
    """
    if axis.categories:
        return [(float(at), name) for at, name in enumerate(axis.categories)]
    low, high = axis.limits
    if axis.log:
        low, high = math.log10(low), math.log10(high)
        powers = _round_places(low, high, max(1.0, math.ceil((high - low) / most)))
        return [(10.0**power, write_number(10.0**power)) for power in powers]
    step = _choose_step(high - low, most)
    places = _round_places(low, high, step)
    if not axis.percent:
        return [(value, write_number(value)) for value in places]
    digits = next(d for d in range(9) if math.isclose(step, round(step, d + 2)))
    return [(value, f"{value:.{digits}%}") for value in places]


def _round_places(low: float, high: float, step: float) -> list[float]:
    """Multiples of a step from low to high."""
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [step * at for at in range(first, last + 1)]


def _choose_step(span: float, most: int) -> float:
    """The smallest step of a round size with which the span has few enough ticks."""
    power = 10.0 ** math.floor(math.log10(span / most))
    while True:
        for step in STEPS:
            if span / (step * power) <= most - 1 + 1e-9:
                return step * power
        power *= 10


def write_number(value: float) -> str:
    """A number as people write it.

    Examples
    --------
    >>> from corral.drawings.ticks import write_number
    >>> [write_number(value) for value in (0.05, 1500, 2e7)]
    ['0.05', '1,500', '20M']
    """
    for unit, letter in UNITS:
        if abs(value) >= unit:
            return f"{value / unit:.4g}{letter}"
    text = f"{value:,.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
