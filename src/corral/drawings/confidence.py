"""How sure the labels are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from corral.drawings.choice import round_up
from corral.drawings.drawing import Axis, Bars, Drawing
from corral.errors import ParameterError

BINS = 20


def draw_confidence(
    confidence: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    n_classes: int = 2,
    right: ArrayLike | None = None,
) -> Drawing:
    """Draw how many examples have labels of which confidence.

    Parameters
    ----------
    confidence : (n,) array of float
        Probability of the likeliest class, per example or pattern.
    weights : (n,) array of float, optional
        How many examples each stands for.
    n_classes : int
        No label is less sure than one over this.
    right : (n,) array of bool or float, optional
        Whether the label is right, as far as that is known (NaN where not): adds the part
        of every bar that is wrong.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from corral.drawings import draw_confidence
    >>> draw_confidence([0.6, 0.9, 0.9, 1.0]).marks[0].tips[-1]
    '97.5% to 100.0% sure: 1 examples, 25.0%'
    """
    sure = np.asarray(confidence, float)
    each = np.ones(len(sure)) if weights is None else np.asarray(weights, float)
    if sure.ndim != 1 or not len(sure) or sure.shape != each.shape:
        raise ParameterError(
            "confidence and weights must have one number per example; arrays of shape "
            f"{sure.shape} and {each.shape} came."
        )
    edges = np.linspace(1 / n_classes, 1, BINS + 1)
    # Rounding may put a confidence a little outside of what is possible.
    bins = np.clip(np.searchsorted(edges, sure, side="right") - 1, 0, BINS - 1)
    counts = np.bincount(bins, each, BINS)
    shares = counts / counts.sum()
    tips = tuple(
        f"{edges[at]:.1%} to {edges[at + 1]:.1%} sure: {counts[at]:,.0f} examples, "
        f"{shares[at]:.1%}"
        for at in range(BINS)
    )
    known = right is not None
    marks = [_bars(edges, shares, tips, "examples" if known else "")]
    if right is not None:
        wrong = 1 - np.asarray(right, float)
        missed = np.bincount(bins, each * np.nan_to_num(wrong), BINS)
        said = tuple(
            f"{tip}, {miss:,.0f} known to be wrong"
            for tip, miss in zip(tips, missed, strict=True)
        )
        part = missed / counts.sum()
        marks.append(_bars(edges, part, said, "known to be wrong", orange=True))
    mean = float(sure @ each / each.sum())
    least = float(each[sure < 0.75].sum() / each.sum())
    return Drawing(
        "How sure the labels are",
        f"Confidence of {each.sum():,.0f} labels: {mean:.0%} on average, {least:.0%} of "
        "them below 75%.",
        Axis("confidence", (float(edges[0]), 1.0), percent=True),
        Axis("share of examples", (0.0, round_up(float(shares.max()))), percent=True),
        tuple(marks),
    )


def _bars(
    edges: np.ndarray,
    shares: np.ndarray,
    tips: tuple[str, ...],
    name: str,
    *,
    orange: bool = False,
) -> Bars:
    seen = np.flatnonzero(shares > 0)
    gap = 0.04 * (edges[1] - edges[0])
    return Bars(
        tuple((edges[seen] + gap).tolist()),
        tuple((edges[seen + 1] - gap).tolist()),
        (0.0,) * len(seen),
        tuple(shares[seen].tolist()),
        tuple(tips[at] for at in seen),
        tone="orange" if orange else "blue",
        name=name,
    )
