"""A drawing on the axes of matplotlib, which is loaded when a figure is made."""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any

import numpy as np

from corral.drawings.drawing import Area, Bars, Cells, Drawing, Line, Mark, Note, Points
from corral.drawings.layout import lay_out
from corral.drawings.shades import find_step, scale_steps
from corral.drawings.style import LIGHT, LIGHT_SHADES, text_on
from corral.drawings.ticks import find_ticks
from corral.errors import ParameterError
from corral.text_table import printable, shorten

INCH = 100
"""Pixels of an SVG drawing that are an inch of a figure."""
MARKERS = {"circle": "o", "diamond": "D", "square": "s", "triangle": "^", "cross": "X"}
AREA, LARGEST = 34.0, 90.0
"""Of points, in square points of print."""
LONGEST = 32
"""Letters of a name on an axis."""
WRITTEN = 12
"""Columns up to which the cells of a matrix have numbers."""
LETTERS = 62
"""Of the names in a line of the legend; half as many above a square."""


def draw_on_axes(drawing: Drawing, ax: Any = None) -> Any:
    """Draw with matplotlib.

    Parameters
    ----------
    drawing : Drawing
    ax : matplotlib axes, optional
        Default: those of a new figure that is as large as the drawing needs.

    Returns
    -------
    matplotlib axes
    """
    ax = _new_axes(drawing) if ax is None else ax
    ax.set_axisbelow(True)
    if not any(isinstance(mark, Cells) for mark in drawing.marks):
        ax.grid(color=LIGHT["rule"], linewidth=0.8)
    for mark in drawing.marks:
        _draw(mark, ax)
    _set_axis(ax.xaxis, ax.set_xlim, drawing, "x")
    _set_axis(ax.yaxis, ax.set_ylim, drawing, "y")
    below = [*filter(None, (drawing.x.label,)), *drawing.notes]
    ax.set_xlabel("\n".join(map(_plain, below)))
    ax.set_ylabel(_plain(drawing.y.label))
    if drawing.equal:
        ax.set_aspect("equal")
    ax.spines[:].set_visible(False)
    rows = _add_legend(drawing, ax)
    ax.set_title(_plain(drawing.title), loc="left", pad=8 + 17 * rows, size="large")
    return ax


def _new_axes(drawing: Drawing) -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ParameterError(
            "plots need matplotlib: pip install 'corral[plots]'."
        ) from error
    layout = lay_out(drawing, 6.4 * INCH)
    width, height = layout.width / INCH, layout.height / INCH
    if any(isinstance(mark, Cells) for mark in drawing.marks):
        width, height = max(width, 5.5) + 1, max(height, 4.0)  # its scale is beside it
    size = max(width, 5.0), max(height, 1.8)
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def _plain(text: str) -> str:
    """A text of others: nothing in it is a formula, and nothing is invisible."""
    return printable(text).replace("$", r"\$")


def _set_axis(axis: Any, set_limits: Any, drawing: Drawing, which: str) -> None:
    described = getattr(drawing, which)
    if described.log:
        getattr(axis.axes, f"set_{which}scale")("log")
    low, high = described.range
    set_limits(*((high, low) if which == "y" and described.categories else (low, high)))
    ticks = find_ticks(described)
    texts = [_plain(shorten(text, LONGEST)) for _, text in ticks]
    axis.set_ticks([value for value, _ in ticks], texts)
    axis.set_tick_params(length=0, which="both")
    if len(ticks) > 20:
        axis.set_tick_params(labelsize=7)
    if which == "x" and described.categories:
        axis.set_tick_params(rotation=90)


def _add_legend(drawing: Drawing, ax: Any) -> int:
    """Name the marks above the plot; how many lines that takes."""
    names = ax.get_legend_handles_labels()[1]
    if not names:
        return 0
    letters = LETTERS // 2 if drawing.equal else LETTERS
    columns = max(1, letters // (max(map(len, names)) + 4))
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(-0.01, 1.0),
        ncols=columns,
        frameon=False,
        borderaxespad=0.2,
        handletextpad=0.4,
        columnspacing=1.2,
    )
    return math.ceil(len(names) / columns)


def _named(name: str) -> dict[str, str]:
    # A label that begins with an underscore is none to matplotlib.
    return {"label": _plain(name).removeprefix("_")} if name else {}


@singledispatch
def _draw(mark: Mark, ax: Any) -> None:
    raise TypeError(f"{type(mark).__name__} is no mark for {ax!r}.")


@_draw.register
def _bars(mark: Bars, ax: Any) -> None:
    x0, x1, y0, y1 = (np.array(e) for e in (mark.x0, mark.x1, mark.y0, mark.y1))
    colour = LIGHT[mark.tone]
    ax.bar(
        x0, y1 - y0, x1 - x0, bottom=y0, align="edge", color=colour, **_named(mark.name)
    )
    for words, x, y in zip(
        mark.labels, np.maximum(x0, x1), (y0 + y1) / 2, strict=False
    ):
        if words and math.isfinite(x):
            place = {"xytext": (3, 0), "textcoords": "offset points", "va": "center"}
            ax.annotate(_plain(words), (x, y), size="small", **place)


@_draw.register
def _points(mark: Points, ax: Any) -> None:
    colour = LIGHT[mark.tone]
    if mark.low:
        lines, at = (ax.hlines, mark.y) if mark.along == "x" else (ax.vlines, mark.x)
        lines(at, mark.low, mark.high, color=colour, alpha=0.55, linewidth=1.6)
    area: Any = AREA
    if mark.sizes:
        area = [10 + (LARGEST - 10) * size for size in mark.sizes]
    ax.scatter(
        mark.x, mark.y, area, color=colour, marker=MARKERS[mark.shape], zorder=3,
        edgecolors="white", linewidths=0.7, **_named(mark.name),
    )  # fmt: skip
    for words, x, y in zip(mark.labels, mark.x, mark.y, strict=False):
        if words and math.isfinite(x) and math.isfinite(y):
            _write_beside(ax, words, x, y)


@_draw.register
def _line(mark: Line, ax: Any) -> None:
    ax.plot(
        mark.x, mark.y, color=LIGHT[mark.tone], linestyle="--" if mark.dashed else "-",
        linewidth=1.2 if mark.dashed else 1.8, **_named(mark.name),
    )  # fmt: skip


@_draw.register
def _area(mark: Area, ax: Any) -> None:
    colour = LIGHT[mark.tone]
    ax.fill(
        mark.x,
        mark.y,
        facecolor=(colour, mark.opacity),
        edgecolor=colour,
        **_named(mark.name),
    )


@_draw.register
def _cells(mark: Cells, ax: Any) -> None:
    from matplotlib.colors import BoundaryNorm, ListedColormap

    columns = max(map(len, mark.values))
    table = np.full((len(mark.values), columns), np.nan)
    for row, values in enumerate(mark.values):
        table[row, : len(values)] = values
    known = np.argwhere(np.isfinite(table)).tolist()
    steps = np.full(table.shape, np.nan)
    for row, column in known:
        steps[row, column] = find_step(mark, table[row, column])
    shades = scale_steps(mark)
    colours = ListedColormap([LIGHT_SHADES[step] for step in shades])
    norm = BoundaryNorm(np.arange(shades[0], shades[-1] + 2) - 0.5, len(shades))
    image = ax.imshow(steps, cmap=colours, norm=norm, aspect="equal")
    low, high = mark.limits
    middle = [0] if low < 0 else []
    bar = ax.figure.colorbar(
        image, ax=ax, ticks=[shades[0], *middle, shades[-1]], shrink=0.6, aspect=14
    )
    bar.ax.set_yticklabels([f"{value:g}" for value in (low, *middle, high)])
    bar.ax.tick_params(length=0)
    bar.outline.set_visible(False)
    bar.set_label(_plain(mark.name))
    if columns > WRITTEN:
        return
    for row, column in known:
        words, shade = (
            f"{table[row, column]:.2f}",
            LIGHT_SHADES[int(steps[row, column])],
        )
        middle_of = {"ha": "center", "va": "center", "size": "x-small"}
        ax.text(column, row, words, color=text_on(shade), **middle_of)


@_draw.register
def _note(mark: Note, ax: Any) -> None:
    _write_beside(ax, mark.text, mark.x, mark.y)


def _write_beside(ax: Any, words: str, x: float, y: float) -> None:
    place = {"xytext": (7, 3), "textcoords": "offset points"}
    ax.annotate(_plain(words), (x, y), size="small", **place)
