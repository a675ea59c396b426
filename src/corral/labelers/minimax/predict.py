"""What fitted terms say of votes: by the workers alone, or of the items fitted on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, vstack
from scipy.special import log_softmax

from corral._types import FloatArray, IntArray
from corral.error_rates import VoteModel
from corral.error_rates.features import VoteFeatures
from corral.labelers.minimax.crowd import SHUT, answers_of
from corral.signals import WeakSignals
from corral.signals.patterns import find_patterns


def worker_model(
    signals: WeakSignals, features: VoteFeatures, workers: FloatArray, prior: FloatArray
) -> VoteModel:
    """Labels of any votes by the terms of the workers (c, k, v).

    Votes that a worker never cast when it was fitted have a weight, too, as it could
    have.
    """
    answers, allowed = answers_of(features)
    voter, vote = np.nonzero(np.take_along_axis(allowed, answers, axis=1))
    logs = log_softmax(np.where(allowed[:, None, :], workers, SHUT), axis=2)
    signal, label = signals.columns[voter].T
    return VoteModel(
        signal=signal,
        label=label,
        vote=vote,
        weights=logs[voter, :, answers[voter, vote]],
        bias=np.log(prior),
        group=voter,
    )


def confusion(
    signals: WeakSignals, features: VoteFeatures, model: VoteModel
) -> FloatArray:
    """(c, k, v) how often every voter casts a vote, given the class.

    The votes of a one-vs-rest signal are "no" (or anything else) and "yes".
    """
    table = np.zeros((features.n_voters, features.n_classes, signals.n_choices))
    table[model.group, :, model.vote] = np.exp(model.weights)
    if not signals.names_classes:
        table[:, :, 0] = 1 - table[:, :, 1]
    table[features.votes_cast == 0] = np.nan
    return table


@dataclass(frozen=True)
class FittedItems:
    """The items fitted on, to be found again by their votes.

    Attributes
    ----------
    columns : (c, 2) array of int
        Signal and label column of every voter.
    votes : (u, c * n_values + 1) sparse array
        One for every vote of an item; the last column is for votes of other voters.
    labels : (u, k) array of float
    """

    columns: IntArray
    votes: csr_array
    labels: FloatArray

    @classmethod
    def of(
        cls, signals: WeakSignals, features: VoteFeatures, labels: FloatArray
    ) -> FittedItems:
        """The items that features were found on, with their labels."""
        key = features.voter * signals.n_choices + features.vote
        width = len(signals.columns) * signals.n_choices + 1
        votes = _rows(features.unit, key[features.feature], (features.n_units, width))
        return cls(signals.columns, votes, labels)

    def place(self, signals: WeakSignals) -> IntArray:
        """(p,) the item that has the votes of every pattern; -1: none has."""
        unit, voter, vote = signals.patterns.cells()
        # Class votes have the label column -1, here the last, on both sides.
        known = np.full((signals.n_signals, signals.n_label_columns), -1)
        known[tuple(self.columns.T)] = np.arange(len(self.columns))
        at = known[tuple(signals.columns.T)][voter]
        key = np.where(at < 0, self.votes.shape[1] - 1, at * signals.n_choices + vote)
        shape = (len(signals.patterns), self.votes.shape[1])
        both = vstack([self.votes, _rows(unit, key, shape)], format="csr")
        group = find_patterns(both, 1).inverse
        items = len(self.labels)
        item = np.full(int(group.max()) + 1, -1)
        item[group[:items]] = np.arange(items)
        found: IntArray = item[group[items:]]
        return found


def _rows(unit: IntArray, key: IntArray, shape: tuple[int, int]) -> csr_array:
    """Sparse rows with a one for every key of a unit, in order."""
    starts = np.searchsorted(unit, np.arange(shape[0] + 1))
    rows = csr_array((np.ones(len(key), np.int8), key, starts), shape)
    rows.sort_indices()
    return rows
