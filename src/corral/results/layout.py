"""Where everything of a chart goes, in pixels: margins as wide as the longest text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from unicodedata import east_asian_width

from corral.results.chart import Axis, Bars, Cells, Chart, Mark, Points
from corral.results.text import printable, shorten

NARROW, WIDE = frozenset("ijlt.,:;'|!()[] fr-"), frozenset("mwMW@%—")


def clean(text: object) -> str:
    """A text of others as XML: escaped, and nothing invisible in it."""
    return escape(printable(str(text)))


def text_width(text: str, size: float) -> float:
    """About how many pixels a text takes in a plain font; rather too many than too few."""
    return size * sum(map(_width, text))


def _width(character: str) -> float:
    if character in NARROW:
        return 0.36
    if character in WIDE:
        return 0.92
    if east_asian_width(character) in "WF":
        return 1.05
    return 0.7 if character.isupper() else 0.59


def cut(text: str, room: float, size: float) -> str:
    """At most so many pixels; an ellipsis stands for what is left out."""
    text = printable(text)
    # No character takes less than a third of its size: cut in one go what is far too long.
    length = min(len(text), max(int(3 * room / size) + 2, 1))
    text = shorten(text, length)
    while text_width(text, size) > room and length > 1:
        length -= 1
        text = shorten(text, length)
    return text


def wrap(text: str, room: float, size: float) -> list[str]:
    """The text on as many lines as it takes; a word that is too long is cut."""
    lines: list[str] = []
    for word in printable(text).split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(cut(word, room, size))
    return lines


ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
UNITS = ((1e9, "B"), (1e6, "M"))
"""How large numbers are abbreviated."""


def find_ticks(axis: Axis, most: int = 6) -> list[tuple[float, str]]:
    """Places and texts of at most so many ticks."""
    if axis.categories:
        return [(float(at), name) for at, name in enumerate(axis.categories)]
    low, high = axis.limits
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
        for step in ROUND_STEPS:
            if span / (step * power) <= most - 1 + 1e-9:
                return step * power
        power *= 10


def write_number(value: float) -> str:
    """A number as people write it."""
    for unit, letter in UNITS:
        if abs(value) >= unit:
            return f"{value / unit:.4g}{letter}"
    text = f"{value:,.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


SIZE = 12.0
"""Of text."""
SMALL = 10.0
"""Of names in narrow rows."""
TITLE = 14.0
LINE = 1.4
"""Height of a line over the size of its text."""
LEGEND_LINE = 20.0
SWATCH = 22.0
ROW, NARROW_ROW = 24.0, 15.0
"""Height of a category; of many categories."""
MANY = 24
"""Categories from which rows are narrow."""
SERIES = 6.0
"""Added to a row for every further series of points."""
CELL, LARGE_CELL = 13.0, 44.0
"""Least and greatest side of a cell."""
SCALE = 110.0
"""Length of the shades of cells in the legend."""
SQUARE = 380.0
"""Greatest side of a square chart."""


@dataclass(frozen=True)
class Tick:
    """A place on an axis, its full text and what is written of it."""

    value: float
    text: str
    shown: str


@dataclass(frozen=True)
class Layout:
    """All places of a chart, in pixels from the top left.

    Attributes
    ----------
    width, height : float
    left, right, top, bottom : float
        Edges of the plot.
    x_axis, y_axis : Axis
    x_ticks, y_ticks : tuples of Tick
    x_size, y_size : float
        Of their text.
    upright : bool
        Names below the plot are turned, as they are longer than a column is wide.
    title : tuple of str
        Lines.
    legend : tuple of (mark, text, x, y)
    notes : tuple of str
        Lines.
    x_label : float
        How far below the plot its label stands.
    """

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    x_axis: Axis
    y_axis: Axis
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    x_size: float
    y_size: float
    upright: bool
    title: tuple[str, ...]
    legend: tuple[tuple[Mark, str, float, float], ...]
    notes: tuple[str, ...]
    x_label: float

    def x(self, value: float) -> float:
        """Pixels from the left."""
        return self.left + _part(self.x_axis, value) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Pixels from the top; categories begin there, numbers end there."""
        part = _part(self.y_axis, value)
        down = part if self.y_axis.categories else 1 - part
        return self.top + down * (self.bottom - self.top)


def _part(axis: Axis, value: float) -> float:
    low, high = axis.range
    return (value - low) / (high - low)


def lay_out(chart: Chart, width: float, *, title: bool = True) -> Layout:
    """Find a place for everything; what needs more room than `width` gets it."""
    cells = next((m for m in chart.marks if isinstance(m, Cells)), None)
    y_ticks, y_size = _y_ticks(chart.y, width)
    left = max((text_width(t.shown, y_size) for t in y_ticks), default=0.0) + 10
    right_margin = _right_margin(chart, width)
    plot = max(width - left - right_margin, 80.0)
    if cells is not None:
        columns = len(chart.x.categories)
        plot = columns * min(max(plot / columns, CELL), LARGE_CELL)
    elif chart.square:
        plot = min(plot, SQUARE)
    x_ticks, upright, x_size = _x_ticks(chart.x, plot)
    total = max(left + plot + right_margin, min(width, 320.0))
    heading = tuple(wrap(chart.title, total, TITLE)) if title else ()
    top = len(heading) * TITLE * LINE + (6 if heading else 0)
    legend, top = _legend(chart, total, top)
    top += SIZE * LINE + 8 if chart.y.label else 8
    bottom = top + _plot_height(chart, plot, cells)
    x_label = _below(x_ticks, x_size, upright)
    end = bottom + x_label + (SIZE * LINE if chart.x.label else 0)
    notes = tuple(line for note in chart.notes for line in wrap(note, total, SIZE))
    return Layout(
        width=total,
        height=end + len(notes) * SIZE * LINE + (10 if notes else 4),
        left=left,
        right=left + plot,
        top=top,
        bottom=bottom,
        x_axis=chart.x,
        y_axis=chart.y,
        x_ticks=x_ticks,
        y_ticks=y_ticks,
        x_size=x_size,
        y_size=y_size,
        upright=upright,
        title=heading,
        legend=legend,
        notes=notes,
        x_label=x_label,
    )


def _y_ticks(axis: Axis, width: float) -> tuple[tuple[Tick, ...], float]:
    many = len(axis.categories) >= MANY
    size = SMALL if many else SIZE
    room = max(0.34 * width, 60.0)
    return tuple(Tick(v, t, cut(t, room, size)) for v, t in find_ticks(axis)), size


def _x_ticks(axis: Axis, plot: float) -> tuple[tuple[Tick, ...], bool, float]:
    """Ticks that do not touch each other, whether they are turned, and their size."""
    if axis.categories:
        pitch = plot / len(axis.categories)
        fits = all(text_width(t, SIZE) <= pitch - 6 for t in axis.categories)
        size = SIZE if fits or pitch >= 16 else SMALL
        room = pitch if fits else 150.0
        ticks = find_ticks(axis)
        return tuple(Tick(v, t, cut(t, room, size)) for v, t in ticks), not fits, size
    for most in (6, 5, 4, 3, 2):
        ticks = find_ticks(axis, most)
        if sum(text_width(text, SIZE) + 14 for _, text in ticks) <= plot:
            break
    return tuple(Tick(v, t, t) for v, t in ticks), False, SIZE


def _right_margin(chart: Chart, width: float) -> float:
    """Room for the texts at the ends of bars, and for half of the last number."""
    labels = [t for m in chart.marks if isinstance(m, Bars) for t in m.labels]
    beside = max((text_width(text, SIZE) for text in labels), default=0.0)
    half = 0.0
    if not chart.x.categories:
        texts = find_ticks(chart.x)
        half = text_width(texts[-1][1], SIZE) / 2 if texts else 0.0
    return min(max(beside + 6, half, 8.0), width / 3)


def _plot_height(chart: Chart, plot: float, cells: Cells | None) -> float:
    rows = len(chart.y.categories)
    if cells is not None:
        return rows * plot / len(chart.x.categories)
    if rows:
        beside = sum(isinstance(mark, Points) for mark in chart.marks)
        roomy = ROW + SERIES * max(0, beside - 1)
        return rows * (NARROW_ROW if rows >= MANY else roomy)
    return plot if chart.square else min(0.5 * plot, 320.0)


def _below(ticks: tuple[Tick, ...], size: float, upright: bool) -> float:
    """Height of the texts of the axis, with a gap above the label."""
    if not upright:
        return 8 + size * LINE
    return 12 + max(text_width(tick.shown, size) for tick in ticks)


def _legend(
    chart: Chart, width: float, top: float
) -> tuple[tuple[tuple[Mark, str, float, float], ...], float]:
    """Names of marks side by side, on further lines where they need them."""
    found, x, y = [], 0.0, top
    for mark in chart.marks:
        name = getattr(mark, "name", "")
        if not name:
            continue
        extra = SCALE + 50 if isinstance(mark, Cells) else 0.0
        text = cut(name, width - SWATCH - extra, SIZE)
        length = SWATCH + extra + text_width(text, SIZE) + 14
        if x and x + length - 14 > width:
            x, y = 0.0, y + LEGEND_LINE
        found.append((mark, text, x, y + LEGEND_LINE / 2))
        x += length
    return tuple(found), y + LEGEND_LINE + 4 if found else top
