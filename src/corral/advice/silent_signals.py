"""Labels if one signal were silent and nothing were fitted again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array

from corral._types import BoolArray, FloatArray, IntArray
from corral.error_rates import VoteModel
from corral.labelers import Labeler
from corral.signals import WeakSignals

LeftOut: TypeAlias = "tuple[IntArray | slice, FloatArray, BoolArray]"
"""Rows, their labels without a signal, and whether another signal votes on them."""


def silence_each(labeler: Labeler, signals: WeakSignals) -> Iterator[LeftOut]:
    """Labels without each signal in turn, of the rows that it votes on.

    A model's scores are a sum over votes, so those of the signal are subtracted. Other
    labelers label the rows again, with the signal silent.

    Parameters
    ----------
    labeler : Labeler
        Fitted.
    signals : WeakSignals
    """
    table = _find_votes(signals)
    number = np.asarray(table.sum(axis=1)).ravel()
    model, votes = getattr(labeler, "model_", None), labeler._as_read(signals)
    added = _Contributions(model, votes) if isinstance(model, VoteModel) else None
    k = signals.n_classes
    guess = np.full(k, 0.5 if getattr(labeler, "multilabel", False) else 1 / k)
    for i in range(signals.n_signals):
        rows = table.indices[table.indptr[i] : table.indptr[i + 1]]
        still = number[rows] > 1
        if not len(rows):
            labels = np.empty((0, k))
        elif added is not None and added.alone[i]:
            labels = added.labels_without(i, rows)
        else:
            labels = labeler.predict_proba(signals.take(rows).without(i))
        yield rows, np.where(still[:, None], labels, guess), still


def _find_votes(signals: WeakSignals) -> csc_array:
    """(rows, m) one where a signal votes."""
    hard = signals.harden()
    row, column, _ = hard.cells()
    owner = hard.vote_columns[column, 0]
    shape = len(signals), signals.n_signals
    table = csc_array((np.ones(len(row), np.int32), (row, owner)), shape)
    table.sum_duplicates()  # a one-vs-rest signal may vote on several classes
    table.data[:] = 1
    return table


class _Contributions:
    """What the votes of every signal add to the scores of a model.

    Attributes
    ----------
    alone : (m,) array of bool
        Whether no other signal repeats it: without it, copies would weigh more.
    """

    def __init__(self, model: VoteModel, signals: WeakSignals) -> None:
        self.model = model
        self.shares: Any = model.feature_shares(signals)
        self.scores = self.shares @ model.weights + model.bias
        self.votes = self.shares @ model.vote_sizes
        self.pattern = signals.patterns.inverse if signals.has_patterns else None
        pairs = np.unique(np.stack([model.group, model.signal, model.label]), axis=1)
        shared = np.bincount(pairs[0])[model.group] > 1
        self.alone = np.bincount(model.signal, shared, signals.n_signals) == 0

    def labels_without(self, signal: int, rows: IntArray) -> FloatArray:
        """(rows, k) labels if a signal is silent."""
        at = np.flatnonzero(self.model.signal == signal)
        mine = self.shares[:, at]
        left = self.scores - mine @ self.model.weights[at]
        votes = self.votes - mine @ self.model.vote_sizes[at]
        patterns = rows if self.pattern is None else self.pattern[rows]
        return self.model.probabilities(left[patterns], votes[patterns])
