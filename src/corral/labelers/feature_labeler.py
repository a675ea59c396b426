"""Labelers that train a classifier on features while they look for labels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from corral._types import BoolArray, FloatArray
from corral.constraints import Constraint
from corral.end_models.gradient_model import GradientModel, read_features
from corral.end_models.logistic_model import LogisticModel, LogisticWeights
from corral.end_models.torch_model import TorchModel
from corral.error_rates import RateSource
from corral.errors import (
    ConvergenceWarning,
    ParameterError,
    StorageError,
    warn_user,
)
from corral.labelers.constrained_file import RULE_TYPES, rules_to_save
from corral.labelers.explanation import Explanation, check_position
from corral.labelers.label_bounds import Bounds, make_bounds
from corral.labelers.labeler import Labeler
from corral.model import Contributions, opaque_contributions
from corral.signals import WeakSignals
from corral.solvers.solution import TOLERANCE
from corral.storage.content_checks import check_shape, require


@dataclass(frozen=True)
class Problem:
    """What a method works on.

    Attributes
    ----------
    X : (n, ...) array or sparse array
    signals : WeakSignals
    bounds : Bounds
    shares : (n,) array of float
        How much every example counts, one in all; zero if no signal votes on it.
    rng : Generator
    """

    X: Any
    signals: WeakSignals
    bounds: Bounds
    shares: FloatArray
    rng: np.random.Generator


@dataclass(frozen=True)
class TrainingResult:
    """How a method ended.

    Attributes
    ----------
    labels : (n, c) array of float
        The labels that the bounds are to hold for.
    history : list of float
        The largest violation of a bound under them, by round.
    converged : bool
        Whether the labels and the model had settled.
    """

    labels: FloatArray
    history: list[float]
    converged: bool


@dataclass(eq=False, repr=False, kw_only=True)
class FeatureLabeler(Labeler):
    """Base of labelers that need features: votes and features in, a classifier out.

    The labels are what the classifier says of the examples, so examples that no signal
    votes on have labels, too; they do not count in training. By default `predict` does
    not answer for them, as with every labeler, and with ``uncovered="prior"`` it gives
    the answer of the classifier.

    A subclass implements `_train`.

    Attributes
    ----------
    model_ : GradientModel
        The classifier; ``model_.predict(X)`` needs no votes.
    history_ : array of float
        The largest violation of a bound, by round.
    n_iter_ : int
        Rounds taken.
    converged_ : bool
        Whether all bounds are met, to 0.01, and nothing moved any more.
    """

    stored_types = (LogisticModel, LogisticWeights, *RULE_TYPES)
    saved_attributes: ClassVar[dict[str, Any]] = {
        "error_rates_": FloatArray,
        "history_": FloatArray,
        "n_iter_": int,
        "converged_": bool,
    }

    error_rates: Any = field(default="auto", kw_only=False)
    constraints: Sequence[Constraint] | None = None
    model: Any = None

    def _gradient_model(self) -> GradientModel:
        """The model to begin with: logistic regression unless another is given."""
        if self.model is None:
            return LogisticModel()
        if isinstance(self.model, GradientModel):
            return self.model
        if hasattr(self.model, "named_parameters"):
            return TorchModel(self.model)
        raise ParameterError(
            "model must be corral.LogisticModel(), a PyTorch module, or "
            f"corral.TorchModel(module, ...); {self.model!r} was given."
        )

    @abstractmethod
    def _train(self, problem: Problem, model: GradientModel) -> TrainingResult:
        """Find labels, and train the model on the way."""

    def fit(
        self,
        signals: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        X: Any = None,
    ) -> Self:
        """Learn from signals and features.

        Parameters
        ----------
        signals : WeakSignals, (n, m) votes, sparse array or data frame
        y : (n,) array, optional
            Not learned from, and a warning says so.
        sample_weight : (n,) array of float, optional
        X : (n, d) array, sparse array or data frame
            Features of the same examples, in the same order; required. A PyTorch module
            may take more dimensions.

        Returns
        -------
        self
        """
        read, weights = self._check_input(signals, y, sample_weight)
        if read.counts is not None:
            raise ParameterError(
                "features belong to single examples, but these signals are counted: a "
                "row stands for many. Give the votes example by example."
            )
        features = check_features(X, len(read), type(self).__name__)
        bounds, rates = make_bounds(self.error_rates, self.constraints, read, weights)
        shares = read.covered * (1.0 if weights is None else weights)
        rng = self._rng()
        problem = Problem(features, read, bounds, shares / shares.sum(), rng)
        self.model_ = self._gradient_model().begin(features, read.classes, rng)
        found = self._train(problem, self.model_)
        self._labels_, self._inverse_ = self.model_.predict_proba(features), None
        if not np.isfinite(self._labels_).all():
            raise ParameterError(
                "training went astray, the model's probabilities are not numbers; give "
                "it a smaller learning rate, or scale the features."
            )
        self.error_rates_ = rates.rates
        self.history_ = np.array(found.history)
        self.n_iter_ = len(found.history)
        self.converged_ = found.converged and found.history[-1] <= TOLERANCE
        if rates.source is not RateSource.UNIFORM:
            _warn_of_violations(bounds, found)
        return self._fitted_on(read)

    @property
    def note_(self) -> str:
        check_is_fitted(self)
        return (
            f"a {type(self.model_).__name__} trained on bounded labels for "
            f"{self.n_iter_} rounds; the largest violation of a bound is "
            f"{self.history_[-1]:.3g}"
        )

    def _covered(self, signals: WeakSignals) -> BoolArray:
        return signals.covered

    def explain(self, example: int, signals: Any = None, X: Any = None) -> Explanation:
        """What the signals say of an example, and that its features made the label.

        Votes have taught the classifier, and do not move a label by themselves: all of it
        is the log-odds of the classifier, less their mean over the classes.

        Parameters
        ----------
        example : int
            Position of the example.
        signals, X : as for `fit`, optional
            Where the example is; default: those fitted on.
        """
        if signals is None:
            return super().explain(example)
        read, features = self._read_both(signals, X)
        at = check_position(example, len(read))
        rows = slice(at, at + 1)
        p = self.model_.predict_proba(features[rows])[0]
        return self._explanation(at, read.take(rows), p)

    def _contributions(
        self, one: WeakSignals, _: int | None, p: FloatArray
    ) -> Contributions:
        return opaque_contributions(p, one.n_signals, "features")

    def _options_to_save(self) -> dict[str, Any]:
        return super()._options_to_save() | rules_to_save(self)

    def _model_to_save(self) -> Any:
        if not isinstance(self.model_, LogisticModel):
            raise StorageError(
                f"a {type(self.model_).__name__} is not saved with a labeler, which would "
                "need pickle. Save the module yourself: "
                "torch.save(labeler.model_.module_.state_dict(), path)."
            )
        return LogisticWeights.of(self.model_)

    def _restore(self, results: dict[str, Any], model: LogisticWeights) -> None:
        self.model_ = model.trained(self.classes_)
        for name, value in results.items():
            setattr(self, name, value)
        check_shape("history_", self.history_, (None,), "f")
        require(len(self.history_), "at least one round in the history")

    def _read_both(self, signals: Any, X: Any) -> tuple[WeakSignals, Any]:
        read = self.read(signals)
        return read, check_features(X, len(read), type(self).__name__)

    def predict_proba(self, signals: Any, X: Any = None) -> FloatArray:
        """Soft labels of any examples: what the model says of their features.

        Parameters
        ----------
        signals, X : as for `fit`
            Both are required, and the votes are checked only: they have taught the
            model, and do not move a label by themselves. Without votes, use
            ``model_.predict_proba(X)``.

        Returns
        -------
        (n, k) array of float
            Rows sum to one; columns follow `classes_`.
        """
        return self.model_.predict_proba(self._read_both(signals, X)[1])

    def predict(self, signals: Any, X: Any = None) -> NDArray[Any]:
        read, features = self._read_both(signals, X)
        return self.decide(self.model_.predict_proba(features), self._covered(read))

    def fit_predict(
        self,
        signals: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        X: Any = None,
    ) -> NDArray[Any]:
        self.fit(signals, y, sample_weight, X)
        return self.decide(self.labels_, self.covered_)

    def score(self, signals: Any, y: ArrayLike, X: Any = None) -> float:
        """Share of the examples labelled right, as `Labeler.score` counts it."""
        read, features = self._read_both(signals, X)
        return self._score_known(self.model_.predict_proba(features), read, y)


def check_features(X: Any, n: int, who: str) -> Any:
    """Features of `n` examples as an array of float, or a sparse one."""
    if X is None:
        raise ParameterError(
            f"{who} needs the features of the examples beside their votes: pass X=, one "
            "row per example. The labels of the examples fitted on are `labels_`."
        )
    read = read_features(X)
    if read.shape[0] != n:
        raise ParameterError(
            f"the features X must have one row for each of the {n} examples; the shape "
            f"given is {read.shape}."
        )
    return read


def _warn_of_violations(bounds: Bounds, found: TrainingResult) -> None:
    """Warn once of bounds that are not met."""
    violation = bounds.violation(found.labels)
    furthest = [i for i in np.argsort(-violation)[:3] if violation[i] > TOLERANCE]
    if furthest:
        listed = ", ".join(
            f"{bounds.names[i]} (by {violation[i]:.2f})" for i in furthest
        )
        warn_user(
            "not every bound is met, either because they cannot hold together or because "
            f"training ended first. Furthest off: {listed}.",
            ConvergenceWarning,
        )
