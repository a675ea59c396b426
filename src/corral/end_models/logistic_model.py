"""Logistic regression that learns one gradient step at a time, in NumPy."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.special import softmax

from corral._types import FloatArray
from corral.checks import check_choice, check_number
from corral.end_models.gradient_model import GradientModel, Slope, score_slope
from corral.errors import ParameterError
from corral.storage.content_checks import check_floats

DECAY = 0.9, 0.999
"""How much Adam keeps of its means of the gradient and of its square."""


@dataclass(eq=False)
class LogisticModel(GradientModel):
    """Logistic regression for any number of classes.

    Features are standardised, sparse ones without filling them; weights start at zero.

    Parameters
    ----------
    learning_rate : float
    rule : "adam" or "descent"
        How a gradient becomes a step: Adam's rule, or the learning rate times it.
    intercept : bool

    Attributes
    ----------
    weights_ : (d, c) array of float
        Of standardised features; with `intercept` the last row is the constant. One
        column per class; for two classes one in all.

    Examples
    --------
    >>> import numpy as np
    >>> from corral import LogisticModel
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> model = LogisticModel(learning_rate=0.1)
    >>> model = model.begin(X, np.array(["low", "high"]), np.random.default_rng(0))
    >>> for _ in range(100):
    ...     before = model.step(X, lambda p: -np.eye(2)[y] / p)  # cross-entropy
    >>> model.predict(X).tolist()
    ['low', 'low', 'high', 'high']
    """

    learning_rate: float = 1e-3
    rule: Literal["adam", "descent"] = "adam"
    intercept: bool = True

    def _start(self, X: Any, _: np.random.Generator) -> None:
        check_choice("rule", self.rule, ("adam", "descent"))
        check_number("learning_rate", self.learning_rate)
        if X.ndim != 2:
            raise ParameterError(
                f"LogisticModel takes features (n, d); the shape given is {X.shape}. "
                "Flatten them, or give a PyTorch module as model."
            )
        k = len(self.classes_)
        self._mean, self._scale = _mean_and_scale(X)
        self.weights_ = np.zeros((X.shape[1] + self.intercept, 1 if k == 2 else k))
        self._moments = np.zeros((2, *self.weights_.shape))
        self._steps = 0

    def _probabilities(self, X: Any) -> FloatArray:
        # The mean is taken off the scores, not the features, so that these stay sparse.
        d = len(self._scale)
        weights = self.weights_[:d] / self._scale[:, None]
        scores = X @ weights - self._mean @ weights + self.weights_[d:].sum(axis=0)
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return softmax(scores, axis=1)

    def step(self, X: Any, slope: Slope) -> FloatArray:
        before = self._probabilities(X)
        gradient = self._gradient(X, score_slope(before, slope(before)))
        self.weights_ = self.weights_ - self.learning_rate * self._direction(gradient)
        return before

    def _gradient(self, X: Any, by_score: FloatArray) -> FloatArray:
        """Derivative by the weights, from that by the scores (n, k)."""
        by_score = by_score[:, -self.weights_.shape[1] :]
        total = by_score.sum(axis=0)
        gradient = (X.T @ by_score - np.outer(self._mean, total)) / self._scale[:, None]
        return np.vstack([gradient, total]) if self.intercept else gradient

    def _direction(self, gradient: FloatArray) -> FloatArray:
        if self.rule == "descent":
            return gradient
        self._steps += 1
        means = []
        for moment, decay, new in zip(
            self._moments, DECAY, (gradient, gradient**2), strict=True
        ):
            moment *= decay
            moment += (1 - decay) * new
            means.append(moment / (1 - decay**self._steps))
        direction: FloatArray = means[0] / (np.sqrt(means[1]) + 1e-8)
        return direction


@dataclass(frozen=True)
class LogisticWeights:
    """A trained `LogisticModel`, as a file keeps it.

    Attributes
    ----------
    model : LogisticModel
        Its options.
    mean, scale : (d,) arrays of float
        Of the features that it was trained on.
    weights : (d, c) array of float
    """

    model: LogisticModel
    mean: FloatArray
    scale: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, trained: LogisticModel) -> LogisticWeights:
        """Those of a model; what further steps would begin with is left out."""
        return cls(trained, trained._mean, trained._scale, trained.weights_)

    def trained(self, classes: NDArray[Any]) -> LogisticModel:
        """The model that predicts these classes; a ValueError if it cannot."""
        d, k = len(self.mean), len(classes)
        check_floats("mean", self.mean, (d,))
        check_floats("scale", self.scale, (d,), low=np.finfo(float).tiny)
        shape = (d + bool(self.model.intercept), 1 if k == 2 else k)
        check_floats("weights", self.weights, shape)
        model = copy(self.model)
        model.classes_, model._shape = classes, (d,)
        model._mean, model._scale, model.weights_ = self.mean, self.scale, self.weights
        model._moments, model._steps = np.zeros((2, *shape)), 0
        return model


def _mean_and_scale(X: Any) -> tuple[FloatArray, FloatArray]:
    """(d,) mean and (d,) standard deviation of features; one for constants."""
    mean = np.asarray(X.mean(axis=0), float).ravel()
    squares = X.multiply(X) if issparse(X) else (X - mean) ** 2
    variance = np.asarray(squares.mean(axis=0), float).ravel()
    if issparse(X):
        variance = np.maximum(variance - mean**2, 0)
    deviation = np.sqrt(variance)
    return mean, np.where(deviation <= 1e-9 * np.abs(mean), 1.0, deviation)
