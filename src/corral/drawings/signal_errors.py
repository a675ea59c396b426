"""How often every signal errs: expected, implied by the labels, and true."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.drawings.choice import order_signals, read_column, round_up, take
from corral.drawings.drawing import Axis, Drawing, Points, Shape, Tone
from corral.errors import ParameterError

KINDS: dict[str, tuple[Tone, Shape]] = {
    "expected": ("blue", "circle"),
    "implied by the labels": ("orange", "diamond"),
    "true": ("green", "square"),
}


def draw_signal_errors(
    names: Sequence[str],
    *,
    expected: ArrayLike | None = None,
    implied: ArrayLike | None = None,
    true: ArrayLike | None = None,
    expected_interval: ArrayLike | None = None,
    true_interval: ArrayLike | None = None,
) -> Drawing:
    """Draw the error rates of signals, the worst on top.

    Parameters
    ----------
    names : m strings
    expected, implied, true : (m,) arrays of float, optional
        Error rates that the labeler expects, those under its labels, and those by true
        labels. NaN is not drawn.
    expected_interval, true_interval : (m, 2) arrays of float, optional
        Where they may be.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from corral.drawings import draw_signal_errors
    >>> drawing = draw_signal_errors(["free", "win"], expected=[0.1, 0.3])
    >>> drawing.y.categories
    ('win', 'free')
    """
    given = {"expected": expected, "implied by the labels": implied, "true": true}
    intervals = {"expected": expected_interval, "true": true_interval}
    m = len(names)
    columns = {
        kind: read_column(kind.split()[0], values, m)
        for kind, values in given.items()
        if values is not None
    }
    if not columns:
        raise ParameterError("give expected, implied or true error rates.")
    order, notes = order_signals(next(iter(columns.values())))
    marks, ends = [], [0.0]
    for at, (kind, rates) in enumerate(columns.items()):
        low, high = _read_interval(kind, intervals.get(kind), m)
        ends += [np.nanmax(column, initial=0) for column in (rates, high)]
        tone, shape = KINDS[kind]
        offset = 0.2 * (at - (len(columns) - 1) / 2)
        marks.append(
            Points(
                take(rates, order),
                tuple(row + offset for row in range(len(order))),
                tuple(_tip(names[i], kind, rates[i], low[i], high[i]) for i in order),
                tone=tone,
                shape=shape,
                name=kind,
                low=take(low, order),
                high=take(high, order),
            )
        )
    first = next(iter(columns))
    worst = order[0]
    return Drawing(
        "How often signals err",
        f"Error rates of {m} signals, {', '.join(columns)}. The highest {first} one is "
        f"that of {names[worst]}, {columns[first][worst]:.0%}.",
        Axis("error rate", (0.0, round_up(max(ends))), percent=True),
        Axis(categories=tuple(names[i] for i in order)),
        tuple(marks),
        notes,
    )


def _read_interval(
    kind: str, interval: ArrayLike | None, m: int
) -> tuple[FloatArray, FloatArray]:
    if interval is None:
        return np.full(m, np.nan), np.full(m, np.nan)
    ends = np.asarray(interval, float)
    if ends.shape != (m, 2):
        raise ParameterError(
            f"must be an array of shape ({m}, 2), two ends per name; one of shape "
            f"{ends.shape} came.",
            parameter=f"{kind}_interval",
        )
    return ends[:, 0], ends[:, 1]


def _tip(name: str, kind: str, rate: float, low: float, high: float) -> str:
    around = "" if np.isnan(low) else f" ({low:.1%} to {high:.1%})"
    return f"{name}, {kind}: {rate:.1%}{around}"
