"""A drawing as SVG text: self-contained, escaped, without scripts or inline styles."""

from __future__ import annotations

from collections.abc import Iterator

from corral.drawings.drawing import Cells, Drawing
from corral.drawings.layout import LINE, SIZE, TITLE, Layout, Tick, lay_out
from corral.drawings.style import STYLESHEET
from corral.drawings.svg_marks import draw_mark, draw_swatch
from corral.drawings.svg_parts import Place, fill, number, stroke, text
from corral.drawings.words import clean

FONT = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, sans-serif"


def to_svg(
    drawing: Drawing,
    *,
    width: float = 640,
    title: bool = True,
    standalone: bool = False,
) -> str:
    """Draw as SVG, for a page or a file.

    The text needs nothing else and holds no script and no ``style``: classes that begin
    with ``cd``, for the rules of `STYLESHEET`, and colours for light paper where a page has
    no such rules. What belongs to others, names of signals for example, is escaped.

    Parameters
    ----------
    drawing : Drawing
    width : float
        In pixels. Charts of many columns are wider, square ones may be narrower.
    title : bool
        Write the title above the chart. Readers of a page that has it as a heading do not
        need it twice; it is the name of the picture for screen readers anyway.
    standalone : bool
        For a file of its own: with paper, and with `STYLESHEET` inside.

    Returns
    -------
    str

    Examples
    --------
    >>> from corral.drawings import Axis, Drawing, Points, to_svg
    >>> points = Points((0.1, 0.4), (0, 1), tips=("free: 10%", "win: 40%"))
    >>> drawing = Drawing(
    ...     "Errors", "win errs most.", Axis("error", percent=True),
    ...     Axis(categories=("free", "win")), (points,),
    ... )
    >>> to_svg(drawing).split(" viewBox")[0]
    '<svg xmlns="http://www.w3.org/2000/svg" class="cd" role="img" aria-label="Errors"'
    """
    layout = lay_out(drawing, width, title=title)
    return "".join(_parts(drawing, layout, standalone))


def _parts(drawing: Drawing, layout: Layout, standalone: bool) -> Iterator[str]:
    edge = 12.0 if standalone else 1.0  # around paper of its own; lines have a width
    size = layout.width + 2 * edge, layout.height + 2 * edge
    wide, high = map(number, size)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="cd" role="img" '
        f'aria-label="{clean(drawing.title)}" viewBox="{number(-edge)} {number(-edge)} '
        f'{wide} {high}" width="{wide}" height="{high}" font-family="{FONT}" '
        f'font-size="{number(SIZE)}"><title>{clean(drawing.title)}</title>'
        f"<desc>{clean(drawing.description)}</desc>"
    )
    if standalone:
        yield f"<style>{STYLESHEET}</style>"
        yield (
            f'<rect x="{number(-edge)}" y="{number(-edge)}" width="{wide}" '
            f'height="{high}"{fill("paper")}/>'
        )
    place = Place(layout)
    for at, line in enumerate(layout.title):
        y = TITLE * (1 + LINE * at)
        bold = f'font-size="{number(TITLE)}" font-weight="600"'
        yield text(line, 0, y, f"{bold}{fill('ink')}")
    for mark, name, x, y in layout.legend:
        yield draw_swatch(mark, x, y)
        if not isinstance(mark, Cells):
            yield text(name, x + 20, y + 4, fill("ink"))
    yield from _axes(drawing, layout)
    for mark in drawing.marks:
        yield from draw_mark(mark, place)
    end = layout.height - len(layout.notes) * SIZE * LINE
    for at, line in enumerate(layout.notes):
        yield text(line, 0, end + at * SIZE * LINE + 4, fill("soft"))
    yield "</svg>"


def _axes(drawing: Drawing, layout: Layout) -> Iterator[str]:
    has_cells = any(isinstance(mark, Cells) for mark in drawing.marks)
    left, right, top, bottom = (
        number(at) for at in (layout.left, layout.right, layout.top, layout.bottom)
    )
    lines = []
    if not has_cells:
        if not drawing.x.categories:
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
    if drawing.y.label:
        yield text(drawing.y.label, 0, layout.top - 12)
    if drawing.x.label:
        middle = (layout.left + layout.right) / 2
        y = layout.bottom + layout.x_label + SIZE * 0.8
        yield text(drawing.x.label, middle, y, 'text-anchor="middle"')
    yield "</g>"


def _tick(tick: Tick, x: float, y: float, attributes: str) -> str:
    tip = "" if tick.shown == tick.text else tick.text
    return text(tick.shown, x, y, attributes, tip=tip)


def _size(size: float) -> str:
    return "" if size == SIZE else f' font-size="{number(size)}"'
