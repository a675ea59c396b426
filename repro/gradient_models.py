"""Classifiers that learn one gradient step at a time.

A method knows the derivative of its objective by the probabilities; a classifier knows how
these depend on its parameters. So all that passes between them is an array of
probabilities one way and an array of slopes the other.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self, TypeAlias

import numpy as np
from scipy.sparse import issparse
from scipy.special import softmax

from corral._types import FloatArray
from repro.networks import seed_torch

Slope: TypeAlias = Callable[[FloatArray], FloatArray]
"""From probabilities (n, k) to the derivative of an objective by them (n, k)."""
DECAY = 0.9, 0.999
"""How much Adam keeps of its means of the gradient and of its square."""
PREDICTED_AT_ONCE = 128
"""Examples in a batch that is not trained on."""


class GradientModel(Protocol):
    """A classifier that learns one gradient step at a time."""

    def begin(self, X: Any, n_classes: int, rng: np.random.Generator) -> Self:
        """A copy of this model, ready to learn from features (n, ...)."""

    def step(self, X: Any, slope: Slope) -> FloatArray:
        """Take one step down an objective; the probabilities (n, k) before it."""

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities (n, k)."""


@dataclass(eq=False)
class LogisticModel:
    """Logistic regression for any number of classes, in NumPy.

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
    """

    learning_rate: float = 1e-3
    rule: Literal["adam", "descent"] = "adam"
    intercept: bool = True

    def begin(self, X: Any, n_classes: int, rng: np.random.Generator) -> Self:  # noqa: ARG002
        model = copy(self)
        model._start(X, 1 if n_classes == 2 else n_classes)
        return model

    def _start(self, X: Any, n_columns: int) -> None:
        self._mean, self._scale = _mean_and_scale(X)
        self.weights_ = np.zeros((X.shape[1] + self.intercept, n_columns))
        self._moments = np.zeros((2, *self.weights_.shape))
        self._steps = 0

    def predict_proba(self, X: Any) -> FloatArray:
        # The mean is taken off the scores, not the features, so that these stay sparse.
        d = len(self._scale)
        weights = self.weights_[:d] / self._scale[:, None]
        scores = X @ weights - self._mean @ weights + self.weights_[d:].sum(axis=0)
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return softmax(scores, axis=1)

    def step(self, X: Any, slope: Slope) -> FloatArray:
        before = self.predict_proba(X)
        by_p = slope(before)
        by_score = before * (by_p - (before * by_p).sum(axis=1, keepdims=True))
        by_score = by_score[:, -self.weights_.shape[1] :]
        total = by_score.sum(axis=0)
        gradient = (X.T @ by_score - np.outer(self._mean, total)) / self._scale[:, None]
        if self.intercept:
            gradient = np.vstack([gradient, total])
        self.weights_ = self.weights_ - self.learning_rate * self._direction(gradient)
        return before

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


@dataclass(eq=False)
class TorchModel:
    """A PyTorch module that gives a score (logit) per class.

    Parameters
    ----------
    module : torch.nn.Module
        Training begins with a copy of it, at the weights that it has.
    optimizer : callable, optional
        From parameters to an optimiser; default: Adam with its own learning rate.
    """

    module: Any
    optimizer: Callable[[Any], Any] | None = None

    def begin(self, X: Any, n_classes: int, rng: np.random.Generator) -> Self:  # noqa: ARG002
        model = copy(self)
        model._start(rng)
        return model

    def _start(self, rng: np.random.Generator) -> None:
        import torch

        self.module = deepcopy(self.module)
        make = torch.optim.Adam if self.optimizer is None else self.optimizer
        self._optimizer = make(self.module.parameters())
        self._rng = rng

    def predict_proba(self, X: Any) -> FloatArray:
        import torch

        self.module.eval()
        with torch.no_grad():
            starts = range(0, X.shape[0], PREDICTED_AT_ONCE)
            parts = [self._forward(X[a : a + PREDICTED_AT_ONCE]) for a in starts]
        return np.concatenate([_array(part) for part in parts])

    def step(self, X: Any, slope: Slope) -> FloatArray:
        import torch

        self.module.train()
        with seed_torch(int(self._rng.integers(2**63))):
            before = self._forward(X)
        seen = _array(before)
        self._optimizer.zero_grad()
        before.backward(torch.as_tensor(slope(seen)).to(before))
        self._optimizer.step()
        return seen

    def _forward(self, X: Any) -> Any:
        """(n, k) tensor of probabilities."""
        import torch

        like = next(self.module.parameters())
        dense = X.toarray() if issparse(X) else X
        return torch.softmax(self.module(torch.as_tensor(dense).to(like)), dim=1)


def _array(tensor: Any) -> FloatArray:
    array: FloatArray = tensor.detach().cpu().numpy().astype(float)
    return array


def _mean_and_scale(X: Any) -> tuple[FloatArray, FloatArray]:
    """(d,) mean and (d,) standard deviation of features; one for constants."""
    mean = np.asarray(X.mean(axis=0), float).ravel()
    squares = X.multiply(X) if issparse(X) else (X - mean) ** 2
    variance = np.asarray(squares.mean(axis=0), float).ravel()
    if issparse(X):
        variance = np.maximum(variance - mean**2, 0)
    deviation = np.sqrt(variance)
    return mean, np.where(deviation <= 1e-9 * np.abs(mean), 1.0, deviation)
