"""Whether probabilities mean what they say."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from corral.drawings.choice import read_column
from corral.drawings.drawing import Axis, Drawing, Line, Points


def draw_reliability(
    confidence: ArrayLike,
    accuracy: ArrayLike,
    intervals: ArrayLike,
    counts: ArrayLike,
    *,
    calibration_error: float,
    said: str = "confidence",
    seen: str = "accuracy",
) -> Drawing:
    """Draw how often labels are right against how sure they are.

    Parameters
    ----------
    confidence, accuracy, counts : (b,) arrays of float
        Per bin: mean confidence, share that is right, number of examples.
    intervals : (b, 2) array of float
        Where the accuracy may be.
    calibration_error : float
    said, seen : str
        What the axes are called.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from corral.drawings import draw_reliability
    >>> drawing = draw_reliability(
    ...     [0.6, 0.9], [0.7, 0.9], [[0.5, 0.8], [0.8, 1]], [10, 30],
    ...     calibration_error=0.025,
    ... )
    >>> drawing.description
    'Labels that are 82% sure on average are right 85% of the time; the calibration error
     is 0.025.'
    """
    sure = np.asarray(confidence, float)
    b = len(sure)
    right, number = (
        read_column("accuracy", accuracy, b),
        read_column("counts", counts, b),
    )
    ends = np.asarray(intervals, float).reshape(b, 2)
    start = max(0.0, np.floor(10 * min(sure.min() - 0.02, ends.min())) / 10)
    start = min(start, 0.9)
    mean_sure, mean_right = (
        float(values @ number / number.sum()) for values in (sure, right)
    )
    return Drawing(
        "Do probabilities mean what they say?",
        f"Labels that are {mean_sure:.0%} sure on average are right {mean_right:.0%} of "
        f"the time; the calibration error is {calibration_error:.3f}.",
        Axis(said, (start, 1.0), percent=True),
        Axis(seen, (start, 1.0), percent=True),
        (
            Line(
                (start, 1.0),
                (start, 1.0),
                "exactly right",
                "grey",
                "exactly right",
                True,
            ),
            Points(
                tuple(sure.tolist()),
                tuple(right.tolist()),
                tuple(
                    f"{sure[at]:.1%} sure: {right[at]:.1%} right ({ends[at, 0]:.1%} to "
                    f"{ends[at, 1]:.1%}), {number[at]:,.0f} examples"
                    for at in range(b)
                ),
                name="labels, by confidence",
                low=tuple(ends[:, 0].tolist()),
                high=tuple(ends[:, 1].tolist()),
                along="y",
                sizes=tuple((number / number.max()).tolist()),
            ),
        ),
        (
            f"Calibration error {calibration_error:.3f}; larger points are more examples.",
        ),
        equal=True,
    )
