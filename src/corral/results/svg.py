"""A chart as SVG text: self-contained, escaped, without scripts or inline styles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import TypeVar

from corral.results.chart import Bars, Cells, Chart, Line, Mark, Points, Shape
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
from corral.results.layout import (
    LINE,
    SCALE,
    SIZE,
    TITLE,
    Layout,
    Tick,
    clean,
    lay_out,
    text_width,
    write_number,
)


def number(value: float) -> str:
    """A coordinate, to a tenth of a pixel."""
    written = f"{value:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


def fill(colour: str) -> str:
    """Attributes: the class that the page's rules know, and the colour on light paper."""
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


T = TypeVar("T")

RADIUS = 4.5
LARGEST = 7.0
"""Radius of the largest of points that have sizes."""
WRITTEN = 30.0
"""Side of a cell from which its value is written in it."""


@singledispatch
def draw_mark(mark: Mark, layout: Layout) -> Iterator[str]:
    """Elements of one mark."""
    raise TypeError(f"{type(mark).__name__} cannot be drawn on {layout!r}.")


@draw_mark.register
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
    if mark.labels:
        yield f"<g{fill('ink')}>"
        for words, (x, y) in zip(mark.labels, ends, strict=True):
            if words and math.isfinite(x):
                yield text(words, x + 4, y + SIZE * 0.35)
        yield "</g>"


@draw_mark.register
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
        radius = _radius(mark, at)
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


@draw_mark.register
def _line(mark: Line, layout: Layout) -> Iterator[str]:
    dashes = ' stroke-dasharray="5 4"' if mark.dashed else ""
    width = "1.5" if mark.dashed else "2"
    yield (
        f'<path d="{_path(mark.x, mark.y, layout)}" fill="none" stroke-width="{width}"'
        f"{dashes}{stroke(mark.tone)}>{tip_of(mark.tip)}</path>"
    )


@draw_mark.register
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


def _radius(mark: Points, at: int) -> float:
    size = _get(mark.sizes, at, math.nan)
    return RADIUS if math.isnan(size) else 2.5 + (LARGEST - 2.5) * math.sqrt(size)


def _path(x: Sequence[float], y: Sequence[float], layout: Layout) -> str:
    corners = (
        f"{number(layout.x(a))} {number(layout.y(b))}"
        for a, b in zip(x, y, strict=True)
    )
    return "M" + "L".join(corners)


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
    elif shape == "triangle":
        r *= 1.2
        corners = [(x, y - r), (x + r, y + 0.8 * r), (x - r, y + 0.8 * r)]
    else:  # a cross: the corners of a plus sign, turned
        s, r = 0.35 * r, 1.2 * r
        signs = [(0, -s), (r - s, -r), (r, s - r), (s, 0), (r, r - s), (r - s, r)]
        signs += [(0, s), (s - r, r), (-r, r - s), (-s, 0), (-r, s - r), (s - r, -r)]
        corners = [(x + a, y + b) for a, b in signs]
    return "M" + "L".join(f"{number(a)} {number(b)}" for a, b in corners) + "z"


def _get(values: Sequence[T], at: int, otherwise: T) -> T:
    return values[at] if values else otherwise


FONT = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, sans-serif"


def to_svg(
    chart: Chart,
    *,
    width: float = 640,
    title: bool = True,
    standalone: bool = False,
) -> str:
    """Draw as SVG, for a page or a file."""
    layout = lay_out(chart, width, title=title)
    return "".join(_parts(chart, layout, standalone))


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
        yield from draw_mark(mark, layout)
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
