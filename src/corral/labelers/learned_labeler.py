"""Labelers whose labels are a log-linear model of the votes.

    q_j(k)  in proportion to  exp( bias_k + sum over votes of j of weight[vote, k] )

Independent signals make every posterior one of these, however the weights are found. So
a method says how, `VoteModel` labels any votes, and only distinct rows of votes are
looked at.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from corral._types import BoolArray, FloatArray
from corral.checks import check_positive, require_votes
from corral.error_rates import VoteModel
from corral.error_rates.rates import by_signal, vote_model
from corral.error_rates.vote_features import VoteFeatures, softmax, vote_features
from corral.errors import SignalsWarning, warn_user
from corral.labelers.by_class import ClassFit, entry_errors
from corral.labelers.column_models import ClassModel, ColumnModels
from corral.labelers.fit_data import FitData
from corral.labelers.multilabel import LabelsByClass
from corral.model import Model
from corral.signals import WeakSignals

LEAST_SIGNALS = 3
"""Two signals that disagree do not say which of them is wrong."""
COLLAPSED = 0.995
"""Share of the examples in one class from which labels may say nothing."""
CONTRADICTED = 0.1
"""Share of the votes for other classes from which that is a collapse."""

MOSTLY = 0.5
"""Share of the votes from which one-sided signals are worth a warning."""


@dataclass(frozen=True)
class LearnedWeights:
    """What a method found out about the votes.

    Attributes
    ----------
    weights : (f, k) array of float
        What every feature adds to the log-odds of the classes.
    balance : (k,) array of float
        Shares of the classes, the labels of examples without votes.
    accuracies : (c,) array of float
        How often every column is right; NaN where it never votes.
    history : (rounds,) array of float
        What was maximised or minimised, from the start on.
    iterations : int
    converged : bool
    bias : (k,) array of float, optional
        The log-odds of the classes before any vote, where they are not those of the
        balance.
    """

    weights: FloatArray
    balance: FloatArray
    accuracies: FloatArray
    history: FloatArray
    iterations: int
    converged: bool
    bias: FloatArray | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class LearnedLabeler(LabelsByClass):
    """Base of labelers that learn how good signals are from votes alone.

    A subclass implements `_learn`. With more distinct rows of votes than `max_patterns`,
    it gets a uniform sample of so many examples.

    Attributes
    ----------
    accuracies_ : (m,) array of float, or (m, k) for one-vs-rest signals
        How often every signal is right, by the model; NaN where it never votes.
    error_rates_ : array of float of the same shape
        The rest to one.
    class_balance_ : (k,) array of float
        Shares of the classes, the labels of examples without votes.
    n_iter_ : int
        Rounds or steps taken.
    converged_ : bool
        Whether more of them would change nothing.
    history_ : array of float
        What was maximised or minimised, from the start on; multi-label: one class after
        the other.
    """

    rounds = True
    stored_types: ClassVar[tuple[type, ...]] = (VoteModel, ClassModel, ColumnModels)
    saved_attributes: ClassVar[tuple[str, ...]] = (
        "accuracies_",
        "class_balance_",
        "n_iter_",
        "converged_",
        "history_",
    )

    class_balance: ArrayLike | None = None
    max_patterns: int = 5_000_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("max_patterns", self.max_patterns)

    @abstractmethod
    def _learn(
        self, signals: WeakSignals, features: VoteFeatures, total: float
    ) -> LearnedWeights:
        """Find the weights of the features of hard votes.

        Parameters
        ----------
        signals : WeakSignals
        features : VoteFeatures
            Those of all examples with votes.
        total : float
            Examples (or their weight), those without votes included.
        """

    def _find_model(self, signals: WeakSignals, weights: FloatArray | None) -> Model:
        features, total = learnable(
            signals, weights, self.max_patterns, self._fixed_rng()
        )
        found = self._learn(signals, features, total)
        _warn_of_collapse(signals, features, found)
        self.accuracies_ = by_signal(signals, found.accuracies)
        self.class_balance_ = found.balance
        self.n_iter_ = found.iterations
        self.converged_ = found.converged
        self.history_ = found.history
        prior = np.log(found.balance)
        if found.bias is None:
            return vote_model(signals, features, found.weights, prior)
        model = vote_model(signals, features, found.weights, found.bias)
        return replace(model, silent=found.balance)

    def _take(
        self,
        signals: WeakSignals,
        fits: list[ClassFit],
        model: ColumnModels,
        weights: FloatArray | None,
    ) -> None:
        each = [fit.found for fit in fits]
        self.accuracies_ = 1 - entry_errors(signals, fits, model, weights)
        self.class_balance_ = np.full(signals.n_classes, 0.5)
        for fit in fits:
            self.class_balance_[fit.position] = fit.found.class_balance_[1]
        self.n_iter_ = max(one.n_iter_ for one in each)
        self.converged_ = all(one.converged_ for one in each)
        self.history_ = np.concatenate([one.history_ for one in each])

    @property
    def error_rates_(self) -> FloatArray:
        """How often every signal is wrong, by the model."""
        check_is_fitted(self)
        return 1 - self.accuracies_

    @property
    def note_(self) -> str:
        check_is_fitted(self)
        end = "settled" if self.converged_ else "stopped before they settled"
        return f"accuracies learned from the votes, {end} after {self.n_iter_} rounds"


def learnable(
    signals: WeakSignals,
    weights: FloatArray | None,
    max_patterns: int,
    rng: np.random.Generator,
) -> tuple[VoteFeatures, float]:
    """The votes to learn from, all or a sample, and how many examples they are of."""
    data = FitData.of(signals, weights, None)
    if data.n_patterns > max_patterns:
        data, _ = data.sample(np.arange(len(signals)), max_patterns, rng)
    features = vote_features(data.signals, data.weights)
    require_votes(features.n_patterns)
    if (features.votes_cast > 0).sum() < LEAST_SIGNALS:
        warn_user(
            f"fewer than {LEAST_SIGNALS} signals vote, so nothing says which of them is "
            "wrong where they disagree; what is learned of them is arbitrary. "
            f"`MajorityVote`, or `ConstrainedLabeler` with given error "
            "rates, takes any number.",
            SignalsWarning,
        )
    total = len(data.signals) if data.weights is None else data.weights.sum()
    return features, float(total)


def one_sided(features: VoteFeatures) -> BoolArray:
    """(c,) which columns only ever cast one vote, whatever the example."""
    sided: BoolArray = np.bincount(features.column, minlength=features.n_columns) == 1
    return sided


def share_of(features: VoteFeatures, columns: BoolArray) -> float:
    """Share of all votes that some columns (c,) cast."""
    return float(features.votes_cast[columns].sum() / features.votes_cast.sum())


def list_names(signals: WeakSignals, columns: BoolArray, most: int = 5) -> str:
    """The first few signals among the columns, to be read by a person."""
    found = list(dict.fromkeys(signals.columns[np.flatnonzero(columns), 0].tolist()))
    shown = ", ".join(signals.names[i] for i in found[:most])
    return shown + (", ..." if len(found) > most else "")


def coin_weights(features: VoteFeatures, accuracies: FloatArray) -> FloatArray:
    """(f, k) log-probability of votes given the class, for one accuracy per column (c,).

    A vote is right with that probability, and all wrong ones are as likely.
    """
    right = accuracies[features.column][:, None]
    wrong = (1 - right) / (features.n_values - 1)
    return np.log(np.where(features.member > 0, right, wrong))


def _warn_of_collapse(
    signals: WeakSignals, features: VoteFeatures, found: LearnedWeights
) -> None:
    """Tell the user if nearly all examples ended in a class that votes contradict."""
    bias = np.log(found.balance) if found.bias is None else found.bias
    labels = softmax(features.matrix @ found.weights + bias)
    shares = features.counts @ labels / features.counts.sum()
    k = int(shares.argmax())
    said = features.size @ (
        features.member / features.member.sum(axis=1, keepdims=True)
    )
    contrary = 1 - said[k] / said.sum()
    sided = one_sided(features)
    if (
        shares[k] < COLLAPSED
        or contrary < CONTRADICTED
        or share_of(features, sided) < MOSTLY
    ):
        return
    warn_user(
        f"the labels collapsed: {shares[k]:.1%} of the examples are "
        f"{signals.classes[k]!s}, though {contrary:.0%} of the votes say otherwise. "
        f"{int(sided.sum())} of {features.n_columns} signals only ever say one thing; one "
        "class for all explains them perfectly, and nothing in the votes is against "
        f"it. Use `ConstrainedLabeler`, `MeTaL` or "
        f"`MajorityVote` for such signals.",
        SignalsWarning,
    )
