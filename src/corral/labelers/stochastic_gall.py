"""Stochastic generalised adversarial label learning (Stoch-GALL): any number of classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray
from corral.checks import check_number, check_positive
from corral.end_models.gradient_model import GradientModel, Slope
from corral.labelers.feature_labeler import FeatureLabeler, Problem, TrainingResult
from corral.labelers.label_bounds import Bounds
from corral.labelers.probabilities import class_columns
from corral.progress import progress

EVERY = 2
"""Epochs between two answers of the adversary."""
ANSWER = 10
"""Steps of an answer."""
STILL = 0.01
"""Mean change of a probability in an epoch that counts as none."""


@dataclass(eq=False, repr=False, kw_only=True)
class StochasticGALL(FeatureLabeler):
    """A classifier trained in turns with worst-case labels that meet bounds (Stoch-GALL).

    An adversary takes labels that meet the bounds and on which the classifier errs most.
    Before training it does so alone; then the classifier learns its labels batch by
    batch, and every second epoch the adversary answers.

    Parameters
    ----------
    error_rates : float, array, mapping, "auto" or an estimator
        Every signal is wrong at most so often; as for `ConstrainedLabeler`. None: only
        `constraints`.
    constraints : list of constraints, optional
        What else the labels should meet, such as ``Precision(0, "spam", at_least=0.9)``;
        all kinds but `Known`.
    model : LogisticModel, PyTorch module or TorchModel, optional
        The classifier; default: logistic regression.
    epochs : int
        Passes of the classifier over the examples.
    batch_size : int
    warm_up : int
        Steps of the adversary before training.
    penalty : float
        Weight of violations, and the step of their multipliers.
    ties, uncovered
        As for `MajorityVote`.
    random_state : int, optional
        For the order of the examples, random ties, and what is random in a PyTorch
        module.

    Attributes
    ----------
    labels_, model_, adversarial_labels_, error_rates_
        As for `AdversarialLabeler`.
    history_ : array of float
        The largest violation of a bound under the adversary's labels, by epoch.
    n_iter_, converged_
        Epochs, and whether in the last of them the bounds were met and probabilities
        changed by less than 0.01 on average.

    Notes
    -----
    The adversary maximises, as published; the authors' stored code minimises in its
    answers. Labels are projected onto the simplex at every step.

    References
    ----------
    C. Arachie and B. Huang, A general framework for adversarial label learning. JMLR 22,
    2021.

    Examples
    --------
    >>> import numpy as np
    >>> from corral import StochasticGALL
    >>> X = np.repeat(np.eye(3), 20, axis=0)
    >>> votes = np.repeat([[0, 0, 1], [1, 1, 1], [2, 0, 2]], 20, axis=0)
    >>> labeler = StochasticGALL(0.3, epochs=100, random_state=0).fit(votes, X=X)
    >>> labeler.model_.predict(np.eye(3)).tolist()
    [0, 1, 2]
    """

    epochs: int = 20
    batch_size: int = 32
    warm_up: int = 300
    penalty: float = 0.1

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name in ("epochs", "batch_size", "warm_up"):
            check_positive(name, getattr(self, name))
        check_number("penalty", self.penalty)

    def _train(self, problem: Problem, model: GradientModel) -> TrainingResult:
        k, columns = problem.signals.n_classes, problem.signals.n_label_columns
        p = np.full((len(problem.signals), k), 1 / k)
        adversary = SimplexAdversary(
            problem.bounds, problem.shares, columns, self.penalty
        )
        history: list[float] = []
        total = self.warm_up + ANSWER * (self.epochs // EVERY) + self.epochs
        with progress("training in turns with an adversary", total) as bar:
            for _ in range(self.warm_up):
                adversary.step(p)
                bar.advance()
            for epoch in range(1, self.epochs + 1):
                self._epoch(problem, model, class_columns(adversary.y))
                seen, p = p, model.predict_proba(problem.X)
                if epoch % EVERY == 0:
                    adversary.rest()
                    for _ in range(ANSWER):
                        adversary.step(p)
                history.append(problem.bounds.worst(adversary.y))
                bar.advance(1 if epoch % EVERY else 1 + ANSWER)
        self.adversarial_labels_ = class_columns(adversary.y)
        still = float(np.abs(p - seen).mean()) <= STILL
        return TrainingResult(adversary.y, history, still)

    def _epoch(
        self, problem: Problem, model: GradientModel, target: FloatArray
    ) -> None:
        """One pass of the model over the examples, by cross-entropy."""
        order = problem.rng.permutation(np.flatnonzero(problem.shares))
        pull = problem.shares[:, None] * target * (len(order) / self.batch_size)
        for a in range(0, len(order), self.batch_size):
            rows = order[a : a + self.batch_size]
            model.step(problem.X[rows], _cross_entropy_slope(pull[rows]))


def _cross_entropy_slope(target: FloatArray) -> Slope:
    return lambda p: -target / np.maximum(p, 1e-12)


class SimplexAdversary:
    """Labels that meet bounds, and on which a classifier errs as much as possible.

    Projected Adagrad on the augmented Lagrangian of
    ``sum of shares * y (1 - p)`` under the bounds.

    Parameters
    ----------
    bounds : Bounds
    shares : (n,) array of float
    n_columns : int
    penalty : float

    Attributes
    ----------
    y : (n, n_columns) array of float
    """

    def __init__(
        self, bounds: Bounds, shares: FloatArray, n_columns: int, penalty: float
    ) -> None:
        self.bounds = bounds
        self.penalty = penalty
        self._shares = shares[:, None]
        self._multipliers = np.zeros(len(bounds))
        self.y = np.full((len(shares), n_columns), 1 / max(n_columns, 2))
        self.rest()

    def rest(self) -> None:
        """Forget the sizes of past steps."""
        self._squares = np.zeros_like(self.y)

    def step(self, p: FloatArray) -> None:
        """One step against the class probabilities (n, k) of a classifier."""
        bounds, wrong = self.bounds, 1 - p[:, -self.y.shape[1] :]
        if self.y.shape[1] == 1:
            wrong = 2 * wrong - 1  # what is not the second class is the first
        violation = bounds.violation(self.y)
        self._multipliers = np.minimum(self._multipliers - self.penalty * violation, 0)
        back = self._multipliers - self.penalty * np.maximum(violation, 0)
        # Times the number of examples, so that the constant under the root is small.
        gradient = len(p) * (self._shares * wrong + bounds.pull(back))
        self._squares += gradient**2
        moved = self.y + gradient / np.sqrt(self._squares + 1e-8)
        if moved.shape[1] == 1:
            self.y = np.clip(moved, 0, 1)
        else:
            self.y = project_to_simplex(moved)


def project_to_simplex(v: FloatArray) -> FloatArray:
    """The nearest probabilities to every row, (n, k) -> (n, k).

    Examples
    --------
    >>> import numpy as np
    >>> from corral.labelers.stochastic_gall import project_to_simplex
    >>> project_to_simplex(np.array([[0.5, 0.8, -0.2]])).round(2).tolist()
    [[0.35, 0.65, 0.0]]
    """
    falling = -np.sort(-v, axis=1)
    excess = (falling.cumsum(axis=1) - 1) / np.arange(1, v.shape[1] + 1)
    last = (falling > excess).sum(axis=1, keepdims=True) - 1
    return np.maximum(v - np.take_along_axis(excess, last, axis=1), 0)
