"""Charts in their own units; `dots`, `matrix` and `histogram` make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral.results.text import shorten

Tone = Literal["blue", "orange", "green", "pink", "grey"]
"""A colour by name; the stylesheet knows what it is on light and on dark."""
Shape = Literal["circle", "diamond", "square", "triangle"]
Numbers = NDArray[np.floating[Any]] | Sequence[float]
Texts = Sequence[str]

MAX_NAMES, MAX_NAME_LENGTH = 40, 60
"""Names that fit a chart, and characters of a name."""
TONES: tuple[tuple[Tone, Shape], ...] = (
    ("blue", "circle"),
    ("orange", "diamond"),
    ("green", "square"),
    ("pink", "triangle"),
)
"""Colour and shape of series, in their order."""


@dataclass(frozen=True)
class Axis:
    """One direction of a chart: numbers between `limits`, or names at 0, 1, 2 and so on.

    The first of `categories` is at the left or at the top; `percent` writes 0.25 as 25%.
    """

    label: str = ""
    limits: tuple[float, float] = (0.0, 1.0)
    categories: Texts = ()
    percent: bool = False

    @property
    def range(self) -> tuple[float, float]:
        """Where the axis begins and ends, with half a step around categories."""
        return (-0.5, len(self.categories) - 0.5) if self.categories else self.limits


@dataclass(frozen=True, eq=False)
class Bars:
    """Rectangles that stand on zero; `tips` are shown where one points."""

    left: Numbers
    right: Numbers
    heights: Numbers
    tips: Texts


@dataclass(frozen=True, eq=False)
class Points:
    """Points, with intervals from `low` to `high` along an axis; NaN is left out."""

    x: Numbers
    y: Numbers
    tips: Texts
    low: Numbers
    high: Numbers
    tone: Tone = "blue"
    name: str = ""
    shape: Shape = "circle"
    along: Literal["x", "y"] = "x"


@dataclass(frozen=True, eq=False)
class Line:
    """A dashed line through points, to compare with."""

    x: Numbers
    y: Numbers
    tip: str = ""


@dataclass(frozen=True, eq=False)
class Cells:
    """A matrix of shades from -1 to 1, one row per category of y; NaN is left out."""

    values: Sequence[Numbers]
    tips: Sequence[Texts]
    name: str


Mark = Bars | Points | Line | Cells


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart, part of a result; later marks lie above earlier ones.

    `description` is for readers who cannot see it, `notes` are sentences below it.
    """

    title: str
    description: str
    x: Axis
    y: Axis
    marks: Sequence[Mark]
    notes: Texts = ()
    square: bool = False


def dots(
    title: str,
    description: str,
    names: Sequence[str],
    series: Mapping[str, ArrayLike | None],
    *,
    intervals: Mapping[str, ArrayLike | None] | None = None,
    label: str = "",
    percent: bool = True,
    middle: float | None = None,
    sort: bool = True,
) -> Chart:
    """Points per name, one colour and shape per series, with intervals.

    `series` and `intervals` ((n, 2), by the names of series) have NaN where nothing is
    known; a series that is None is left out. The largest of the first series are on top,
    unless not to `sort`. If `percent` the numbers are shares; a dashed line is at `middle`.

    Examples
    --------
    >>> from corral.results import dots
    >>> chart = dots("Errors", "", ["free", "win"], {"expected": [0.1, 0.3]})
    >>> chart.y.categories, chart.marks[0].tips[0]
    (['win', 'free'], 'win, expected: 30.0%')
    """
    names = [shorten(str(name), MAX_NAME_LENGTH) for name in names]
    columns = {
        name: np.asarray(values, float)
        for name, values in series.items()
        if values is not None
    }
    order = np.arange(len(names))
    if sort:
        first = next(iter(columns.values()))
        order = np.argsort(-np.nan_to_num(first, nan=-np.inf), kind="stable")
    left_out = len(order) - MAX_NAMES
    notes = (f"{left_out:,} more are not shown.",) if left_out > 0 else ()
    order = order[:MAX_NAMES]
    write = "{:.1%}".format if percent else "{:.2f}".format
    marks: list[Mark] = []
    ends = [0.0, 0.01] if percent else []
    for at, (name, values) in enumerate(columns.items()):
        tone, shape = TONES[at % len(TONES)]
        interval = np.full((len(names), 2), np.nan)
        if intervals and intervals.get(name) is not None:
            interval = np.asarray(intervals[name], float)
        low, high = interval.T
        tips = [
            f"{names[i]}, {name}: {write(values[i])}"
            + ("" if np.isnan(low[i]) else f" ({write(low[i])} to {write(high[i])})")
            for i in order
        ]
        offset = 0.2 * (at - (len(columns) - 1) / 2)
        shown_name = name if len(columns) > 1 else ""
        x, y = values[order], np.arange(len(order)) + offset
        marks.append(
            Points(x, y, tips, low[order], high[order], tone, shown_name, shape)
        )
        shown = np.concatenate([values[order], low[order], high[order]])
        ends += shown[np.isfinite(shown)].tolist()
    limits = (min(0.0, -_round_up(-min(ends))), _round_up(max(ends)))
    if not percent:
        room = 0.04 * (max(ends) - min(ends)) or 1.0
        limits = (min(ends) - room, max(ends) + room)
    if middle is not None:
        rows = (-0.5, len(order) - 0.5)
        marks.insert(0, Line((middle, middle), rows))
    axes = (
        Axis(label, limits, percent=percent),
        Axis(categories=[names[i] for i in order]),
    )
    return Chart(title, description, *axes, marks, notes)


def matrix(
    title: str,
    names: Sequence[str],
    values: ArrayLike,
    counts: ArrayLike,
    *,
    measure: str,
    unit: str = "examples",
) -> Chart:
    """Every pair of names once, below the diagonal; names with most counts come first.

    `values` and `counts` (m, m) are symmetric, NaN where unknown; `measure` and `unit` say
    what they are.
    """
    table, shared = np.asarray(values, float), np.asarray(counts, float)
    shown = np.argsort(-shared.sum(axis=1), kind="stable")[:MAX_NAMES].tolist()
    short = [shorten(str(name), 24) for name in names]
    pairs = [[(b, a) for b in shown[:at]] for at, a in enumerate(shown) if at]
    cells = [[float(table[pair]) for pair in row] for row in pairs]
    tips = [
        [
            f"{short[a]}, {short[b]}: {table[a, b]:.2f} on {shared[a, b]:,.0f} {unit}"
            for a, b in row
        ]
        for row in pairs
    ]
    both = zip(chain(*cells), chain(*tips), strict=True)
    known = [pair for pair in both if np.isfinite(pair[0])]
    said = f" Most: {max(known)[1]}. Least: {min(known)[1]}." if known else ""
    left_out = len(names) - len(shown)
    return Chart(
        title,
        f"{measure} of every pair of {len(shown)}.{said}",
        Axis(categories=[short[i] for i in shown[:-1]]),
        Axis(categories=[short[i] for i in shown[1:]]),
        (Cells(cells, tips, measure),),
        (f"{left_out:,} more, with fewer {unit}, are not shown.",) if left_out else (),
    )


def histogram(
    title: str,
    description: str,
    edges: ArrayLike,
    counts: ArrayLike,
    *,
    label: str = "",
) -> Chart:
    """Shares of examples (b,) by bin; `edges` (b + 1,) are where the bins begin and end."""
    ends, each = np.asarray(edges, float), np.asarray(counts, float)
    share = each / (each.sum() or 1.0)
    seen = np.flatnonzero(each > 0)
    gap = 0.04 * (ends[1] - ends[0])
    tips = [
        f"{ends[i]:.1%} to {ends[i + 1]:.1%}: {each[i]:,.0f} examples ({share[i]:.1%})"
        for i in seen
    ]
    mark = Bars(ends[seen] + gap, ends[seen + 1] - gap, share[seen], tips)
    x = Axis(label, (float(ends[0]), float(ends[-1])), percent=True)
    top = _round_up(share.max(initial=0.01))
    y = Axis("share of examples", (0.0, top), percent=True)
    return Chart(title, description, x, y, (mark,))


def _round_up(value: float) -> float:
    """A round end of an axis of shares that has room for the value."""
    ends = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
    return next((end for end in ends if end >= value - 1e-12), float(np.ceil(value)))
