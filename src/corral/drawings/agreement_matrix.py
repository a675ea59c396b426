"""How far every two signals agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.drawings.choice import MOST, order_by_likeness
from corral.drawings.drawing import Axis, Cells, Drawing
from corral.errors import ParameterError
from corral.text_table import shorten


def draw_agreement(
    names: Sequence[str],
    values: ArrayLike,
    counts: ArrayLike | None = None,
    *,
    measure: str = "Cohen's kappa",
    limits: tuple[float, float] = (-1.0, 1.0),
    order: Sequence[int] | None = None,
    unit: str = "examples",
) -> Drawing:
    """Draw a matrix of agreement: every pair of signals once, below the diagonal.

    Parameters
    ----------
    names : m strings
    values : (m, m) array of float
        Symmetric; NaN where two signals never vote on the same example.
    counts : (m, m) array of float, optional
        Examples that both vote on.
    measure : str
        What the values are.
    limits : (low, high)
        Strongest disagreement and agreement.
    order : sequence of int, optional
        Which signals to show, and where; default: those that share most examples with
        others, at most 60, so that those that agree stand together.
    unit : str
        What `counts` counts.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from corral.drawings import draw_agreement
    >>> draw_agreement(["a", "b"], [[1, 0.4], [0.4, 1]]).marks[0].tips
    (('a, b: 0.40',),)
    """
    table, m = np.asarray(values, float), len(names)
    shared = None if counts is None else np.asarray(counts, float)
    for name, array in (("values", table), ("counts", shared)):
        if array is not None and array.shape != (m, m):
            raise ParameterError(
                f"must be a matrix of {m} x {m}, one row and column per name; one of "
                f"shape {array.shape} came.",
                parameter=name,
            )
    if m < 2:
        raise ParameterError("an agreement matrix takes two signals or more.")
    shown = _choose(table, shared) if order is None else list(order)
    notes: tuple[str, ...] = ()
    if len(shown) < m:
        notes = (f"{len(shown)} of {m:,} signals, those that share most examples.",)

    # A cell per pair: with long names the words would be most of a file.
    short = [shorten(name, 24) for name in names]

    def tip(a: int, b: int) -> str:
        said = f"{short[a]}, {short[b]}: {table[a, b]:.2f}"
        return said if shared is None else f"{said} on {shared[a, b]:,.0f} {unit}"

    pairs = [[(b, a) for b in shown[:at]] for at, a in enumerate(shown) if at]
    cells = tuple(tuple(float(table[pair]) for pair in row) for row in pairs)
    tips = tuple(tuple(tip(*pair) for pair in row) for row in pairs)
    found = [
        (value, said)
        for row in zip(cells, tips, strict=True)
        for value, said in zip(*row, strict=True)
        if np.isfinite(value)
    ]
    extremes = ""
    if found:
        extremes = f" Most: {max(found)[1]}. Least: {min(found)[1]}."
    title = "Which signals agree" if measure.startswith("Cohen") else measure
    return Drawing(
        title,
        f"{measure} of every pair of {len(shown)} signals.{extremes}",
        Axis(categories=tuple(names[i] for i in shown[:-1])),
        Axis(categories=tuple(names[i] for i in shown[1:])),
        (Cells(cells, tips, limits, measure),),
        notes,
    )


def _choose(table: FloatArray, shared: FloatArray | None) -> list[int]:
    """Signals that share most with others, those that agree side by side."""
    common = np.isfinite(table) if shared is None else shared
    chosen = np.argsort(-common.sum(axis=1), kind="stable")[:MOST]
    order = order_by_likeness(table[np.ix_(chosen, chosen)])
    return [int(i) for i in chosen[order]]
