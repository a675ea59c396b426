"""What a method that trains a classifier by gradients needs of it.

The method knows the derivative of its objective by the probabilities; the classifier
knows how these depend on its parameters. So all that passes between them is an array of
probabilities one way and an array of slopes the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from corral._types import FloatArray
from corral.errors import ParameterError

Slope: TypeAlias = Callable[[FloatArray], FloatArray]
"""From probabilities (n, k) to the derivative of an objective by them (n, k)."""


class GradientModel(ABC):
    """A classifier that learns one gradient step at a time.

    A subclass implements `_start`, `step` and `_probabilities`.

    Attributes
    ----------
    classes_ : (k,) array
        Class values; the columns of `predict_proba`.
    """

    classes_: NDArray[Any]
    _shape: tuple[int, ...]

    def begin(
        self, X: Any, classes: NDArray[Any], random_state: np.random.Generator
    ) -> Self:
        """A copy of this model, ready to learn classes from features.

        Parameters
        ----------
        X : (n, d) array or sparse array
            The features it will see, for shapes and scales.
        classes : (k,) array
        random_state : Generator
            For whatever is random in training.
        """
        model = copy(self)
        model.classes_ = classes
        model._shape = X.shape[1:]
        model._start(X, random_state)
        return model

    @abstractmethod
    def _start(self, X: Any, random_state: np.random.Generator) -> None:
        """Set the parameters to where training begins."""

    @abstractmethod
    def step(self, X: Any, slope: Slope) -> FloatArray:
        """Take one step down an objective.

        Parameters
        ----------
        X : (n, d) array or sparse array
        slope : callable
            Derivative of the objective by the probabilities of these examples.

        Returns
        -------
        (n, k) array of float
            The probabilities before the step, which `slope` was asked about.
        """

    @abstractmethod
    def _probabilities(self, X: Any) -> FloatArray:
        """Probabilities (n, k) of features that were checked."""

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities (n, k) in the order of `classes_`."""
        features = read_features(X)
        if features.shape[1:] != self._shape:
            raise ParameterError(
                f"the model was trained on features of shape {self._shape} an example; "
                f"{features.shape[1:]} came."
            )
        return self._probabilities(features)

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class values (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def read_features(X: Any) -> Any:
    """Features as an array of float (n, ...), or a sparse one; refuse what is none."""
    try:
        read = csr_array(X, dtype=float) if issparse(X) else np.asarray(X, float)
    except (TypeError, ValueError) as error:
        raise ParameterError("the features X must be numbers.") from error
    if read.ndim < 2 or not read.shape[1]:
        raise ParameterError(
            "the features X must have one row per example, (n, d); the shape given is "
            f"{read.shape}."
        )
    if not np.isfinite(read.data if issparse(read) else read).all():
        raise ParameterError(
            "the features X must be finite; fill in, or leave out, what is missing."
        )
    return read


def score_slope(probabilities: FloatArray, slope: FloatArray) -> FloatArray:
    """Derivative by the scores, of which a softmax made the probabilities.

    Parameters
    ----------
    probabilities, slope : (n, k) arrays of float
        The probabilities, and the derivative of the objective by them.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.end_models.gradient_model import score_slope
    >>> score_slope(np.array([[0.5, 0.5]]), np.array([[0.0, 1.0]]))
    array([[-0.25,  0.25]])
    """
    mean = (probabilities * slope).sum(axis=1, keepdims=True)
    return probabilities * (slope - mean)
