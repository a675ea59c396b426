"""Shares with intervals: of a panel, of labels alone, of the vote."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.drawings.choice import MOST, read_column, round_up, take
from corral.drawings.drawing import Axis, Drawing, Mark, Points, Shape, Tone

SERIES: dict[str, tuple[Tone, Shape]] = {
    "panel and labels": ("blue", "circle"),
    "labels alone": ("green", "square"),
    "vote, corrected": ("pink", "triangle"),
    "vote": ("orange", "diamond"),
}


def draw_share_intervals(
    names: Sequence[str],
    panel: ArrayLike,
    *,
    panel_interval: ArrayLike,
    labels_alone: ArrayLike | None = None,
    labels_interval: ArrayLike | None = None,
    corrected: ArrayLike | None = None,
    vote: ArrayLike | None = None,
    share_of: str = "rows",
) -> Drawing:
    """Draw shares, by name, each above those that others give.

    Parameters
    ----------
    names : g strings
        Of classes or slices, the first on top.
    panel, labels_alone, corrected, vote : (g,) arrays of float, optional
        Shares by the panel and the labels, by the labels alone, by the vote corrected, and
        by the vote as it is; NaN is not drawn.
    panel_interval, labels_interval : (g, 2) arrays of float
    share_of : str
        What the shares are of, for the axis.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from corral.drawings import draw_share_intervals
    >>> ends = [[0.2, 0.4], [0.1, 0.5]]
    >>> drawing = draw_share_intervals(["all", "new"], [0.3, 0.2], panel_interval=ends)
    >>> drawing.y.categories
    ('all', 'new')
    """
    g = min(len(names), MOST)
    given = dict(zip(SERIES, (panel, labels_alone, corrected, vote), strict=True))
    ends = {"panel and labels": panel_interval, "labels alone": labels_interval}
    columns = {
        name: read_column(name, values, len(names))[:g]
        for name, values in given.items()
        if values is not None
    }
    # A line per share: those of one name stand below each other.
    lines = [
        (i, name)
        for i in range(g)
        for name, shares in columns.items()
        if not np.isnan(shares[i])
    ]
    marks: list[Mark] = []
    largest = [0.0]
    for name, shares in columns.items():
        low, high = _read_ends(ends.get(name), len(names), g)
        rows = [row for row, line in enumerate(lines) if line[1] == name]
        own = [lines[row][0] for row in rows]
        tone, shape = SERIES[name]
        marks.append(
            Points(
                take(shares, own),
                tuple(map(float, rows)),
                tuple(
                    f"{names[i]}, {name}: {shares[i]:.1%}"
                    + ("" if np.isnan(low[i]) else f" ({low[i]:.1%} to {high[i]:.1%})")
                    for i in own
                ),
                tone=tone,
                shape=shape,
                name=name,
                low=take(low, own),
                high=take(high, own),
            )
        )
        largest += [np.nanmax(each, initial=0) for each in (shares, high)]
    first = columns["panel and labels"]
    left_out = len(names) - g
    return Drawing(
        "Shares, with intervals",
        f"Shares of {share_of} for {g} names, by {', '.join(columns)}. By the panel and "
        f"the labels, {names[0]} has {first[0]:.0%}.",
        Axis(
            f"share of {share_of}", (0.0, round_up(float(max(largest)))), percent=True
        ),
        Axis(
            categories=tuple(
                str(names[i]) if row == 0 or lines[row - 1][0] != i else ""
                for row, (i, _) in enumerate(lines)
            )
        ),
        tuple(marks),
        (f"{left_out:,} more are not shown.",) if left_out else (),
    )


def _read_ends(
    interval: ArrayLike | None, n: int, g: int
) -> tuple[FloatArray, FloatArray]:
    """Both ends (g,) of intervals (n, 2); NaN without."""
    if interval is None:
        return np.full(g, np.nan), np.full(g, np.nan)
    ends = np.asarray(interval, float)
    low = read_column("interval", ends[..., 0], n)
    return low[:g], read_column("interval", ends[..., 1], n)[:g]
