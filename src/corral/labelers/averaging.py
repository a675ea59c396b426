"""The mean of what the signals say."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from corral._types import FloatArray
from corral.constraints.designs import design_rows, make_design
from corral.labelers.base import StatelessLabeler
from corral.labelers.probabilities import class_probabilities
from corral.signals import WeakSignals

ROUNDING = 1e-9
"""Means are as precise as what was given; less than this in all is a rounding error."""


class Averaging(StatelessLabeler):
    """Mean probability over the signals that speak of an entry.

    Entries that none speaks of share what the others leave, as for
    `ConstrainedLabeler`; nothing is learned.

    Parameters
    ----------
    ties : "first", "random" or "abstain"
    uncovered : "abstain" or "prior"
    random_state : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from corral import Averaging, WeakSignals
    >>> signals = WeakSignals.from_probabilities([[0.9, 0.6], [0.2, np.nan]])
    >>> Averaging().fit(signals).labels_.round(2).tolist()
    [[0.25, 0.75], [0.8, 0.2]]
    """

    def __init__(
        self,
        *,
        ties: Literal["first", "random", "abstain"] = "first",
        uncovered: Literal["abstain", "prior"] = "abstain",
        random_state: Any = None,
    ) -> None:
        self.ties = ties
        self.uncovered = uncovered
        self.random_state = random_state

    def _probabilities(self, signals: WeakSignals) -> FloatArray:
        design = make_design(signals, design_rows(signals))
        ones = np.ones(design.n_rows)
        # sign = active (1 - 2 w), so the sum of w is (active - sum of signs) / 2.
        signs = [design.pull(ones, a, b) for a, b in design.ranges()]
        active = design.active_counts()
        mean = (active - np.concatenate(signs, axis=1)) / (2 * np.maximum(active, 1))
        kept = active > 0
        prior = np.full(signals.n_classes, 1 / signals.n_classes)
        shares = class_probabilities(mean.T, kept.T, kept.T, prior, undecided=ROUNDING)
        return design.by_example(shares)
