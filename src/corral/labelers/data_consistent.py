"""Data consistent weak supervision (DCWS)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from corral._types import FloatArray
from corral.checks import check_number, check_positive
from corral.end_models.gradient_model import GradientModel
from corral.labelers.feature_labeler import FeatureLabeler, Problem, TrainingResult
from corral.labelers.majority_vote import MajorityVote
from corral.progress import progress

MET = 1e-8
"""Sum of the violations, slack taken off, that counts as none."""
PATIENCE = 100
"""Steps without a smaller sum after which training ends, if they were met."""


@dataclass(eq=False, repr=False, kw_only=True)
class DataConsistentLabeler(FeatureLabeler):
    """Labels that are a function of the features and meet bounds, nearly (DCWS).

    The labels are the probabilities of a classifier. It is drawn to the majority vote,
    and is to meet the bounds up to some slack, which costs. So examples that look alike
    get labels that are alike, whatever their votes.

    Parameters
    ----------
    error_rates : float, array, mapping, "auto" or an estimator
        Every signal is wrong at most so often; as for `ConstrainedLabeler`. None: only
        `constraints`. The published 0 asks for as few errors as slack allows.
    constraints : list of constraints, optional
        What else the labels should meet; all kinds but `Known`.
    model : LogisticModel, PyTorch module or TorchModel, optional
        The classifier; default: logistic regression. Published is a network with a
        hidden layer of 512 and dropout of 0.2.
    slack_cost : float
        What a mean slack of one costs.
    learning_rate : float
        Of slack and multipliers; the model has its own.
    max_iter : int
        Steps at most.
    ties, uncovered
        As for `MajorityVote`.
    random_state : int, optional
        For the multipliers, which start at random, random ties, and what is random in a
        PyTorch module.

    Attributes
    ----------
    labels_, model_, error_rates_
        As for `AdversarialLabeler`.
    slack_ : (b,) array of float
        By how much every bound gave way.
    history_ : array of float
        The largest violation of a bound, by step.
    n_iter_, converged_
        Steps taken, and whether the bounds were met and training had settled.

    Notes
    -----
    Votes that are tied draw to neither side; the authors' code draws such labels at
    random.

    References
    ----------
    C. Arachie and B. Huang, Data consistent weak supervision. arXiv 2202.03987.

    Examples
    --------
    >>> import numpy as np
    >>> from corral import DataConsistentLabeler
    >>> X = np.array([[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0]])
    >>> votes = [[0, -1], [0, 0], [1, 0], [1, -1], [1, 1], [0, 1]]
    >>> labeler = DataConsistentLabeler(random_state=0).fit(votes, X=X)
    >>> labeler.predict(votes, X).tolist()
    [0, 0, 0, 1, 1, 1]
    """

    saved_attributes: ClassVar[dict[str, Any]] = {
        **FeatureLabeler.saved_attributes,
        "slack_": FloatArray,
    }

    error_rates: Any = field(default=0.0, kw_only=False)
    slack_cost: float = 10.0
    learning_rate: float = 0.01
    max_iter: int = 1000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("slack_cost", self.slack_cost)
        check_number("learning_rate", self.learning_rate)
        check_positive("max_iter", self.max_iter)

    def _train(self, problem: Problem, model: GradientModel) -> TrainingResult:
        game = Lagrangian(problem, self.slack_cost, self.learning_rate)
        history: list[float] = []
        best, since = np.inf, 0
        with progress("training a consistent model", self.max_iter) as bar:
            while len(history) < self.max_iter and (best > MET or since < PATIENCE):
                y = game.labels(model.step(problem.X, game.slope))
                violation = problem.bounds.violation(y)
                history.append(max(0.0, float(violation.max())))
                beyond = float(np.maximum(violation - game.slack, 0).sum())
                since = 0 if beyond < best else since + 1
                best = min(best, beyond)
                game.step(violation)
                bar.advance()
        self.slack_ = game.slack
        return TrainingResult(y, history, best <= MET and since >= PATIENCE)


class Lagrangian:
    """What the model descends and the multipliers climb.

    ``sum of shares |y - R|^2 / 2 + slack_cost mean(slack) + multipliers @ (violation -
    slack)``, where ``R`` is the majority vote.

    Parameters
    ----------
    problem : Problem
    slack_cost, learning_rate : float

    Attributes
    ----------
    multipliers, slack : (b,) arrays of float
        Not negative.
    target : (n, c) array of float
        The majority vote.
    """

    def __init__(
        self, problem: Problem, slack_cost: float, learning_rate: float
    ) -> None:
        votes = MajorityVote().fit(problem.signals).labels_
        self.bounds = problem.bounds
        self.target = votes[:, -problem.signals.n_label_columns :]
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
