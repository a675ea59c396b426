"""What labels votes, however it was found: a `Model`.

Weights of votes (`corral.error_rates.VoteModel`), what a solver found for the constraints
(`corral.labelers.constraint_model.ConstraintModel`), counting and averaging are some. A
labeler finds one; whoever labels, explains or saves asks for nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

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
    """

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


def centred_logs(probabilities: FloatArray) -> FloatArray:
    """(k,) log-probabilities less their mean, so that above zero is for a class."""
    logs = np.log(np.maximum(probabilities, np.finfo(float).tiny))
    return logs - logs.mean()
