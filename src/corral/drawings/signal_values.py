"""What every signal adds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from corral.drawings.choice import order_signals, read_column, round_up, take
from corral.drawings.drawing import Axis, Bars, Drawing, Mark, Points


def draw_signal_values(
    names: Sequence[str], worth: ArrayLike, *, flips: ArrayLike | None = None
) -> Drawing:
    """Draw what is lost without every signal, the most useful on top.

    Parameters
    ----------
    names : m strings
    worth : (m,) array of float
        Accuracy that is lost without the signal.
    flips : (m,) array of float, optional
        Examples that have another label without it.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from corral.drawings import draw_signal_values
    >>> draw_signal_values(["a", "b"], [0.01, 0.2]).marks[0].labels
    ('20.0%', '1.0%')
    """
    m = len(names)
    values = read_column("worth", worth, m)
    order, notes = order_signals(values)
    rows = np.arange(len(order))
    shown = take(values, order)
    marks: list[Mark] = [
        Bars(
            (0.0,) * len(order),
            shown,
            tuple((rows - 0.32).tolist()),
            tuple((rows + 0.32).tolist()),
            tuple(
                f"{names[i]}: {values[i]:.2%} of the accuracy would be lost"
                for i in order
            ),
            name="" if flips is None else "accuracy lost",
            labels=tuple(f"{value:.1%}" for value in shown) if flips is None else (),
        )
    ]
    ends = [float(np.nanmax(values, initial=0))]
    if flips is not None:
        changed = read_column("flips", flips, m)
        ends.append(float(np.nanmax(changed, initial=0)))
        marks.append(
            Points(
                take(changed, order),
                tuple(map(float, rows)),
                tuple(
                    f"{names[i]}: {changed[i]:.2%} of labels would change"
                    for i in order
                ),
                tone="orange",
                shape="diamond",
                name="labels that change",
            )
        )
    low = min(0.0, float(np.nanmin(values, initial=0)))
    return Drawing(
        "What every signal adds",
        f"Accuracy that is lost without each of {m} signals. {names[order[0]]} adds most, "
        f"{values[order[0]]:.1%}.",
        Axis(
            "lost without the signal",
            (-round_up(-low, 0.01) if low < 0 else 0.0, round_up(max(ends), 0.01)),
            percent=True,
        ),
        Axis(categories=tuple(names[i] for i in order)),
        tuple(marks),
        notes,
    )
