"""A chart as SVG text: self-contained, escaped, without scripts or inline styles.

First everything gets its place, with margins as wide as the longest text; then it is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any
from unicodedata import east_asian_width

from corral.results.chart import Axis, Bars, Cells, Chart, Line, Mark, Points, Shape
from corral.results.colours import (
    LIGHT,
    LIGHT_SHADES,
    STYLESHEET,
    find_step,
    scale_steps,
    shade_name,
    text_name,
    text_on,
)
from corral.results.text import printable, shorten

NARROW, WIDE = frozenset("ijlt.,:;'|!()[] fr-"), frozenset("mwMW@%—")


def clean(words: str) -> str:
    """Words of others as XML: escaped, and nothing invisible in them."""
    return escape(printable(words))


def text_width(words: str, size: float) -> float:
    """About how many pixels words take in a plain font; rather too many than too few."""

    def width(c: str) -> float:
        if c in NARROW:
            return 0.36
        if c in WIDE:
            return 0.92
        if east_asian_width(c) in "WF":
            return 1.05
        return 0.7 if c.isupper() else 0.59

    return size * sum(map(width, words))


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
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    steps = (each * power * scale for scale in (1, 10, 100) for each in ROUND_STEPS)
    step = next(each for each in steps if (high - low) / each <= most - 1 + 1e-9)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    places = [step * at for at in range(first, last + 1)]
    if not axis.percent:
        return [(value, write_number(value)) for value in places]
    digits = next(d for d in range(9) if math.isclose(step, round(step, d + 2)))
    return [(value, f"{value:.{digits}%}") for value in places]


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

    `left` to `bottom` are the edges of the plot; names below it stand `upright` where they
    are longer than a column is wide; `x_label` is how far below the plot its label stands.
    """

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    x_axis: Axis
    y_axis: Axis
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    x_size: float
    y_size: float
    upright: bool
    title: list[str]
    legend: list[tuple[Mark, str, float, float]]
    notes: list[str]
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


def lay_out(chart: Chart, width: float) -> Layout:
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
    heading = wrap(chart.title, total, TITLE)
    top = len(heading) * TITLE * LINE + (6 if heading else 0)
    legend, top = _legend(chart, total, top)
    top += SIZE * LINE + 8 if chart.y.label else 8
    bottom = top + _plot_height(chart, plot, cells)
    x_label = _below(x_ticks, x_size, upright)
    end = bottom + x_label + (SIZE * LINE if chart.x.label else 0)
    notes = [line for note in chart.notes for line in wrap(note, total, SIZE)]
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


def _y_ticks(axis: Axis, width: float) -> tuple[list[Tick], float]:
    many = len(axis.categories) >= MANY
    size = SMALL if many else SIZE
    room = max(0.34 * width, 60.0)
    return [Tick(v, t, cut(t, room, size)) for v, t in find_ticks(axis)], size


def _x_ticks(axis: Axis, plot: float) -> tuple[list[Tick], bool, float]:
    """Ticks that do not touch each other, whether they are turned, and their size."""
    if axis.categories:
        pitch = plot / len(axis.categories)
        fits = all(text_width(t, SIZE) <= pitch - 6 for t in axis.categories)
        size = SIZE if fits or pitch >= 16 else SMALL
        room = pitch if fits else 150.0
        ticks = find_ticks(axis)
        return [Tick(v, t, cut(t, room, size)) for v, t in ticks], not fits, size
    for most in (6, 5, 4, 3, 2):
        ticks = find_ticks(axis, most)
        if sum(text_width(text, SIZE) + 14 for _, text in ticks) <= plot:
            break
    return [Tick(v, t, t) for v, t in ticks], False, SIZE


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


def _below(ticks: list[Tick], size: float, upright: bool) -> float:
    """Height of the texts of the axis, with a gap above the label."""
    if not upright:
        return 8 + size * LINE
    return 12 + max(text_width(tick.shown, size) for tick in ticks)


def _legend(
    chart: Chart, width: float, top: float
) -> tuple[list[tuple[Mark, str, float, float]], float]:
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
    return found, y + LEGEND_LINE + 4 if found else top


def number(value: float) -> str:
    """A coordinate, to a tenth of a pixel."""
    written = f"{value:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


def fill(colour: str) -> str:
    """Attributes: the class that the stylesheet knows, and the colour on light paper."""
    return f' class="cd-f-{colour}" fill="{LIGHT[colour]}"'


def stroke(colour: str) -> str:
    """The same for lines."""
    return f' class="cd-s-{colour}" stroke="{LIGHT[colour]}"'


def tip_of(text: str) -> str:
    """What is shown to those who point at the element around it."""
    return f"<title>{clean(text)}</title>" if text else ""


def text(words: str, x: float, y: float, attributes: str = "", *, tip: str = "") -> str:
    """An element of text."""
    space = " " if attributes and not attributes.startswith(" ") else ""
    return (
        f'<text x="{number(x)}" y="{number(y)}"{space}{attributes}>'
        f"{clean(words)}{tip_of(tip)}</text>"
    )


RADIUS = 4.5
LARGEST = 7.0
"""Radius of the largest of points that have sizes."""
WRITTEN = 30.0
"""Side of a cell from which its value is written in it."""


def _bars(mark: Bars, layout: Layout) -> Iterator[str]:
    yield f"<g{fill(mark.tone)}>"
    edges = zip(mark.x0, mark.x1, mark.y0, mark.y1, strict=True)
    ends = []
    for at, (x0, x1, y0, y1) in enumerate(edges):
        if not all(map(math.isfinite, (x0, x1, y0, y1))):
            ends.append((math.nan, math.nan))
            continue
        left, right = sorted((layout.x(x0), layout.x(x1)))
        top, bottom = sorted((layout.y(y0), layout.y(y1)))
        # Half a pixel of nothing would hide that there is a value at all.
        wide, high = max(right - left, 0.7), max(bottom - top, 0.7)
        ends.append((right, (top + bottom) / 2))
        yield (
            f'<rect x="{number(left)}" y="{number(top)}" width="{number(wide)}" '
            f'height="{number(high)}">{tip_of(_get(mark.tips, at, ""))}</rect>'
        )
    yield "</g>"
    if len(mark.labels):
        yield f"<g{fill('ink')}>"
        for words, (x, y) in zip(mark.labels, ends, strict=True):
            if words and math.isfinite(x):
                yield text(words, x + 4, y + SIZE * 0.35)
        yield "</g>"


def _points(mark: Points, layout: Layout) -> Iterator[str]:
    seen = [
        at
        for at, (x, y) in enumerate(zip(mark.x, mark.y, strict=True))
        if math.isfinite(x) and math.isfinite(y)
    ]
    yield from _intervals(mark, layout, seen)
    yield f'<g{fill(mark.tone)}><g stroke-width="1"{stroke("paper")}>'
    places = {at: (layout.x(mark.x[at]), layout.y(mark.y[at])) for at in seen}
    for at, (x, y) in places.items():
        size = _get(mark.sizes, at, math.nan)
        radius = 2.5 + (LARGEST - 2.5) * math.sqrt(size)
        radius = RADIUS if math.isnan(size) else radius
        tip = tip_of(_get(mark.tips, at, ""))
        yield f'<path d="{_outline(mark.shape, x, y, radius)}">{tip}</path>'
    yield "</g></g>"


def _intervals(mark: Points, layout: Layout, seen: list[int]) -> Iterator[str]:
    lines = []
    for at in seen:
        low, high = _get(mark.low, at, math.nan), _get(mark.high, at, math.nan)
        if not (math.isfinite(low) and math.isfinite(high)):
            continue
        if mark.along == "x":
            y, *ends = layout.y(mark.y[at]), layout.x(low), layout.x(high)
            lines.append(f"M{number(ends[0])} {number(y)}H{number(ends[1])}")
        else:
            x, *ends = layout.x(mark.x[at]), layout.y(low), layout.y(high)
            lines.append(f"M{number(x)} {number(ends[0])}V{number(ends[1])}")
    if lines:
        thick = 'stroke-width="2" stroke-opacity=".55" fill="none"'
        yield f'<path d="{"".join(lines)}" {thick}{stroke(mark.tone)}/>'


def _line(mark: Line, layout: Layout) -> Iterator[str]:
    dashes = ' stroke-dasharray="5 4"' if mark.dashed else ""
    width = "1.5" if mark.dashed else "2"
    places = zip(mark.x, mark.y, strict=True)
    path = "L".join(f"{number(layout.x(a))} {number(layout.y(b))}" for a, b in places)
    yield (
        f'<path d="M{path}" fill="none" stroke-width="{width}"'
        f"{dashes}{stroke(mark.tone)}>{tip_of(mark.tip)}</path>"
    )


def _cells(mark: Cells, layout: Layout) -> Iterator[str]:
    side = layout.x(1) - layout.x(0)
    inner = number(side - 1)
    square = f"h{inner}v{inner}h-{inner}z"
    steps: dict[int, list[str]] = {}
    words: dict[int, list[str]] = {}
    for row, values in enumerate(mark.values):
        for column, value in enumerate(values):
            if not math.isfinite(value):
                continue
            step = find_step(mark, value)
            x, y = layout.x(column), layout.y(row)
            tip = tip_of(mark.tips[row][column] if mark.tips else "")
            corner = f"M{number(x - side / 2)} {number(y - side / 2)}"
            steps.setdefault(step, []).append(
                f'<path d="{corner}{square}">{tip}</path>'
            )
            if side >= WRITTEN:
                shown = f"{value:.2f}".replace("0.", ".", 1).replace("1.00", "1")
                written = text(shown, x - 0.5, y + 3.5, 'text-anchor="middle"')
                words.setdefault(step, []).append(written)
    for step, found in sorted(steps.items()):
        colour = f'class="{shade_name(step)}" fill="{LIGHT_SHADES[step]}"'
        yield f"<g {colour}>{''.join(found)}</g>"
    for step, found in sorted(words.items()):
        colour = f'class="{text_name(step)}" fill="{text_on(LIGHT_SHADES[step])}"'
        # Pointing at the number is pointing at the cell.
        small = 'font-size="10" pointer-events="none"'
        yield f"<g {small} {colour}>{''.join(found)}</g>"


def draw_swatch(mark: Mark, x: float, y: float) -> str:
    """What stands for the mark in the legend, before its name; cells have their scale."""
    if isinstance(mark, Points):
        outline = _outline(mark.shape, x + 8, y, RADIUS + 0.5)
        return f'<path d="{outline}"{fill(mark.tone)}/>'
    if isinstance(mark, Line):
        dashes = ' stroke-dasharray="5 4"' if mark.dashed else ""
        line = f"M{number(x)} {number(y)}h16"
        return f'<path d="{line}" stroke-width="2"{dashes}{stroke(mark.tone)}/>'
    if isinstance(mark, Cells):
        return _scale(mark, x, y)
    box = f'x="{number(x + 2)}" y="{number(y - 6)}" width="12" height="12"'
    return f"<rect {box}{fill(mark.tone)}/>"


def _scale(mark: Cells, x: float, y: float) -> str:
    low, high = (write_number(value) for value in mark.limits)
    parts = [text(f"{mark.name}  {low}", x, y + 4, fill("ink"))]
    start = x + text_width(f"{mark.name}  {low}", SIZE) + 4
    side = SCALE / len(scale_steps(mark))
    for at, step in enumerate(scale_steps(mark)):
        box = f'x="{number(start + at * side)}" y="{number(y - 6)}"'
        box += f' width="{number(side)}" height="12"'
        box += f' class="{shade_name(step)}" fill="{LIGHT_SHADES[step]}"'
        parts.append(f"<rect {box}/>")
    parts.append(text(high, start + SCALE + 4, y + 4, fill("ink")))
    return "".join(parts)


def _outline(shape: Shape, x: float, y: float, radius: float) -> str:
    r = radius
    if shape == "circle":
        r2 = number(2 * r)
        arc = f"a{number(r)} {number(r)} 0 1 0"
        return f"M{number(x - r)} {number(y)}{arc} {r2} 0{arc} -{r2} 0z"
    if shape == "square":
        r *= 0.88
        corners = [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)]
    elif shape == "diamond":
        r *= 1.25
        corners = [(x, y - r), (x + r, y), (x, y + r), (x - r, y)]
    else:
        r *= 1.2
        corners = [(x, y - r), (x + r, y + 0.8 * r), (x - r, y + 0.8 * r)]
    return "M" + "L".join(f"{number(a)} {number(b)}" for a, b in corners) + "z"


def _get(values: Any, at: int, otherwise: Any) -> Any:
    return values[at] if len(values) else otherwise


FONT = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, sans-serif"


def to_svg(chart: Chart, *, width: float = 640, standalone: bool = False) -> str:
    """Draw as SVG, for a page or a file."""
    return "".join(_parts(chart, lay_out(chart, width), standalone))


def _parts(chart: Chart, layout: Layout, standalone: bool) -> Iterator[str]:
    edge = 12.0 if standalone else 1.0  # around paper of its own; lines have a width
    size = layout.width + 2 * edge, layout.height + 2 * edge
    wide, high = map(number, size)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="cd" role="img" '
        f'aria-label="{clean(chart.title)}" viewBox="{number(-edge)} {number(-edge)} '
        f'{wide} {high}" width="{wide}" height="{high}" font-family="{FONT}" '
        f'font-size="{number(SIZE)}"><title>{clean(chart.title)}</title>'
        f"<desc>{clean(chart.description)}</desc>"
    )
    if standalone:
        yield f"<style>{STYLESHEET}</style>"
        yield (
            f'<rect x="{number(-edge)}" y="{number(-edge)}" width="{wide}" '
            f'height="{high}"{fill("paper")}/>'
        )
    for at, line in enumerate(layout.title):
        y = TITLE * (1 + LINE * at)
        bold = f'font-size="{number(TITLE)}" font-weight="600"'
        yield text(line, 0, y, f"{bold}{fill('ink')}")
    for mark, name, x, y in layout.legend:
        yield draw_swatch(mark, x, y)
        if not isinstance(mark, Cells):
            yield text(name, x + 20, y + 4, fill("ink"))
    yield from _axes(chart, layout)
    for mark in chart.marks:
        if isinstance(mark, Bars):
            yield from _bars(mark, layout)
        elif isinstance(mark, Points):
            yield from _points(mark, layout)
        elif isinstance(mark, Line):
            yield from _line(mark, layout)
        else:
            yield from _cells(mark, layout)
    end = layout.height - len(layout.notes) * SIZE * LINE
    for at, line in enumerate(layout.notes):
        yield text(line, 0, end + at * SIZE * LINE + 4, fill("soft"))
    yield "</svg>"


def _axes(chart: Chart, layout: Layout) -> Iterator[str]:
    has_cells = any(isinstance(mark, Cells) for mark in chart.marks)
    left, right, top, bottom = (
        number(at) for at in (layout.left, layout.right, layout.top, layout.bottom)
    )
    lines = []
    if not has_cells:
        if not chart.x.categories:
            places = [number(layout.x(tick.value)) for tick in layout.x_ticks]
            lines += [f"M{at} {top}V{bottom}" for at in places]
        places = [number(layout.y(tick.value)) for tick in layout.y_ticks]
        lines += [f"M{left} {at}H{right}" for at in places]
    if lines:
        yield f'<path d="{"".join(lines)}" fill="none"{stroke("rule")}/>'
    yield f"<g{fill('ink')}>"
    for tick in layout.y_ticks:
        y = layout.y(tick.value) + layout.y_size * 0.35
        yield _tick(
            tick, layout.left - 6, y, f'text-anchor="end"{_size(layout.y_size)}'
        )
    for tick in layout.x_ticks:
        x, y = layout.x(tick.value), layout.bottom + 6
        if layout.upright:
            x += layout.x_size * 0.35
            turn = f'transform="rotate(-90 {number(x)} {number(y)})" text-anchor="end"'
            yield _tick(tick, x, y, f"{turn}{_size(layout.x_size)}")
        else:
            yield _tick(tick, x, y + SIZE, 'text-anchor="middle"')
    yield f"</g><g{fill('soft')}>"
    if chart.y.label:
        yield text(chart.y.label, 0, layout.top - 12)
    if chart.x.label:
        middle = (layout.left + layout.right) / 2
        y = layout.bottom + layout.x_label + SIZE * 0.8
        yield text(chart.x.label, middle, y, 'text-anchor="middle"')
    yield "</g>"


def _tick(tick: Tick, x: float, y: float, attributes: str) -> str:
    tip = "" if tick.shown == tick.text else tick.text
    return text(tick.shown, x, y, attributes, tip=tip)


def _size(size: float) -> str:
    return "" if size == SIZE else f' font-size="{number(size)}"'
