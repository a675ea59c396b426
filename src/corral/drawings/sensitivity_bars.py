"""How many labels depend on every error rate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from corral.drawings.choice import order_signals, read_column, round_up, take
from corral.drawings.drawing import Axis, Bars, Drawing, Tone


def draw_sensitivity(
    names: Sequence[str],
    lower: ArrayLike,
    higher: ArrayLike,
    *,
    all_lower: float,
    all_higher: float,
    change: float,
) -> Drawing:
    """Draw how many labels change if a rate is off; all rates first, then the worst.

    Parameters
    ----------
    names : r strings
        One per rate.
    lower, higher : (r,) arrays of float
        Share of the labels that change if the rate is lower, or higher.
    all_lower, all_higher : float
        The same if all rates are.
    change : float
        How far rates were moved.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from corral.drawings import draw_sensitivity
    >>> drawing = draw_sensitivity(
    ...     ["a", "b"], [0.01, 0.02], [0.0, 0.05],
    ...     all_lower=0.02, all_higher=0.06, change=0.05,
    ... )
    >>> drawing.y.categories
    ('all', 'b', 'a')
    """
    r = len(names)
    both = [read_column("lower", lower, r), read_column("higher", higher, r)]
    order, notes = order_signals(np.maximum(*both))
    shown = ("all", *(names[i] for i in order))
    rows = np.arange(len(shown))
    kinds: tuple[tuple[str, Tone, float], ...] = (
        ("lower", "orange", all_lower),
        ("higher", "blue", all_higher),
    )
    bars = []
    for at, (kind, tone, whole) in enumerate(kinds):
        values = (float(whole), *take(both[at], order))
        top = rows - 0.34 + 0.34 * at
        bars.append(
            Bars(
                (0.0,) * len(shown),
                values,
                tuple(top.tolist()),
                tuple((top + 0.34).tolist()),
                tuple(
                    f"{name}, {change:g} {kind}: {value:.1%} of the labels change"
                    for name, value in zip(shown, values, strict=True)
                ),
                tone=tone,
                name=f"rate {change:g} {kind}",
            )
        )
    most = max(all_lower, all_higher, *both[0].tolist(), *both[1].tolist())
    return Drawing(
        "How far labels depend on error rates",
        f"Labels that change if an error rate is off by {change:g}: up to {most:.1%}. "
        f"The rate that matters most is that of {shown[1] if order else 'none'}.",
        Axis("labels that change", (0.0, round_up(most, 0.01)), percent=True),
        Axis(categories=shown),
        tuple(bars),
        notes,
    )
