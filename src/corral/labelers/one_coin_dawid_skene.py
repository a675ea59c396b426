"""One-coin Dawid-Skene: one accuracy for every signal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from corral._types import FloatArray
from corral.error_rates.vote_features import VoteFeatures
from corral.labelers.dawid_skene import LEAST, DawidSkene
from corral.labelers.learned_labeler import coin_weights
from corral.signals import WeakSignals


@dataclass(eq=False, repr=False, kw_only=True)
class OneCoinDawidSkene(DawidSkene):
    """Dawid and Skene's model with a single accuracy per signal.

    Whatever the class is, a signal is right with one probability, and every wrong class
    is as likely. With few votes per signal this is learned more surely than a whole
    confusion matrix. Signals err independently of each other.

    It takes the options of `DawidSkene`, but for `abstains`, and has the same attributes;
    `smoothing` votes count for every class.

    Examples
    --------
    >>> from corral import OneCoinDawidSkene
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(5_000, [0.9, 0.8, 0.7, 0.6], coverage=0.9)
    >>> labeler = OneCoinDawidSkene().fit(votes)
    >>> labeler.confusion_[0].round(1).tolist()
    [[0.9, 0.1], [0.1, 0.9]]
    """

    # One coin says nothing about when a signal votes.
    abstains: Literal["auto", "answer", "ignore"] = field(default="ignore", init=False)

    def _weights(
        self, features: VoteFeatures, labels: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        right = features.by_column(
            ((features.weighted @ labels) * features.member).sum(axis=1)
        )
        others = features.n_values - 1
        cast = features.votes_cast + self.smoothing * (others + 1)
        accuracy = (right + self.smoothing) / np.maximum(cast, LEAST)
        weights = coin_weights(features, np.clip(accuracy, LEAST, 1 - LEAST))
        return weights, np.zeros(features.n_classes)

    def _warn_of_one_sided(self, signals: WeakSignals, features: VoteFeatures) -> None:
        """No warning: a vote is evidence for its class, however often it is cast."""
