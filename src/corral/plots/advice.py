"""Which error rates matter, and what every signal adds, drawn."""

from __future__ import annotations

from typing import Any, Self

from corral.advice import sensitivity, value_of_signal
from corral.advice.rate_changes import Sensitivity
from corral.advice.signal_values import SignalValues
from corral.drawings import draw_sensitivity, draw_signal_values
from corral.plots.display import Display, fitted_votes


class SensitivityDisplay(Display):
    """How many labels change if an error rate is off.

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> from corral.plots import SensitivityDisplay
    >>> votes, _ = random_votes(1000, [0.9, 0.8, 0.7])
    >>> labeler = corral.ConstrainedLabeler([0.1, 0.2, 0.3], "entropy").fit(votes)
    >>> display = SensitivityDisplay.from_labeler(labeler)
    """

    @classmethod
    def from_sensitivity(cls, found: Sensitivity, *, ax: Any = None) -> Self:
        """Draw what `corral.sensitivity` found."""
        drawing = draw_sensitivity(
            found.names,
            found.lower,
            found.higher,
            all_lower=found.all_lower,
            all_higher=found.all_higher,
            change=found.change,
        )
        return cls(drawing).plot(ax)

    @classmethod
    def from_labeler(
        cls, labeler: Any, votes: Any = None, *, ax: Any = None, **options: Any
    ) -> Self:
        """Move the rates of a labeler; `options` are those of `corral.sensitivity`."""
        found = sensitivity(labeler, fitted_votes(labeler, votes), **options)
        return cls.from_sensitivity(found, ax=ax)


class SignalValuesDisplay(Display):
    """What is lost without every signal.

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> from corral.plots import SignalValuesDisplay
    >>> votes, _ = random_votes(1000, [0.9, 0.8, 0.7])
    >>> labeler = corral.ConstrainedLabeler().fit(votes)
    >>> display = SignalValuesDisplay.from_labeler(labeler)
    """

    @classmethod
    def from_values(cls, found: SignalValues, *, ax: Any = None) -> Self:
        """Draw what `corral.value_of_signal` found."""
        drawing = draw_signal_values(found.names, found.worth, flips=found.flips)
        return cls(drawing).plot(ax)

    @classmethod
    def from_labeler(
        cls, labeler: Any, votes: Any = None, *, ax: Any = None, **options: Any
    ) -> Self:
        """Leave signals out; `options` are those of `corral.value_of_signal`."""
        found = value_of_signal(labeler, fitted_votes(labeler, votes), **options)
        return cls.from_values(found, ax=ax)
