"""Every kind of mark as SVG text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import TypeVar

from corral.drawings.drawing import Area, Bars, Cells, Line, Mark, Note, Points, Shape
from corral.drawings.layout import SCALE, SIZE
from corral.drawings.shades import find_step, scale_steps
from corral.drawings.style import LIGHT_SHADES, shade_name, text_name, text_on
from corral.drawings.svg_parts import Place, fill, number, stroke, text, tip_of
from corral.drawings.ticks import write_number
from corral.drawings.words import text_width

T = TypeVar("T")

RADIUS = 4.5
LARGEST = 7.0
"""Radius of the largest of points that have sizes."""
WRITTEN = 30.0
"""Side of a cell from which its value is written in it."""


@singledispatch
def draw_mark(mark: Mark, place: Place) -> Iterator[str]:
    """Elements of one mark."""
    raise TypeError(f"{type(mark).__name__} is no mark for {place!r}.")


@draw_mark.register
def _bars(mark: Bars, place: Place) -> Iterator[str]:
    layout = place.layout
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
def _points(mark: Points, place: Place) -> Iterator[str]:
    layout = place.layout
    seen = [
        at
        for at, (x, y) in enumerate(zip(mark.x, mark.y, strict=True))
        if math.isfinite(x) and math.isfinite(y)
    ]
    yield from _intervals(mark, place, seen)
    yield f'<g{fill(mark.tone)}><g stroke-width="1"{stroke("paper")}>'
    places = {at: (layout.x(mark.x[at]), layout.y(mark.y[at])) for at in seen}
    for at, (x, y) in places.items():
        radius = _radius(mark, at)
        place.take(x, y, radius)
        tip = tip_of(_get(mark.tips, at, ""))
        yield f'<path d="{_outline(mark.shape, x, y, radius)}">{tip}</path>'
    yield f"</g></g><g{fill('ink')}>"
    for at, (x, y) in places.items():
        if words := _get(mark.labels, at, ""):
            at_x, at_y, anchor = place.find(words, x, y)
            yield text(words, at_x, at_y, f'text-anchor="{anchor}"')
    yield "</g>"


def _intervals(mark: Points, place: Place, seen: list[int]) -> Iterator[str]:
    layout, lines = place.layout, []
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
def _line(mark: Line, place: Place) -> Iterator[str]:
    dashes = ' stroke-dasharray="5 4"' if mark.dashed else ""
    width = "1.5" if mark.dashed else "2"
    yield (
        f'<path d="{_path(mark.x, mark.y, place)}" fill="none" stroke-width="{width}"'
        f"{dashes}{stroke(mark.tone)}>{tip_of(mark.tip)}</path>"
    )


@draw_mark.register
def _area(mark: Area, place: Place) -> Iterator[str]:
    path, tip = _path(mark.x, mark.y, place), tip_of(mark.tip)
    opacity = f'fill-opacity="{mark.opacity:.2g}"'
    yield f'<path d="{path}z" {opacity}{fill(mark.tone)}>{tip}</path>'
    yield f'<path d="{path}z" fill="none" stroke-width="1.5"{stroke(mark.tone)}/>'


@draw_mark.register
def _cells(mark: Cells, place: Place) -> Iterator[str]:
    layout = place.layout
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


@draw_mark.register
def _note(mark: Note, place: Place) -> Iterator[str]:
    x, y = place.layout.x(mark.x), place.layout.y(mark.y)
    at_x, at_y, anchor = place.find(mark.text, x, y)
    yield text(mark.text, at_x, at_y, f'text-anchor="{anchor}"{fill("soft")}')


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
    opacity = f' fill-opacity="{mark.opacity:.2g}"' if isinstance(mark, Area) else ""
    tone = mark.tone if isinstance(mark, Bars | Area) else "grey"
    box = f'x="{number(x + 2)}" y="{number(y - 6)}" width="12" height="12"'
    return f"<rect {box}{opacity}{fill(tone)}/>"


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


def _path(x: Sequence[float], y: Sequence[float], place: Place) -> str:
    layout = place.layout
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
