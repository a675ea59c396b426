"""Means over all rows from a labelled sample, with the model as a help and not a judge.

The mean of anything that depends on the class of a row is what the model expects of all
rows, plus by how much the labelled rows differ from what the model, fitted without them,
expects of them: the difference estimator of survey sampling, of late called
prediction-powered inference. A wrong model widens the interval and does not bias the mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from corral._types import FloatArray, IntArray
from corral.panels.known import Known
from corral.panels.panel_votes import PanelVotes
from corral.panels.sampling import JEFFREYS, Sample


@dataclass(frozen=True, eq=False)
class Estimate:
    """A mean over all rows.

    Attributes
    ----------
    value, low, high : array of float
        The estimate, from 0 to 1, and its interval.
    variance : array of float
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    variance: FloatArray


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that means are estimated from.

    Attributes
    ----------
    panel : PanelVotes
    sample : Sample
    labels : (u, k) array of float
        What the model expects of every pattern.
    left_out : (l, k) array of float
        And of every labelled row, from the others.
    known : Known
        Means that are known.
    level : float
        Probability of the intervals.
    """

    panel: PanelVotes
    sample: Sample
    labels: FloatArray
    left_out: FloatArray
    known: Known
    level: float

    @property
    def at(self) -> IntArray:
        """(l,) patterns of the labelled rows."""
        return self.panel.inverse[self.sample.rows]

    @property
    def truth(self) -> FloatArray:
        """(l, k) classes of the labelled rows, one-hot."""
        return np.eye(self.labels.shape[1])[self.sample.truth]

    @property
    def widening(self) -> float:
        """What Student's t adds to a variance, for intervals by the normal law."""
        df = max(self.sample.effective - 1, 1)
        # At a level of 0 or 1, as rounded, both are zero or infinite: the ratio beside it.
        tail = np.clip((1 + self.level) / 2, 0.5 + 1e-9, 1 - 1e-12)
        return float((stdtrit(df, tail) / ndtri(tail)) ** 2)

    def residuals(self, terms: FloatArray) -> FloatArray:
        """(l, t) what labelled rows add beyond what was expected, of terms (t, u, k).

        What is known of other means is used: residuals are taken free of what those
        residuals explain whose mean over all rows is known to be zero.
        """
        found = self._differ(terms)
        if not len(self.known):
            return found
        sure = self._differ(self.known.terms)
        root = np.sqrt(self.sample.weights)[:, None]
        slope = np.linalg.lstsq(root * sure, root * found, rcond=1e-8)[0]
        return found - sure @ slope

    def _differ(self, terms: FloatArray) -> FloatArray:
        """(l, t) what labelled rows add beyond what the other rows expect of them.

        And what it takes for every labelled row to count, in the mean over all rows, with
        what is expected of it without its own label.
        """
        own = terms[:, self.at]
        found = np.einsum("tlk,lk->lt", own, self.truth - self.left_out)
        moved = self.left_out - self.labels[self.at]
        total = np.einsum("tlk,lk->t", own, moved) / self.panel.counts.sum()
        return found + total

    def moments(self, terms: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(t,) means of terms (t, u, k), not held to 0 to 1, and (t,) their variances."""
        left = self.residuals(terms)
        expected = self.panel.mean((terms * self.labels).sum(axis=2).T)
        # What is known leaves no residual.
        sure = np.abs(left).max(axis=0) < 1e-9 if len(self.known) else False
        variance = np.where(sure, 0.0, self.sample.variance(left))
        return expected + self.sample.mean(left), variance


def bound(value: FloatArray, variance: FloatArray, level: float) -> Estimate:
    """An interval that stays within 0 to 1: that of as many labels as tell as much.

    Jeffreys' interval of a share, for the number of plain labels with this variance.
    Near 0 and 1, where a variance tells of a share that is not quite there, it is the
    number of labels of which half a one would have this variance.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.panels.assisted import bound
    >>> found = bound(np.array([0.0]), np.array([0.005**2]), 0.9)  # as 141 labels have
    >>> found.low.tolist(), found.high.round(3).tolist()
    ([0.0], [0.014])
    """
    held, a, b = find_beta(value, variance)
    sure = variance <= 0
    low = np.minimum(betaincinv(a, b, (1 - level) / 2), held)
    high = np.maximum(betaincinv(a, b, (1 + level) / 2), held)
    low, high = np.where(sure, held, low), np.where(sure, held, high)
    return Estimate(held, low, high, variance)


def find_beta(
    value: FloatArray, variance: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Shares held to 0 to 1, and the beta laws of which `bound` takes the ends."""
    held = np.clip(value, 0, 1)
    known = np.maximum(variance, 1e-12)
    # n labels, none of them of the class: n * (n + 1.5) is nearly a half over that.
    none = np.sqrt(JEFFREYS / known + 0.75**2) - 0.75
    worth = np.maximum(held * (1 - held) / known, none)
    return held, held * worth + JEFFREYS, (1 - held) * worth + JEFFREYS
