"""How many examples every class has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral.drawings.choice import order_signals, read_column, round_up, take
from corral.drawings.drawing import Axis, Bars, Drawing, Mark, Points, Shape, Tone

SERIES: dict[str, tuple[str, Tone, Shape]] = {
    "votes": ("votes", "orange", "diamond"),
    "majority": ("majority vote", "orange", "diamond"),
    "true": ("true labels", "green", "square"),
}
"""What is drawn beside the labels: its name, colour and shape."""


def draw_class_shares(
    classes: Sequence[Any],
    labels: ArrayLike,
    *,
    votes: ArrayLike | None = None,
    majority: ArrayLike | None = None,
    true: ArrayLike | None = None,
) -> Drawing:
    """Draw the shares of classes among labels and others, the largest on top.

    Parameters
    ----------
    classes : k values
    labels : (k,) array of float
        Shares among the labels.
    votes, majority, true : (k,) arrays of float, optional
        Shares among the votes, the answers of a majority vote, and true labels.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from corral.drawings import draw_class_shares
    >>> draw_class_shares(["ham", "spam"], [0.8, 0.2]).marks[0].labels
    ('80.0%', '20.0%')
    """
    names = [str(value) for value in classes]
    shares = read_column("labels", labels, len(names))
    order, notes = order_signals(shares)
    rows = np.arange(len(order))
    others = {"votes": votes, "majority": majority, "true": true}
    alone = all(given is None for given in others.values())
    marks: list[Mark] = [
        Bars(
            (0.0,) * len(order),
            take(shares, order),
            tuple((rows - 0.32).tolist()),
            tuple((rows + 0.32).tolist()),
            tuple(f"{names[i]}: {shares[i]:.1%} of the labels" for i in order),
            name="" if alone else "labels",
            # Points may lie where a text would end a bar.
            labels=tuple(f"{shares[i]:.1%}" for i in order) if alone else (),
        )
    ]
    ends = [shares.max()]
    for kind, given in others.items():
        if given is None:
            continue
        column = read_column(kind, given, len(names))
        ends.append(np.nanmax(column, initial=0))
        name, tone, shape = SERIES[kind]
        of = f"{'a' if kind == 'majority' else 'the'} {name}"
        marks.append(
            Points(
                take(column, order),
                tuple(map(float, rows)),
                tuple(f"{names[i]}: {column[i]:.1%} of {of}" for i in order),
                tone=tone,
                shape=shape,
                name=name,
            )
        )
    return Drawing(
        "Classes",
        f"Shares of {len(names)} classes. The largest among the labels is "
        f"{names[order[0]]} with {shares[order[0]]:.0%}, the smallest "
        f"{names[int(shares.argmin())]} with {shares.min():.0%}.",
        Axis("share of examples", (0.0, round_up(float(max(ends)))), percent=True),
        Axis(categories=tuple(names[i] for i in order)),
        tuple(marks),
        notes,
    )
