"""Votes that count as much as their signals are worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from corral._types import FloatArray
from corral.error_rates import VoteModel
from corral.errors import ParameterError
from corral.labelers.by_class import ClassFit
from corral.labelers.column_models import ClassModel, ColumnModels
from corral.labelers.multilabel import LabelsByClass
from corral.labelers.signal_numbers import by_column, check_accuracies, signal_numbers
from corral.signals import WeakSignals


@dataclass(eq=False, repr=False, kw_only=True)
class WeightedVote(LabelsByClass):
    """Every vote adds the weight of its signal, in log-odds.

    The best rule there is for independent signals whose accuracies are known. A class
    vote of a signal with accuracy ``a`` weighs ``log(a (k - 1) / (1 - a))``; "yes" of a
    one-vs-rest signal weighs ``log(a / (1 - a))``, and "no" the same against the class.
    Soft signals vote for every class in proportion to its probability. Nothing is
    learned.

    Parameters
    ----------
    weights : float, array (m,), array (m, k) or mapping, optional
        Weight of the votes of every signal (and class, for one-vs-rest signals): one
        number for all, one per signal by position or by name. Negative: votes count
        against what they say.
    accuracies : float, array or mapping, optional
        How often every signal is right, instead of weights.
    multilabel, ties, uncovered, random_state
        As for `MajorityVote`.

    Attributes
    ----------
    weights_ : (m,) or (m, k) array of float
        Weights in log-odds.
    model_ : VoteModel

    Examples
    --------
    >>> from corral import WeightedVote
    >>> votes = [["cat", "dog", "dog"], ["cat", None, "dog"]]
    >>> labeler = WeightedVote(accuracies=[0.9, 0.6, 0.7]).fit(votes)
    >>> labeler.labels_.round(2).tolist()
    [[0.72, 0.28], [0.79, 0.21]]
    """

    saved_attributes: ClassVar[tuple[str, ...]] = ("weights_",)
    stored_types = (VoteModel, ClassModel, ColumnModels)

    numbers_of_signals = ("weights", "accuracies")
    pools = False  # weights are as they were given

    weights: Any = field(default=None, kw_only=False)
    accuracies: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if (self.weights is None) is (self.accuracies is None):
            raise ParameterError(
                "give weights= or accuracies= of the signals, one of the two."
            )

    def _take(
        self,
        signals: WeakSignals,
        fits: list[ClassFit],
        _model: ColumnModels,
        _weights: FloatArray | None,
    ) -> None:
        self.weights_ = np.full((signals.n_signals, signals.n_classes), np.nan)
        for fit in fits:
            self.weights_[fit.speakers, fit.position] = fit.found.weights_

    def _find_model(self, signals: WeakSignals, _: FloatArray | None) -> VoteModel:
        k = signals.n_classes
        rests = not signals.names_classes
        if self.accuracies is None:
            self.weights_ = signal_numbers("weights", self.weights, signals)
        else:
            right = signal_numbers("accuracies", self.accuracies, signals)
            check_accuracies("accuracies", right)
            self.weights_ = np.log(right * (1 if rests else k - 1) / (1 - right))
        n_values = signals.n_choices
        column, vote = np.divmod(np.arange(len(signals.columns) * n_values), n_values)
        signal, label = signals.columns[column].T
        said = np.eye(k)[label if rests else vote]
        against = rests & (vote == 0)
        each = by_column(self.weights_, signals)[column]
        added = np.where(against, -each, each)[:, None] * said
        return VoteModel(signal, label, vote, added, np.zeros(k), group=column)

    @property
    def note_(self) -> str:
        return "votes count as their weights say, nothing was learned"
