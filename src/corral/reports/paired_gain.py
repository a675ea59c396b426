"""Whether labels are shown to be right more often than others, on the same examples."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import binomtest

from corral._types import FloatArray
from corral.reports.sections import Interval

LEVEL = 0.9
"""Probability of the intervals of a report."""
EQUAL = 0.0005
"""Differences of accuracies below this are shown as none."""
ENOUGH_GOLD = 30
"""Examples with a true label from which on a report judges labels by them."""
ENOUGH_DIFFERING = 6
"""Of these, how many must score differently for one of two methods to be better."""


@dataclass(frozen=True)
class PairedGain:
    """How much more often labels are right than others.

    Attributes
    ----------
    mean : float
        Difference of the two accuracies.
    n : float
        Examples with a true label.
    n_differing : float
        Those on which the two are not equally right.
    interval : pair of float
        Where the difference may be, with probability `LEVEL`, given how many examples
        differ (the exact interval of a sign test).
    """

    mean: float
    n: float
    n_differing: float
    interval: Interval

    @property
    def is_enough(self) -> bool:
        """Whether there are enough examples to tell which is better."""
        return self.n >= ENOUGH_GOLD and self.n_differing >= ENOUGH_DIFFERING

    @property
    def is_shown(self) -> bool:
        """Whether one of the two is better by more than chance explains."""
        low, high = self.interval
        return self.is_enough and (low > 0 or high < 0)


def paired_gain(
    right: FloatArray, other_right: FloatArray, counts: FloatArray
) -> PairedGain:
    """Compare how far two kinds of labels are right on every row.

    Parameters
    ----------
    right, other_right : (n,) array of float
        1 for right, 0 for wrong, a part of it for a tie.
    counts : (n,) array of float
        Examples per row whose true label is known; at least one in all.

    Examples
    --------
    Nine of ten differing examples are won:

    >>> import numpy as np
    >>> from corral.reports.paired_gain import paired_gain
    >>> right, other_right = np.array([[1.0, 0, 1], [0, 1, 1]])
    >>> found = paired_gain(right, other_right, np.array([9, 1, 90]))
    >>> found.mean, found.n_differing, found.is_shown
    (0.08, 10.0, True)
    """
    gain = right - other_right
    n = float(counts.sum())
    won, lost = (float(counts @ (sign * gain).clip(0)) for sign in (1, -1))
    # Half a point for a tie is half of an example that tells the two apart.
    trials = round(won) + round(lost)
    if trials:
        ends = binomtest(round(won), trials).proportion_ci(LEVEL, "exact")
        low, high = ((2 * end - 1) * (won + lost) / n for end in (ends.low, ends.high))
    else:
        # As many differing examples as might well be missed among so few.
        high = 1 - (1 - LEVEL) ** (1 / n)
        low = -high
    mean = (won - lost) / n
    interval = min(float(low), mean), max(float(high), mean)
    return PairedGain(mean, n, float(counts @ (gain != 0)), interval)
