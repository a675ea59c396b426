"""Labels from votes and features: ALL, Stoch-GALL and DCWS.

All three look for labels under which every signal is wrong at most as often as said, and
train a classifier on the way. The labels are what the classifier says of the examples, so
those that no signal votes on have labels, too; they do not count in training.

C. Arachie and B. Huang, Adversarial label learning. AAAI 2019; A general framework for
adversarial label learning. JMLR 22, 2021; Data consistent weak supervision. arXiv
2202.03987.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from scipy.sparse import csr_array, issparse

from corral import MajorityVote, WeakSignals
from corral._types import FloatArray
from corral.constraints import make_system
from corral.constraints.system import row_means
from repro.gradient_models import GradientModel, LogisticModel

SETTLED = 1e-6
"""ALL ends where no label moves, and no bound is violated, by more."""
MET, PATIENCE = 1e-8, 100
"""DCWS ends if violations, slack taken off, added up to less than this, after so many
steps without a smaller sum."""
ANSWER_EVERY, ANSWER_STEPS = 2, 10
"""Epochs between two answers of Stoch-GALL's adversary, and the steps of an answer."""


class Bounds:
    """``A y <= b``: how often a signal is wrong, less its bound, is not positive.

    Labels ``y`` are (n, c), one column for two classes, one per class otherwise. They may
    differ between examples that have the same votes.

    Parameters
    ----------
    signals : WeakSignals
    rates : float, (m,) or (m, k) array of float
        Every signal is wrong at most so often.
    """

    def __init__(self, signals: WeakSignals, rates: Any) -> None:
        each = np.asarray(rates, float)
        each = np.full(signals.n_signals, rates) if each.ndim == 0 else each
        self.signals, self.system = signals, make_system(signals, each)

    def __len__(self) -> int:
        return len(self.system)

    def violation(self, y: FloatArray) -> FloatArray:
        """(b,) how far labels (n, c) are beyond every bound; negative: within it."""
        return self.system.errors(row_means(self.signals, y)) - self.system.upper

    def pull(self, multipliers: FloatArray) -> FloatArray:
        """(n, c) derivative of ``multipliers @ violation(y)`` by the labels."""
        weights = self.system.spread(multipliers / self.system.size)
        return self.system.pull(weights)[self.signals.row_of]

    def worst(self, y: FloatArray) -> float:
        """The largest violation; 0 if all bounds are met."""
        return max(0.0, float(self.violation(y).max()))


@dataclass(frozen=True)
class Problem:
    """What a method works on; `shares` (n,) says how much every example counts."""

    X: Any
    signals: WeakSignals
    bounds: Bounds
    shares: FloatArray
    rng: np.random.Generator


@dataclass(kw_only=True)
class FeatureLabeler:
    """What the three methods have in common.

    Parameters
    ----------
    error_rates : float or array
        Every signal is wrong at most so often.
    model : GradientModel, optional
        The classifier; default: logistic regression.
    random_state : int, optional

    Attributes
    ----------
    labels_ : (n, k) array of float
        What the classifier says of the examples.
    model_ : GradientModel
        The classifier; ``model_.predict_proba(X)`` needs no votes.
    history_ : list of float
        The largest violation of a bound, by round.
    """

    model: GradientModel | None = None
    random_state: int | None = None
    error_rates: Any = 0.3

    @abstractmethod
    def _train(self, problem: Problem, model: GradientModel) -> list[float]:
        """Train the model; the largest violation of a bound, by round."""

    def fit(self, signals: WeakSignals, X: Any) -> Self:
        features = csr_array(X, dtype=float) if issparse(X) else np.asarray(X, float)
        bounds, rng = (
            Bounds(signals, self.error_rates),
            np.random.default_rng(self.random_state),
        )
        shares = signals.covered / signals.covered.sum()
        model = LogisticModel() if self.model is None else self.model
        self.model_ = model.begin(features, signals.n_classes, rng)
        problem = Problem(features, signals, bounds, shares, rng)
        self.history_ = self._train(problem, self.model_)
        self.labels_ = self.model_.predict_proba(features)
        return self


@dataclass(kw_only=True)
class AdversarialLabeler(FeatureLabeler):
    """ALL: a classifier trained against the worst labels that the bounds allow.

    Two classes. The published classifier is a logistic regression without intercept,
    and stopping its plain gradient descent early is part of the method.

    Attributes
    ----------
    adversarial_labels_ : (n, k) array of float
        The labels within the bounds on which the classifier errs most.
    """

    penalty: float = 2.5
    max_iter: int = 10_000

    def __post_init__(self) -> None:
        if self.model is None:
            self.model = LogisticModel(1e-4, "descent", intercept=False)

    def _train(self, problem: Problem, model: GradientModel) -> list[float]:
        adversary = BoxAdversary(problem.bounds, problem.shares, self.penalty)
        history: list[float] = []
        p, moved = np.full((len(problem.shares), 2), np.inf), np.inf
        while len(history) < self.max_iter and moved > SETTLED:
            y, seen = adversary.y, p
            p = model.step(problem.X, adversary.slope)
            adversary.step(p)
            history.append(problem.bounds.worst(adversary.y))
            moved = max(np.abs(p - seen).max(), np.abs(adversary.y - y).max())
            moved = max(moved, history[-1])
        self.adversarial_labels_ = problem.bounds.system.class_labels(adversary.y)
        return history


class BoxAdversary:
    """Labels of two classes within bounds, on which a classifier errs most.

    Ascends ``objective + multipliers @ violation - penalty / 2 |violation|^2`` in the
    labels `y` (n, 1), where the objective is the share of wrong labels and only positive
    violations are penalised, with steps ``1, 1/2, 1/3, ...``.
    """

    def __init__(self, bounds: Bounds, shares: FloatArray, penalty: float) -> None:
        self.bounds = bounds
        self.penalty = penalty
        self.y = np.full((len(shares), 1), 0.5)
        self.multipliers = np.zeros(len(bounds))  # not positive
        self._shares = shares[:, None]
        self._steps = 0

    def slope(self, _: FloatArray) -> FloatArray:
        """(n, 2) derivative of the objective by the probabilities of the classifier."""
        return self._shares * (1 - self.bounds.system.class_labels(self.y))

    def gradient(self, p: FloatArray, violation: FloatArray) -> FloatArray:
        """(n, 1) derivative by the labels, given probabilities (n, 2)."""
        # As published, the penalty acts on examples, not on shares of them.
        penalty = self.penalty * np.maximum(violation, 0) * self.bounds.system.size
        objective: FloatArray = self._shares * (1 - 2 * p[:, 1:])
        return objective + self.bounds.pull(self.multipliers - penalty)

    def step(self, p: FloatArray) -> None:
        """Move the labels against probabilities (n, 2), then the multipliers."""
        self._steps += 1
        violation = self.bounds.violation(self.y)
        self.y = np.clip(self.y + self.gradient(p, violation) / self._steps, 0, 1)
        self.multipliers = np.minimum(self.multipliers - self.penalty * violation, 0)


@dataclass(kw_only=True)
class StochasticGALL(FeatureLabeler):
    """Stoch-GALL: a classifier trained in turns with worst-case labels.

    An adversary takes labels that meet the bounds and on which the classifier errs most:
    before training alone, and then every second epoch. The classifier learns its labels
    batch by batch. Labels are projected onto the simplex at every step.

    Parameters
    ----------
    answers : "max" or "min"
        The adversary maximises in its answers, as published, or minimises, as the authors'
        stored code does; before training it always maximises.

    Attributes
    ----------
    adversarial_labels_ : (n, k) array of float
    """

    epochs: int = 20
    batch_size: int = 32
    warm_up: int = 300
    penalty: float = 0.1
    answers: Literal["max", "min"] = "max"

    def _train(self, problem: Problem, model: GradientModel) -> list[float]:
        k = problem.signals.n_classes
        p = np.full((len(problem.signals), k), 1 / k)
        bounds, history = problem.bounds, []
        adversary = SimplexAdversary(bounds, problem.shares, self.penalty)
        for _ in range(self.warm_up):
            adversary.step(p)
        for epoch in range(1, self.epochs + 1):
            self._epoch(problem, model, bounds.system.class_labels(adversary.y))
            p = model.predict_proba(problem.X)
            if epoch % ANSWER_EVERY == 0:
                adversary.rest()
                for _ in range(ANSWER_STEPS):
                    adversary.step(p, self.answers)
            history.append(bounds.worst(adversary.y))
        self.adversarial_labels_ = problem.bounds.system.class_labels(adversary.y)
        return history

    def _epoch(
        self, problem: Problem, model: GradientModel, target: FloatArray
    ) -> None:
        """One pass of the model over the examples, by cross-entropy."""
        order = problem.rng.permutation(np.flatnonzero(problem.shares))
        pull = problem.shares[:, None] * target * (len(order) / self.batch_size)
        for a in range(0, len(order), self.batch_size):
            rows = order[a : a + self.batch_size]
            model.step(problem.X[rows], partial(_cross_entropy_slope, pull[rows]))


def _cross_entropy_slope(target: FloatArray, p: FloatArray) -> FloatArray:
    return -target / np.maximum(p, 1e-12)


class SimplexAdversary:
    """Labels `y` (n, c) that meet bounds, and on which a classifier errs most.

    Projected Adagrad on the augmented Lagrangian of ``sum of shares * y (1 - p)`` under
    the bounds.
    """

    def __init__(self, bounds: Bounds, shares: FloatArray, penalty: float) -> None:
        self.bounds, n_columns = bounds, bounds.system.n_labels
        self.penalty = penalty
        self._shares = shares[:, None]
        self._multipliers = np.zeros(len(bounds))
        self.y = np.full((len(shares), n_columns), 1 / max(n_columns, 2))
        self.rest()

    def rest(self) -> None:
        """Forget the sizes of past steps."""
        self._squares = np.zeros_like(self.y)

    def step(self, p: FloatArray, to: Literal["max", "min"] = "max") -> None:
        """One step against, or towards, the class probabilities (n, k) of a classifier."""
        bounds, wrong = self.bounds, 1 - p[:, -self.y.shape[1] :]
        if self.y.shape[1] == 1:
            wrong = 2 * wrong - 1  # what is not the second class is the first
        violation = bounds.violation(self.y)
        # As in the authors' code: to minimise, multipliers and labels move the other way,
        # and the gradient is the same.
        sign, keep = (1, np.minimum) if to == "max" else (-1, np.maximum)
        self._multipliers = keep(self._multipliers - sign * self.penalty * violation, 0)
        back = self._multipliers - self.penalty * np.maximum(violation, 0)
        # Times the number of examples, so that the constant under the root is small.
        gradient = len(p) * (self._shares * wrong + bounds.pull(back))
        self._squares += gradient**2
        moved = self.y + sign * gradient / np.sqrt(self._squares + 1e-8)
        one = moved.shape[1] == 1
        self.y = np.clip(moved, 0, 1) if one else project_to_simplex(moved)


def project_to_simplex(v: FloatArray) -> FloatArray:
    """The nearest probabilities to every row, (n, k) -> (n, k)."""
    falling = -np.sort(-v, axis=1)
    excess = (falling.cumsum(axis=1) - 1) / np.arange(1, v.shape[1] + 1)
    last = (falling > excess).sum(axis=1, keepdims=True) - 1
    return np.maximum(v - np.take_along_axis(excess, last, axis=1), 0)


@dataclass(kw_only=True)
class DataConsistentLabeler(FeatureLabeler):
    """DCWS: labels that are a function of the features and meet bounds, nearly.

    The classifier is drawn to the majority vote, and is to meet the bounds up to some
    slack, which costs. The published rate 0 asks for as few errors as slack allows. Votes
    that are tied draw to neither side; the authors' code draws such labels at random.
    """

    error_rates: Any = 0.0
    slack_cost: float = 10.0
    learning_rate: float = 0.01
    max_iter: int = 1000

    def _train(self, problem: Problem, model: GradientModel) -> list[float]:
        game = Lagrangian(problem, self.slack_cost, self.learning_rate)
        history: list[float] = []
        best, since = np.inf, 0
        while len(history) < self.max_iter and (best > MET or since < PATIENCE):
            y = game.labels(model.step(problem.X, game.slope))
            violation = problem.bounds.violation(y)
            history.append(max(0.0, float(violation.max())))
            beyond = float(np.maximum(violation - game.slack, 0).sum())
            since = 0 if beyond < best else since + 1
            best = min(best, beyond)
            game.step(violation)
        return history


class Lagrangian:
    """What the model descends and the multipliers climb.

    ``sum of shares |y - R|^2 / 2 + slack_cost mean(slack) + multipliers @ (violation -
    slack)``, where ``R`` (n, c) is the majority vote, `target`.
    """

    def __init__(
        self, problem: Problem, slack_cost: float, learning_rate: float
    ) -> None:
        votes = MajorityVote().fit(problem.signals).labels_
        self.bounds = problem.bounds
        self.target = votes[:, -problem.bounds.system.n_labels :]
        self.multipliers = problem.rng.random(len(self.bounds))
        self.slack = np.zeros(len(self.bounds))
        self._shares = problem.shares[:, None]
        self._cost = slack_cost / len(self.bounds)
        self._rate = learning_rate

    def labels(self, p: FloatArray) -> FloatArray:
        """(n, c) label columns of class probabilities (n, k)."""
        return p[:, -self.target.shape[1] :]

    def slope(self, p: FloatArray) -> FloatArray:
        """(n, k) derivative by the probabilities of the model."""
        slope = np.zeros_like(p)
        drawn = self._shares * (self.labels(p) - self.target)
        self.labels(slope)[:] = drawn + self.bounds.pull(self.multipliers)
        return slope

    def step(self, violation: FloatArray) -> None:
        """Descend in the slack, climb in the multipliers."""
        slope = self._cost - self.multipliers
        beyond = violation - self.slack
        self.slack = np.maximum(self.slack - self._rate * slope, 0)
        self.multipliers = np.maximum(self.multipliers + self._rate * beyond, 0)
