"""Labels of multi-label tasks: one model for every class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from corral._types import FloatArray, IntArray
from corral.model import Contributions, Model
from corral.signals import WeakSignals


@dataclass(frozen=True)
class ClassModel:
    """What labels the entries of one class.

    Attributes
    ----------
    position : int
        Of the class.
    speakers : (s,) array of int
        The signals that speak of it.
    model : Model
        Of the task whose classes are "no" and "yes".
    """

    position: int
    speakers: IntArray
    model: Model


@dataclass(frozen=True)
class ColumnModels(Model):
    """A model per class; each labels its column of a multi-label task.

    Attributes
    ----------
    columns : tuple of ClassModel
        Of the classes that any signal speaks of.
    prior : (k,) array of float
        Probabilities where no signal speaks of the class; NaN: what its model says.
    """

    columns: tuple[ClassModel, ...]
    prior: FloatArray

    def pattern_labels(self, signals: WeakSignals) -> FloatArray:
        rows = _one_per_pattern(signals)
        labels = np.tile(
            np.where(np.isnan(self.prior), 0.5, self.prior), (len(rows), 1)
        )
        for column, view in self._views(rows):
            k = column.position
            found = column.model.labels(view)[:, 1]
            silent = ~view.covered & ~np.isnan(self.prior[k])
            labels[:, k] = np.where(silent, self.prior[k], found)
        return labels

    def contributions(self, one: WeakSignals) -> Contributions:
        """What moved every class toward "yes", as the model of the class has it."""
        moves = np.zeros((one.n_signals, one.n_classes))
        others: dict[str, FloatArray] = {}
        for column, view in self._views(one):
            found = column.model.contributions(view)
            s, k = len(column.speakers), column.position
            moves[column.speakers, k] = found.moves[:s, 1]
            for name, move in zip(found.others, found.moves[s:, 1], strict=True):
                others.setdefault(name, np.zeros(one.n_classes))[k] = move
        return Contributions(np.vstack([moves, *others.values()]), tuple(others))

    def _views(self, signals: WeakSignals) -> Iterator[tuple[ClassModel, WeakSignals]]:
        for column in self.columns:
            value = signals.classes[column.position]
            yield column, signals.about(value, column.speakers)


def _one_per_pattern(signals: WeakSignals) -> WeakSignals:
    """Signals with one row per pattern; as they are where examples share none."""
    if not signals.has_patterns:
        return signals
    patterns = signals.patterns
    data = replace(
        signals._data,
        votes=patterns.codes,
        counts=patterns.counts,
        index=None,
        rounding=None,
    )
    return WeakSignals(data, signals.names)
