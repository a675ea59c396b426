"""Adversarial label learning (ALL): two classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.checks import check_number, check_positive
from corral.end_models.gradient_model import GradientModel
from corral.end_models.logistic_model import LogisticModel
from corral.errors import SignalsError
from corral.labelers.feature_labeler import FeatureLabeler, Problem, TrainingResult
from corral.labelers.label_bounds import Bounds
from corral.labelers.probabilities import class_columns
from corral.progress import progress
from corral.signals import WeakSignals

SETTLED = 1e-6
"""Training ends where no label moves, and no bound is violated, by more."""


@dataclass(eq=False, repr=False, kw_only=True)
class AdversarialLabeler(FeatureLabeler):
    """A classifier trained against the worst labels that the bounds allow (ALL).

    Of all labels under which every signal is wrong at most as often as said, an adversary
    takes those on which the classifier errs most; the classifier learns to err little
    even then. Two classes; `StochasticGALL` takes any number.

    Parameters
    ----------
    error_rates : float, array, mapping, "auto" or an estimator
        Every signal is wrong at most so often; as for `ConstrainedLabeler`.
    constraints : list of constraints, optional
        What else the labels should meet; all kinds but `Known`.
    model : LogisticModel, PyTorch module or TorchModel, optional
        The classifier. Default: the published one, a logistic regression without
        intercept and plain gradient descent with the learning rate 0.0001.
    penalty : float
        Weight of violations, and the step of their multipliers.
    max_iter : int
        Steps at most. With the published learning rate nothing settles before; stopping
        there is part of the method.
    ties, uncovered
        As for `MajorityVote`.
    random_state : int, optional
        For random ties, and for what is random in a PyTorch module.

    Attributes
    ----------
    labels_ : (n, k) array of float
        What the classifier says of the examples.
    model_ : GradientModel
        The classifier; ``model_.predict(X)`` needs no votes.
    adversarial_labels_ : (n, k) array of float
        The adversary's labels.
    history_ : array of float
        The largest violation of a bound under these, by step.
    n_iter_, converged_
        Steps taken, and whether everything had settled.
    error_rates_ : (m,) or (m, k) array of float

    References
    ----------
    C. Arachie and B. Huang, Adversarial label learning. AAAI 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from corral import AdversarialLabeler, WeakSignals
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> signals = WeakSignals.from_probabilities([[0.1, 0.3], [0.6, 0.2], [0.9, 0.4],
    ...     [0.8, 0.9]])
    >>> labeler = AdversarialLabeler(0.3).fit(signals, X=X)
    >>> labeler.model_.predict([[-1.5], [0.5]]).tolist()
    [0, 1]
    """

    error_rates: Any = field(default=0.3, kw_only=False)
    penalty: float = 2.5
    max_iter: int = 10_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("penalty", self.penalty)
        check_positive("max_iter", self.max_iter)

    def _check_input(
        self, signals: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[WeakSignals, FloatArray | None]:
        read, weights = super()._check_input(signals, y, sample_weight)
        if read.n_label_columns > 1:
            raise SignalsError(
                "AdversarialLabeler is for signals with one opinion on two classes, but "
                f"these are {read.kind.value} of {read.n_classes} classes. Use "
                "StochasticGALL."
            )
        return read, weights

    def _gradient_model(self) -> GradientModel:
        if self.model is None:
            return LogisticModel(1e-4, "descent", intercept=False)
        return super()._gradient_model()

    def _train(self, problem: Problem, model: GradientModel) -> TrainingResult:
        adversary = BoxAdversary(problem.bounds, problem.shares, self.penalty)
        history: list[float] = []
        p, moved = np.full((len(problem.shares), 2), np.inf), np.inf
        with progress("training against the worst labels", self.max_iter) as bar:
            while len(history) < self.max_iter and moved > SETTLED:
                y, seen = adversary.y, p
                p = model.step(problem.X, adversary.slope)
                adversary.step(p)
                history.append(problem.bounds.worst(adversary.y))
                moved = max(np.abs(p - seen).max(), np.abs(adversary.y - y).max())
                moved = max(moved, history[-1])
                bar.advance()
        self.adversarial_labels_ = class_columns(adversary.y)
        return TrainingResult(adversary.y, history, bool(moved <= SETTLED))


class BoxAdversary:
    """Labels of two classes within bounds, on which a classifier errs most.

    Ascends ``objective + multipliers @ violation - penalty / 2 |violation|^2`` in the
    labels, where the objective is the share of wrong labels and only positive violations
    are penalised, with steps ``1, 1/2, 1/3, ...``.

    Parameters
    ----------
    bounds : Bounds
    shares : (n,) array of float
    penalty : float

    Attributes
    ----------
    y : (n, 1) array of float
    multipliers : (b,) array of float
        Not positive.
    """

    def __init__(self, bounds: Bounds, shares: FloatArray, penalty: float) -> None:
        self.bounds = bounds
        self.penalty = penalty
        self.y = np.full((len(shares), 1), 0.5)
        self.multipliers = np.zeros(len(bounds))
        self._shares = shares[:, None]
        self._steps = 0

    def slope(self, _: FloatArray) -> FloatArray:
        """(n, 2) derivative of the objective by the probabilities of the classifier."""
        return self._shares * (1 - class_columns(self.y))

    def gradient(self, p: FloatArray, violation: FloatArray) -> FloatArray:
        """(n, 1) derivative by the labels, given probabilities (n, 2)."""
        # As published, the penalty acts on examples, not on shares of them.
        penalty = self.penalty * np.maximum(violation, 0) * self.bounds.size
        objective: FloatArray = self._shares * (1 - 2 * p[:, 1:])
        return objective + self.bounds.pull(self.multipliers - penalty)

    def step(self, p: FloatArray) -> None:
        """Move the labels against probabilities (n, 2), then the multipliers."""
        self._steps += 1
        violation = self.bounds.violation(self.y)
        self.y = np.clip(self.y + self.gradient(p, violation) / self._steps, 0, 1)
        self.multipliers = np.minimum(self.multipliers - self.penalty * violation, 0)
