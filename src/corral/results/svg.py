"""A chart as SVG text: self-contained, escaped, without scripts or inline styles.

First everything gets its place, with margins as wide as the longest text; then it is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from typing import NamedTuple
from unicodedata import east_asian_width

from corral.results.chart import Axis, Bars, Cells, Chart, Line, Points, Shape
from corral.results.colours import LIGHT, STYLESHEET
from corral.results.text import printable, shorten

FONT = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, sans-serif"
SIZE, SMALL, TITLE = 12.0, 10.0, 14.0
"""Of text, of names in narrow rows, and of the title."""
LINE = 1.4
"""Height of a line over the size of its text."""
LEGEND_LINE, SWATCH, SCALE = 20.0, 22.0, 110.0
"""Height of a line of the legend; width of a swatch, and of the shades of cells."""
ROW, NARROW_ROW, MANY = 24.0, 15.0, 24
"""Height of a category; of one of many categories; from how many on that is."""
SERIES = 6.0
"""Added to a row for every further series of points."""
CELL, LARGE_CELL, WRITTEN = 13.0, 44.0, 30.0
"""Least and greatest side of a cell; from which side on its value is written in it."""
SHADES = 6
"""Shades that the legend of cells shows on each side of zero."""
SQUARE = 380.0
"""Greatest side of a square chart."""
NAME_ROOM = 150.0
"""Pixels for a name that stands upright."""
RADIUS = 4.5
"""Of points."""
CORNERS: dict[Shape, tuple[tuple[float, float], ...]] = {
    "square": ((-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)),
    "diamond": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    "triangle": ((0, -1.2), (1.2, 0.96), (-1.2, 0.96)),
}
"""Of points, in radii."""
ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
NARROW, WIDE = frozenset("ijlt,.:;'|!()[] fr-"), frozenset("mwMW@%—")


# -- texts and numbers --------------------------------------------------------------


def escape_xml(words: str) -> str:
    """Untrusted words as XML: escaped, and nothing invisible in them."""
    return escape(printable(words))


def text_width(words: str, size: float) -> float:
    """About how many pixels words take in a plain font; rather too many than too few."""

    def width(c: str) -> float:
        if c in NARROW:
            return 0.36
        return 1.05 if c in WIDE or east_asian_width(c) in "WF" else 0.62

    return size * sum(map(width, words))


def cut(text: str, room: float, size: float) -> str:
    """At most so many pixels; an ellipsis stands for what is left out."""
    text = printable(text)
    # No character takes less than a third of its size.
    length = min(len(text), int(3 * room / size) + 2)
    while text_width(shorten(text, length), size) > room and length > 1:
        length -= 1
    return shorten(text, length)


class Tick(NamedTuple):
    """A place on an axis, its full text and what is written of it."""

    value: float
    text: str
    shown: str


def name_ticks(axis: Axis, room: float, size: float) -> list[Tick]:
    """A tick per category, with names cut to fit the room."""
    return [
        Tick(at, name, cut(name, room, size)) for at, name in enumerate(axis.categories)
    ]


def number_ticks(axis: Axis, most: int = 6) -> list[Tick]:
    """At most so many ticks at round numbers."""
    low, high = axis.limits
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    steps = (each * power * scale for scale in (1, 10, 100) for each in ROUND_STEPS)
    step = next(each for each in steps if (high - low) / each <= most - 1 + 1e-9)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    places = [step * at for at in range(first, last + 1)]
    texts = [f"{100 * at:g}%" if axis.percent else f"{at:g}" for at in places]
    return list(map(Tick, places, texts, texts))


# -- places -------------------------------------------------------------------------

Named = tuple[Points | Cells, str, float, float]
"""A mark of the legend, its name, and where it stands."""


class Layout:
    """All places of a chart, in pixels from the top left.

    What needs more room than `width` gets it. `left` to `bottom` are the edges of the
    plot; names below it stand `upright` where they are longer than a column is wide;
    `x_label` is how far below the plot its label stands.
    """

    def __init__(self, chart: Chart, width: float) -> None:
        self.chart = chart
        rows, columns = chart.y.categories, chart.x.categories
        self.size = SMALL if len(rows) >= MANY else SIZE
        self.y_ticks = name_ticks(chart.y, max(0.34 * width, 60.0), self.size)
        if not rows:
            self.y_ticks = number_ticks(chart.y)
        self.left = 10 + self._widest(self.y_ticks)
        margin = 8.0  # or room for half of the last number
        if not columns:
            margin = max(margin, text_width(number_ticks(chart.x)[-1].text, SIZE) / 2)
        plot = max(width - self.left - margin, 80.0)
        if columns:
            plot = len(columns) * min(max(plot / len(columns), CELL), LARGE_CELL)
        elif chart.square:
            plot = min(plot, SQUARE)
        self.right = self.left + plot
        self.width = max(self.right + margin, min(width, 320.0))
        self.legend, top = self._place_legend(TITLE * LINE + 6)
        self.top = top + (SIZE * LINE + 8 if chart.y.label else 8)
        high = plot if chart.square else min(0.5 * plot, 320.0)
        if columns:
            high = len(rows) * plot / len(columns)
        elif rows:
            series = sum(isinstance(mark, Points) for mark in chart.marks)
            roomy = ROW + SERIES * max(0, series - 1)
            high = len(rows) * (NARROW_ROW if len(rows) >= MANY else roomy)
        self.bottom = self.top + high
        pitch = plot / max(len(columns), 1)
        self.upright = any(text_width(name, SIZE) > pitch - 6 for name in columns)
        self.x_label = 8 + SIZE * LINE
        self.x_ticks = name_ticks(chart.x, NAME_ROOM, self.size)
        if self.upright:
            self.x_label = 12 + self._widest(self.x_ticks)
        elif not columns:
            widest = max(text_width(t.text, SIZE) for t in number_ticks(chart.x))
            most = int(plot / (widest + 14))
            self.x_ticks = number_ticks(chart.x, max(2, min(6, most)))
        end = self.bottom + self.x_label + (SIZE * LINE if chart.x.label else 0)
        self.height = end + 10 + len(chart.notes) * SIZE * LINE

    def x(self, value: float) -> float:
        """Pixels from the left."""
        low, high = self.chart.x.range
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Pixels from the top; categories begin there, numbers end there."""
        low, high = self.chart.y.range
        part = (value - low) / (high - low)
        down = part if self.chart.y.categories else 1 - part
        return self.top + down * (self.bottom - self.top)

    def _widest(self, ticks: list[Tick]) -> float:
        return max((text_width(tick.shown, self.size) for tick in ticks), default=0.0)

    def _place_legend(self, top: float) -> tuple[list[Named], float]:
        """Names of marks side by side, on further lines where they need them."""
        found: list[Named] = []
        x, y = 0.0, top
        for mark in self.chart.marks:
            if not isinstance(mark, Points | Cells) or not mark.name:
                continue
            extra = SCALE + 50 if isinstance(mark, Cells) else 0.0
            name = cut(mark.name, self.width - SWATCH - extra, SIZE)
            length = SWATCH + extra + text_width(name, SIZE) + 14
            if x and x + length - 14 > self.width:
                x, y = 0.0, y + LEGEND_LINE
            found.append((mark, name, x, y + LEGEND_LINE / 2))
            x += length
        return found, y + LEGEND_LINE + 4 if found else top


# -- elements -----------------------------------------------------------------------


def _coord(value: float) -> str:
    written = f"{value:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


def _fill(colour: str) -> str:
    """Attributes: the class that the stylesheet knows, and the colour on light paper."""
    return f' class="cd-f-{colour}" fill="{LIGHT[colour]}"'


def _stroke(colour: str) -> str:
    return f' class="cd-s-{colour}" stroke="{LIGHT[colour]}"'


def _shade(value: float) -> str:
    """Blue above zero, orange below; so pale that text on it can be read."""
    opacity = f'fill-opacity="{0.06 + 0.44 * min(abs(value), 1.0):.2f}"'
    return f"{_fill('blue' if value >= 0 else 'orange')} {opacity}"


def _rect(x: float, y: float, wide: float, high: float) -> str:
    """A rectangle, up to its other attributes."""
    sides = f'width="{_coord(wide)}" height="{_coord(high)}"'
    return f'<rect x="{_coord(x)}" y="{_coord(y)}" {sides}'


def _tip(words: str) -> str:
    """What is shown where one points at the element around it."""
    return f"<title>{escape_xml(words)}</title>" if words else ""


def _text(words: str, x: float, y: float, attributes: str = "", whole: str = "") -> str:
    """An element of text; `whole` is shown where one points at words that were cut."""
    return (
        f'<text x="{_coord(x)}" y="{_coord(y)}" {attributes}>'
        f"{escape_xml(words)}{_tip(whole)}</text>"
    )


def _outline(shape: Shape, x: float, y: float, r: float = RADIUS) -> str:
    if shape == "circle":
        arc, wide = f"a{_coord(r)} {_coord(r)} 0 1 0", _coord(2 * r)
        return f"M{_coord(x - r)} {_coord(y)}{arc} {wide} 0{arc} -{wide} 0z"
    corners = [f"{_coord(x + r * a)} {_coord(y + r * b)}" for a, b in CORNERS[shape]]
    return f"M{'L'.join(corners)}z"


# -- marks --------------------------------------------------------------------------


def _bars(mark: Bars, layout: Layout) -> Iterator[str]:
    yield f"<g{_fill('blue')}>"
    edges = zip(mark.left, mark.right, mark.heights, mark.tips, strict=True)
    for left, right, height, tip in edges:
        start, top = layout.x(left), layout.y(height)
        # Half a pixel of nothing would hide that there is a value at all.
        high = max(layout.bottom - top, 0.7)
        yield f"{_rect(start, top, layout.x(right) - start, high)}>{_tip(tip)}</rect>"
    yield "</g>"


def _points(mark: Points, layout: Layout) -> Iterator[str]:
    places = {
        at: (layout.x(x), layout.y(y))
        for at, (x, y) in enumerate(zip(mark.x, mark.y, strict=True))
        if math.isfinite(x) and math.isfinite(y)
    }
    lines = []
    for at, (x, y) in places.items():
        low, high = mark.low[at], mark.high[at]
        if not (math.isfinite(low) and math.isfinite(high)):
            continue
        if mark.along == "x":
            start, end = _coord(layout.x(low)), _coord(layout.x(high))
            lines.append(f"M{start} {_coord(y)}H{end}")
        else:
            start, end = _coord(layout.y(low)), _coord(layout.y(high))
            lines.append(f"M{_coord(x)} {start}V{end}")
    if lines:
        thick = 'stroke-width="2" stroke-opacity=".55" fill="none"'
        yield f'<path d="{"".join(lines)}" {thick}{_stroke(mark.tone)}/>'
    yield f'<g{_fill(mark.tone)}><g stroke-width="1"{_stroke("paper")}>'
    for at, (x, y) in places.items():
        path = _outline(mark.shape, x, y)
        yield f'<path d="{path}">{_tip(mark.tips[at])}</path>'
    yield "</g></g>"


def _line(mark: Line, layout: Layout) -> Iterator[str]:
    dashes = 'stroke-width="1.5" stroke-dasharray="5 4"'
    places = zip(mark.x, mark.y, strict=True)
    path = "L".join(f"{_coord(layout.x(a))} {_coord(layout.y(b))}" for a, b in places)
    yield (
        f'<path d="M{path}" fill="none" {dashes}{_stroke("grey")}>{_tip(mark.tip)}</path>'
    )


def _cells(mark: Cells, layout: Layout) -> Iterator[str]:
    side = layout.x(1) - layout.x(0)
    numbers = []
    for row, values in enumerate(mark.values):
        for column, value in enumerate(values):
            if not math.isfinite(value):
                continue
            x, y = layout.x(column), layout.y(row)
            square = _rect(x - side / 2, y - side / 2, side - 1, side - 1)
            yield f"{square}{_shade(value)}>{_tip(mark.tips[row][column])}</rect>"
            if side >= WRITTEN:
                shown = f"{value:.2f}".replace("0.", ".", 1).replace("1.00", "1")
                numbers.append(_text(shown, x - 0.5, y + 3.5, 'text-anchor="middle"'))
    # Pointing at the number is pointing at the cell.
    small = 'font-size="10" pointer-events="none"'
    yield f"<g {small}{_fill('ink')}>{''.join(numbers)}</g>"


def _swatch(mark: Points | Cells, x: float, y: float) -> str:
    """What stands for the mark in the legend, before its name; cells have their scale."""
    if isinstance(mark, Points):
        path = _outline(mark.shape, x + 8, y, RADIUS + 0.5)
        return f'<path d="{path}"{_fill(mark.tone)}/>'
    parts = [_text(f"{mark.name}  -1", x, y + 4, _fill("ink"))]
    start = x + text_width(f"{mark.name}  -1", SIZE) + 4
    side = SCALE / (2 * SHADES + 1)
    for at in range(2 * SHADES + 1):
        square = _rect(start + at * side, y - 6, side, 12)
        parts.append(f"{square}{_shade(at / SHADES - 1)}/>")
    parts.append(_text("1", start + SCALE + 4, y + 4, _fill("ink")))
    return "".join(parts)


# -- the chart ----------------------------------------------------------------------


def to_svg(chart: Chart, *, width: float = 640, standalone: bool = False) -> str:
    """Draw as SVG, for a page or a file."""
    return "".join(_elements(chart, Layout(chart, width), standalone))


def _elements(chart: Chart, layout: Layout, standalone: bool) -> Iterator[str]:
    edge = 12.0 if standalone else 1.0  # around paper of its own; lines have a width
    wide, high = layout.width + 2 * edge, layout.height + 2 * edge
    box = f'viewBox="{_coord(-edge)} {_coord(-edge)} {_coord(wide)} {_coord(high)}"'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="cd" role="img" '
        f'aria-label="{escape_xml(chart.title)}" {box} '
        f'width="{_coord(wide)}" height="{_coord(high)}" font-family="{FONT}" '
        f'font-size="{_coord(SIZE)}"><title>{escape_xml(chart.title)}</title>'
        f"<desc>{escape_xml(chart.description)}</desc>"
    )
    if standalone:
        yield f"<style>{STYLESHEET}</style>"
        yield f"{_rect(-edge, -edge, wide, high)}{_fill('paper')}/>"
    bold = f'font-size="{_coord(TITLE)}" font-weight="600"{_fill("ink")}'
    yield _text(cut(chart.title, layout.width, TITLE), 0, TITLE, bold)
    for mark, name, x, y in layout.legend:
        yield _swatch(mark, x, y)
        if not isinstance(mark, Cells):
            yield _text(name, x + 20, y + 4, _fill("ink"))
    yield from _axes(chart, layout)
    for each in chart.marks:
        if isinstance(each, Bars):
            yield from _bars(each, layout)
        elif isinstance(each, Points):
            yield from _points(each, layout)
        elif isinstance(each, Line):
            yield from _line(each, layout)
        else:
            yield from _cells(each, layout)
    for at, note in enumerate(reversed(chart.notes)):
        y = layout.height - 4 - at * SIZE * LINE
        yield _text(cut(note, layout.width, SIZE), 0, y, _fill("soft"))
    yield "</svg>"


def _axes(chart: Chart, layout: Layout) -> Iterator[str]:
    if not chart.x.categories:  # cells need no lines to read along
        top, bottom = _coord(layout.top), _coord(layout.bottom)
        left, right = _coord(layout.left), _coord(layout.right)
        across = [
            f"M{_coord(layout.x(t.value))} {top}V{bottom}" for t in layout.x_ticks
        ]
        along = [f"M{left} {_coord(layout.y(t.value))}H{right}" for t in layout.y_ticks]
        path = "".join(across + along)
        yield f'<path d="{path}" fill="none"{_stroke("rule")}/>'
    yield f"<g{_fill('ink')}>"
    for tick in layout.y_ticks:
        y = layout.y(tick.value) + layout.size * 0.35
        yield _tick(tick, layout.left - 6, y, 'text-anchor="end"', layout.size)
    for tick in layout.x_ticks:
        x, y = layout.x(tick.value), layout.bottom + 6
        if layout.upright:
            x += layout.size * 0.35
            turn = f'transform="rotate(-90 {_coord(x)} {_coord(y)})" text-anchor="end"'
            yield _tick(tick, x, y, turn, layout.size)
        else:
            yield _tick(tick, x, y + SIZE, 'text-anchor="middle"', SIZE)
    yield f"</g><g{_fill('soft')}>"
    if chart.y.label:
        yield _text(chart.y.label, 0, layout.top - 12)
    if chart.x.label:
        middle = (layout.left + layout.right) / 2
        y = layout.bottom + layout.x_label + SIZE * 0.8
        yield _text(chart.x.label, middle, y, 'text-anchor="middle"')
    yield "</g>"


def _tick(tick: Tick, x: float, y: float, attributes: str, size: float) -> str:
    whole = "" if tick.shown == tick.text else tick.text
    return _text(tick.shown, x, y, f'{attributes} font-size="{_coord(size)}"', whole)
