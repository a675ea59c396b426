"""What a chart shows, in its own units: axes and marks, and nothing about pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tone = Literal["blue", "orange", "green", "pink", "grey"]
"""A colour by name; the renderings know what it is on light and on dark."""
Shape = Literal["circle", "diamond", "square", "triangle", "cross"]
Numbers = tuple[float, ...]
Texts = tuple[str, ...]


@dataclass(frozen=True)
class Axis:
    """One direction of a chart: numbers, or names at 0, 1, 2 and so on.

    Attributes
    ----------
    label : str
        What is measured, with its unit.
    limits : (low, high)
        Where the axis begins and ends; of no use with `categories`.
    categories : tuple of str
        Names instead of numbers. The first is at the left or at the top.
    percent : bool
        Write 0.25 as 25%.
    log : bool
        Equal ratios are equally far apart.
    """

    label: str = ""
    limits: tuple[float, float] = (0.0, 1.0)
    categories: Texts = ()
    percent: bool = False
    log: bool = False

    @property
    def range(self) -> tuple[float, float]:
        """Where the axis begins and ends, with half a step around categories."""
        return (-0.5, len(self.categories) - 0.5) if self.categories else self.limits


@dataclass(frozen=True)
class Bars:
    """Rectangles.

    Attributes
    ----------
    x0, x1, y0, y1 : tuples of float
        Edges, one of each per bar.
    tips : tuple of str
        What a reader sees who points at the bar.
    tone : Tone
    name : str
        What the legend calls them; "" for nothing.
    labels : tuple of str
        Written where the bars end on the right.
    """

    x0: Numbers
    x1: Numbers
    y0: Numbers
    y1: Numbers
    tips: Texts = ()
    tone: Tone = "blue"
    name: str = ""
    labels: Texts = ()


@dataclass(frozen=True)
class Points:
    """Points, with intervals if these are known; NaN is left out.

    Attributes
    ----------
    x, y : tuples of float
    tips, tone, name
        As for `Bars`.
    shape : Shape
    low, high : tuples of float
        Ends of intervals along the axis `along`; NaN where there is none.
    along : "x" or "y"
    sizes : tuple of float
        Area relative to the largest, from 0 to 1; default: all equal and small.
    labels : tuple of str
        Written beside the points, where there is room.
    """

    x: Numbers
    y: Numbers
    tips: Texts = ()
    tone: Tone = "blue"
    name: str = ""
    shape: Shape = "circle"
    low: Numbers = ()
    high: Numbers = ()
    along: Literal["x", "y"] = "x"
    sizes: Numbers = ()
    labels: Texts = ()


@dataclass(frozen=True)
class Line:
    """A line through points; with two points and `dashed`, a line to compare with.

    Attributes
    ----------
    x, y : tuples of float
    tip : str
    tone, name
        As for `Bars`.
    dashed : bool
    """

    x: Numbers
    y: Numbers
    tip: str = ""
    tone: Tone = "blue"
    name: str = ""
    dashed: bool = False


@dataclass(frozen=True)
class Area:
    """A polygon, filled so that what lies below can be seen.

    Attributes
    ----------
    x, y : tuples of float
        Corners.
    tip, tone, name
        As for `Line`.
    opacity : float
        From 0, nothing, to 1, which hides what lies below.
    """

    x: Numbers
    y: Numbers
    tip: str = ""
    tone: Tone = "blue"
    name: str = ""
    opacity: float = 0.22


@dataclass(frozen=True)
class Cells:
    """A matrix of shades, one row per category of y; NaN is left out.

    Attributes
    ----------
    values : tuple of tuples of float
    tips : tuple of tuples of str
    limits : (low, high)
        The values of the strongest shades. Diverging if low is below zero, with the
        weakest shade at zero; otherwise from weak to strong.
    name : str
        What the values are.
    """

    values: tuple[Numbers, ...]
    tips: tuple[Texts, ...] = ()
    limits: tuple[float, float] = (0.0, 1.0)
    name: str = ""


@dataclass(frozen=True)
class Note:
    """A few words at a place of the chart."""

    x: float
    y: float
    text: str


Mark = Bars | Points | Line | Area | Cells | Note


@dataclass(frozen=True)
class Drawing:
    """A chart, for any rendering: `to_svg`, or matplotlib by `corral.plots`.

    Attributes
    ----------
    title : str
    description : str
        The chart in words, for those who do not see it: what it says, not how it looks.
    x, y : Axis
    marks : tuple of Mark
        Later ones lie above.
    notes : tuple of str
        Sentences below the chart.
    equal : bool
        One unit is as long on both axes, so the chart is square.
    """

    title: str
    description: str
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    notes: Texts = ()
    equal: bool = False
