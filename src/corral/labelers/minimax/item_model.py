"""What fitted terms say of votes: by the workers alone, or of the items fitted on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax

from corral._types import BoolArray, FloatArray
from corral.error_rates import VoteModel
from corral.error_rates.vote_features import VoteFeatures
from corral.labelers.minimax.crowd import SHUT, answers_of
from corral.labelers.seen_votes import SeenVotes
from corral.model import Contributions, Model, centred_logs
from corral.signals import WeakSignals


def worker_model(
    signals: WeakSignals, features: VoteFeatures, workers: FloatArray, prior: FloatArray
) -> VoteModel:
    """Labels of any votes by the terms of the workers (c, k, v).

    Votes that a worker never cast when it was fitted have a weight, too, as it could
    have.
    """
    answers, allowed = answers_of(features)
    column, vote = np.nonzero(np.take_along_axis(allowed, answers, axis=1))
    logs = log_softmax(np.where(allowed[:, None, :], workers, SHUT), axis=2)
    signal, label = signals.columns[column].T
    return VoteModel(
        signal=signal,
        label=label,
        vote=vote,
        weights=logs[column, :, answers[column, vote]],
        bias=np.log(prior),
        group=column,
    )


def confusion(
    signals: WeakSignals, features: VoteFeatures, model: VoteModel
) -> FloatArray:
    """(c, k, v) how often every column casts a vote, given the class.

    The votes of a one-vs-rest signal are "no" (or anything else) and "yes".
    """
    table = np.zeros((features.n_columns, features.n_classes, signals.n_choices))
    table[model.group, :, model.vote] = np.exp(model.weights)
    if not signals.names_classes:
        table[:, :, 0] = 1 - table[:, :, 1]
    table[features.votes_cast == 0] = np.nan
    return table


@dataclass(frozen=True)
class ItemModel(Model):
    """Labels of the items fitted on, wherever their votes occur, and by workers otherwise.

    Attributes
    ----------
    workers : VoteModel
    items : SeenVotes
    """

    workers: VoteModel
    items: SeenVotes

    def pattern_labels(self, signals: WeakSignals) -> FloatArray:
        """(p, k) probabilities, one row per pattern."""
        labels = self.workers.pattern_labels(signals)
        place = self.items.place(signals)
        labels[place >= 0] = self.items.labels[place[place >= 0]]
        return labels

    def contributions(self, one: WeakSignals) -> Contributions:
        """The log-odds that the workers add, and what the item's own terms do."""
        found = self.workers.contributions(one)
        rest = centred_logs(self.pattern_labels(one)[0]) - found.moves.sum(axis=0)
        moves = np.vstack([found.moves, rest])
        return Contributions(moves, (*found.others, "terms of the item"))

    def covered(self, signals: WeakSignals) -> BoolArray:
        """(n,) which examples a worker votes on."""
        return self.workers.covered(signals)

    def check(self, signals: WeakSignals) -> None:
        self.workers.check(signals)
        self.items.check(signals)
