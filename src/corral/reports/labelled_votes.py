"""What a report is about: votes, their labels and, as far as known, the truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import BoolArray, FloatArray, IntArray
from corral.constraints import LabelSpace, label_space
from corral.constraints.signal_errors import error_table, mean_by_signal
from corral.decisions import is_winner, winner_shares
from corral.labelers import Labeler
from corral.labelers.majority_vote import MajorityVote
from corral.reports.example_rows import ExampleRows
from corral.signals import WeakSignals


@dataclass(frozen=True, eq=False)
class LabelledVotes:
    """Votes with their labels; a row is an example, or so many as `signals.counts` say.

    Attributes
    ----------
    labeler : Labeler
        Fitted.
    signals : WeakSignals
    labels : (n, k) array of float
    covered : (n,) array of bool
    truth : (n,) array of int or None
        Positions of true classes, -1 where unknown. None: nothing is known.
    examples : ExampleRows
        Names and texts of rows.
    warnings : tuple of str
        Those of the fit.
    """

    labeler: Labeler
    signals: WeakSignals
    labels: FloatArray
    covered: BoolArray
    truth: IntArray | None
    examples: ExampleRows
    warnings: tuple[str, ...] = ()

    @property
    def class_names(self) -> tuple[str, ...]:
        """Classes as text."""
        return tuple(map(str, self.signals.classes.tolist()))

    @property
    def gold_values(self) -> NDArray[Any]:
        """(n,) true classes, None where unknown."""
        values = np.full(len(self.signals), None, object)
        if self.truth is not None:
            known = self.truth >= 0
            classes = self.signals.classes.tolist()
            values[known] = np.array([*classes, None], object)[self.truth[known]]
        return values

    @cached_property
    def counts(self) -> FloatArray:
        """(n,) examples per row."""
        counts = self.signals.counts
        return np.ones(len(self.signals)) if counts is None else counts

    @cached_property
    def covered_counts(self) -> FloatArray:
        """(n,) the same, zero where no signal votes."""
        return np.where(self.covered, self.counts, 0.0)

    @cached_property
    def known_counts(self) -> FloatArray:
        """(n,) the same, zero where no signal votes or the truth is not known."""
        if self.truth is None:
            return np.zeros(len(self.signals))
        return np.where(self.truth >= 0, self.covered_counts, 0.0)

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
        highest: FloatArray = self.labels.max(axis=1)
        return highest

    @property
    def tells_confidence(self) -> bool:
        """Whether labels are meant as probabilities; those of a vote only name a winner."""
        return not isinstance(self.labeler, MajorityVote)

    @property
    def unsure_below(self) -> float:
        """The confidence a quarter of the way from a guess to certainty."""
        guess = 1 / self.signals.n_classes
        return guess + (1 - guess) / 4

    @cached_property
    def pattern(self) -> IntArray:
        """(n,) rows with the same number have the same votes."""
        if not self.signals.has_patterns:
            return np.arange(len(self.signals))
        return self.signals.patterns.inverse

    @cached_property
    def pattern_counts(self) -> FloatArray:
        """(n,) examples with the votes of a row."""
        sums: Any = np.bincount(self.pattern, self.counts)
        return sums[self.pattern]

    @cached_property
    def space(self) -> LabelSpace:
        """The constraints that the votes make, without rates."""
        return label_space(self.signals)

    @cached_property
    def implied_errors(self) -> FloatArray:
        """(m,) how often signals are wrong if the labels are right; NaN: never votes."""
        table = error_table(self.space, self.signals, self.labels)
        return mean_by_signal(self.space, self.signals, table)

    @property
    def n_patterns(self) -> int:
        """Distinct rows of votes."""
        return int(self.pattern.max()) + 1

    @property
    def n_cells(self) -> int:
        """Patterns times signals times classes: how dear a fit is."""
        return self.n_patterns * self.signals.n_signals * self.signals.n_classes

    def score(self, labels: FloatArray) -> FloatArray:
        """(n,) how far labels (n, k) are right, ties in parts; 0 where not known."""
        if self.truth is None:
            return np.zeros(len(labels))
        right = winner_shares(labels)[np.arange(len(labels)), self.truth]
        return np.where(self.truth >= 0, right, 0.0)

    def changed(self, labels: FloatArray) -> float:
        """Share of the covered examples that others label otherwise, or leave tied."""
        changed = (is_winner(labels) != is_winner(self.labels)).any(axis=1)
        return float(self.covered_counts @ changed / self.covered_counts.sum())
