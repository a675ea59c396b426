"""What labels votes, however it was found: a `Model`.

Weights of votes (`corral.error_rates.VoteModel`), what a solver found for the constraints
(`corral.labelers.constraint_model.ConstraintModel`), counting and averaging are some. A
labeler finds one; whoever labels, explains or saves asks for nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from corral._types import BoolArray, FloatArray
from corral.signals import WeakSignals


@dataclass(frozen=True)
class Contributions:
    """What moved the label of one example.

    Attributes
    ----------
    moves : (m + c, k) array of float
        How far every signal moved every class, and then whatever else did.
    others : tuple of str
        The names of the `c` that are no signals.
    """

    moves: FloatArray
    others: tuple[str, ...] = ()


class Model(ABC):
    """Labels of any votes.

    A subclass is a frozen dataclass of arrays, numbers, text and other such dataclasses,
    so that any of them can be written to a file field by field.

    Attributes
    ----------
    by_pattern : bool
        Whether examples with the same votes have the same labels.
    """

    by_pattern: ClassVar[bool] = True

    @abstractmethod
    def pattern_labels(self, signals: WeakSignals) -> FloatArray:
        """(p, k) probabilities, one row per pattern; per example if there are none."""

    def labels(self, signals: WeakSignals) -> FloatArray:
        """(n, k) probabilities, one row per example."""
        labels = self.pattern_labels(signals)
        if not signals.has_patterns:
            return labels
        return labels.take(signals.patterns.inverse, axis=0)

    @abstractmethod
    def contributions(self, one: WeakSignals) -> Contributions:
        """What moved the label of the first example of `one`."""

    def covered(self, signals: WeakSignals) -> BoolArray:
        """(n,) which examples any signal that the model knows votes on."""
        return signals.covered

    def check(self, signals: WeakSignals) -> None:  # noqa: B027
        """Refuse, by a ValueError, a model read from a file that cannot label.

        Parameters
        ----------
        signals : WeakSignals
            Signals such as the model is for; their votes do not matter.

        A model without numbers has nothing to check.
        """


def opaque_contributions(
    probabilities: FloatArray, n_signals: int, source: str
) -> Contributions:
    """Contributions where votes do not move the label themselves: all is the source's.

    Parameters
    ----------
    probabilities : (k,) array of float
    n_signals : int
    source : str
        What the label comes from.
    """
    moves = np.zeros((n_signals + 1, len(probabilities)))
    moves[-1] = centred_logs(probabilities)
    return Contributions(moves, (source,))


def centred_logs(probabilities: FloatArray) -> FloatArray:
    """(k,) log-probabilities less their mean, so that above zero is for a class."""
    logs = np.log(np.maximum(probabilities, np.finfo(float).tiny))
    return logs - logs.mean()
