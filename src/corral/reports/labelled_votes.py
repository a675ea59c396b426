"""What a report is about: votes, their labels and the true labels that are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from corral._types import BoolArray, FloatArray, IntArray
from corral.decisions import is_winner, winner_shares
from corral.labelers import Labeler, MajorityVote
from corral.votes import WeakSignals


@dataclass(frozen=True, eq=False)
class LabelledVotes:
    """Votes with their labels; a row is an example, or so many as its count says."""

    labeler: Labeler  # fitted
    signals: WeakSignals
    labels: FloatArray  # (n, k)
    covered: BoolArray  # (n,)
    truth: IntArray  # (n,) positions of true classes, -1 where unknown
    warnings: tuple[str, ...] = ()  # of the fit

    @property
    def class_names(self) -> tuple[str, ...]:
        return tuple(map(str, self.signals.classes.tolist()))

    @property
    def counts(self) -> FloatArray:
        """(n,) examples per row."""
        return self.signals.row_weights

    @cached_property
    def covered_counts(self) -> FloatArray:
        """(n,) the same, zero where no signal votes."""
        return np.where(self.covered, self.counts, 0.0)

    @cached_property
    def known_counts(self) -> FloatArray:
        """(n,) the same, zero where no signal votes or the true class is unknown."""
        return np.where(self.truth >= 0, self.covered_counts, 0.0)

    @property
    def n_examples(self) -> float:
        return float(self.counts.sum())

    @property
    def n_covered(self) -> float:
        return float(self.covered_counts.sum())

    @property
    def n_gold(self) -> float:
        """Covered examples with a true label."""
        return float(self.known_counts.sum())

    @cached_property
    def vote_labels(self) -> FloatArray:
        """(n, k) labels of a majority vote."""
        return MajorityVote().fit(self.signals).labels_

    @cached_property
    def answers(self) -> IntArray:
        """(n,) the likeliest class; -1 where no signal votes or classes are tied."""
        clear = self.covered & (is_winner(self.labels).sum(axis=1) == 1)
        return np.where(clear, self.labels.argmax(axis=1), -1)

    @cached_property
    def confidence(self) -> FloatArray:
        """(n,) probability of the likeliest class."""
        return np.max(self.labels, axis=1)

    @cached_property
    def hard(self) -> WeakSignals:
        """The signals; probabilities count as votes for the likeliest class."""
        return self.signals.harden()

    @property
    def alike(self) -> FloatArray:
        """(n,) examples with the votes of a row."""
        return self.signals.counts[self.signals.row_of]

    def score(self, labels: FloatArray) -> FloatArray:
        """(n,) how far labels (n, k) are right, ties in parts; 0 where unknown."""
        right = winner_shares(labels)[np.arange(len(labels)), self.truth]
        return np.where(self.truth >= 0, right, 0.0)

    def changed(self, labels: FloatArray) -> float:
        """Share of the covered examples that others label otherwise, or leave tied."""
        changed = (is_winner(labels) != is_winner(self.labels)).any(axis=1)
        return float(self.covered_counts @ changed / self.n_covered)
