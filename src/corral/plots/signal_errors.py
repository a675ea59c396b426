"""How often signals err, drawn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.analysis import analyse
from corral.analysis.report import GoldScores
from corral.calibration.reliability_table import wilson_intervals
from corral.drawings import draw_signal_errors
from corral.plots.display import Display, fitted_votes
from corral.vote_reader import make_reader


class SignalErrorsDisplay(Display):
    """Error rates of signals with intervals: expected, implied by the labels, true.

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> from corral.plots import SignalErrorsDisplay
    >>> votes, truth = random_votes(1000, [0.9, 0.8, 0.7])
    >>> labeler = corral.ConstrainedLabeler().fit(votes)
    >>> display = SignalErrorsDisplay.from_labeler(labeler, y=truth)
    """

    @classmethod
    def from_labeler(
        cls,
        labeler: Any,
        votes: Any = None,
        *,
        y: ArrayLike | None = None,
        level: float = 0.9,
        ax: Any = None,
    ) -> Self:
        """Draw what a labeler believes of its signals, and what is true.

        Parameters
        ----------
        labeler : Labeler
            Fitted.
        votes : as for `fit`, optional
            Default: what it was fitted on.
        y : (n,) class values, optional
            True labels, as far as they are known: adds the true error rates.
        level : float
            Probability of the intervals.
        ax : matplotlib axes, optional
        """
        read = fitted_votes(labeler, votes)
        found = analyse(read, labeler, y)
        expected = interval = None
        if found.learned is not None:
            expected = 1 - found.learned
            rates = getattr(labeler, "rates_", None)
            if rates is not None and rates.error_rates.ndim == 1:
                interval = rates.intervals(level)
        drawing = draw_signal_errors(
            read.names,
            expected=expected,
            expected_interval=interval,
            implied=found.implied_error_rates,
            **_true_errors(found.gold, level),
        )
        return cls(drawing).plot(ax)

    @classmethod
    def from_votes(
        cls,
        votes: Any,
        y: ArrayLike,
        *,
        level: float = 0.9,
        ax: Any = None,
        **reading: Any,
    ) -> Self:
        """Draw how often signals are wrong by true labels (n,).

        `reading` is as for `corral.agreement`, the others as for `from_labeler`.
        """
        found = analyse(make_reader(analyse, reading).read_votes(votes), y=y)
        return cls(
            draw_signal_errors(found.names, **_true_errors(found.gold, level))
        ).plot(ax)


def _true_errors(gold: GoldScores | None, level: float) -> dict[str, FloatArray]:
    if gold is None:
        return {}
    number = gold.correct + gold.incorrect
    known = np.where(number > 0, gold.error_rates, np.nan)
    interval = wilson_intervals(known, np.maximum(number, 1), level)
    return {"true": known, "true_interval": interval}
