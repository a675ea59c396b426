"""The mean of what the signals say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray
from corral.constraints.designs import design_rows, make_design
from corral.labelers.column_models import ClassModel, ColumnModels
from corral.labelers.explanation import signal_moves
from corral.labelers.labeler import NOTHING_LEARNED
from corral.labelers.multilabel import LabelsByClass
from corral.labelers.probabilities import class_probabilities
from corral.model import Contributions, Model
from corral.signals import WeakSignals
from corral.solvers.solution import pattern_rows

ROUNDING = 1e-9
"""Means are as precise as what was given; less than this in all is a rounding error."""


@dataclass(frozen=True)
class AveragingModel(Model):
    """Mean probabilities; entries that no signal votes on share what is left."""

    def pattern_labels(self, signals: WeakSignals) -> FloatArray:
        design = make_design(signals, design_rows(signals))
        ones = np.ones(design.n_rows)
        # sign = active (1 - 2 w), so the sum of w is (active - sum of signs) / 2.
        signs = [design.pull(ones, a, b) for a, b in design.ranges()]
        active = design.active_counts()
        mean = (active - np.concatenate(signs, axis=1)) / (2 * np.maximum(active, 1))
        kept = active > 0
        prior = np.full(signals.n_classes, 1 / signals.n_classes)
        return class_probabilities(mean.T, kept.T, kept.T, prior, undecided=ROUNDING)

    def contributions(self, one: WeakSignals) -> Contributions:
        """What every signal adds to the mean, beyond that of no opinion.

        No opinion is one part of the classes, one half for one-vs-rest signals. The sums
        are the means less that, of the entries that a signal votes on.
        """
        rows = design_rows(one)
        design = make_design(one, rows)
        signs, active = pattern_rows(design, 0), design.active_counts()[:, 0]
        voted = np.zeros(signs.shape, bool)
        for r, k in enumerate(rows[:, 1]):
            voted[r, k] = not np.isnan(design.entries(r, 0, 1)[0])
        rests = not one.names_classes or one.n_label_columns == 1
        none = 1 / 2 if rests else 1 / one.n_classes
        added = np.where(voted, (1 - signs) / 2 - none, 0.0) / np.maximum(active, 1)
        return Contributions(signal_moves(added, rows[:, 0], one.n_signals))


@dataclass(eq=False, repr=False, kw_only=True)
class Averaging(LabelsByClass):
    """Mean probability over the signals that vote on an entry.

    Entries that none votes on share what the others leave, as for
    `ConstrainedLabeler`; nothing is learned.

    Parameters
    ----------
    multilabel, ties, uncovered, random_state
        As for `MajorityVote`.

    Examples
    --------
    >>> import numpy as np
    >>> from corral import Averaging, WeakSignals
    >>> signals = WeakSignals.from_probabilities([[0.9, 0.6], [0.2, np.nan]])
    >>> Averaging().fit(signals).labels_.round(2).tolist()
    [[0.25, 0.75], [0.8, 0.2]]
    """

    stored_types = (AveragingModel, ClassModel, ColumnModels)

    def _find_model(self, _: WeakSignals, __: FloatArray | None) -> Model:
        return AveragingModel()

    @property
    def note_(self) -> str:
        return NOTHING_LEARNED
