"""Any scikit-learn classifier, trained on soft labels."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from corral._types import FloatArray
from corral.end_models.soft_labels import read_soft_labels
from corral.errors import ParameterError


def _gives_probabilities(classifier: Any) -> bool:
    inner = getattr(classifier, "estimator_", classifier._base())
    return hasattr(inner, "predict_proba")


class SoftLabelClassifier(ClassifierMixin, BaseEstimator):
    """Trains a classifier on class probabilities instead of classes.

    Every example is given to the classifier once a class, weighted by the probability
    of that class: the loss is then the expected loss under the soft label.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Must take ``sample_weight`` in `fit`; of a `Pipeline`, the last step must.
        Default: logistic regression.
    min_weight : float
        Entries with a smaller probability are left out, which keeps the number of
        rows low where there are many classes.
    uncovered_weight : float
        What an example that no signal speaks of counts, from 0 (left out) to 1 (as much
        as any); `fit` is told which by `covered`.

    Attributes
    ----------
    classes_ : (k,) array
    estimator_ : the fitted classifier

    Examples
    --------
    >>> import numpy as np
    >>> from corral import SoftLabelClassifier
    >>> x = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> soft = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]])
    >>> SoftLabelClassifier().fit(x, soft, classes=["low", "high"]).predict(x).tolist()
    ['low', 'low', 'high', 'high']
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        min_weight: float = 1e-6,
        uncovered_weight: float = 0.0,
    ) -> None:
        self.estimator = estimator
        self.min_weight = min_weight
        self.uncovered_weight = uncovered_weight

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
        covered: ArrayLike | None = None,
    ) -> Self:
        """Train on soft labels.

        Parameters
        ----------
        X : (n, d) array, sparse array or data frame
        y : (n, k) array of probabilities, or (n,) class values
            Partial labels, too: a row that adds up to less than one counts less, one
            that adds up to more is divided by its sum, and NaN (None among class values)
            is no label.
        sample_weight : (n,) array, optional
        classes : (k,) array, optional
            Class values of the columns of `y`, the labeler's ``classes_``; default
            ``0 .. k-1``.
        covered : (n,) array of bool, optional
            Which examples any signal speaks of, the labeler's ``covered_``.
        """
        least: Any = self.min_weight
        if not isinstance(least, Real) or not 0 <= float(least) <= 1:
            raise ParameterError(
                f"min_weight must be a number from 0 to 1; {least!r} was given."
            )
        base = self._base()
        weight_name = _weight_parameter(base)
        labels = read_soft_labels(
            y, classes, sample_weight, covered, self.uncovered_weight
        )
        soft, each = labels.probabilities, labels.weights
        features = X if hasattr(X, "shape") else _array(X)
        if features.shape[:1] != (len(soft),):
            raise ParameterError(
                f"{len(soft)} labels need as many examples; the shape of X is "
                f"{tuple(features.shape)}."
            )
        rows, columns = np.nonzero((soft > self.min_weight) & (each[:, None] > 0))
        if not len(rows):
            raise ParameterError(
                f"no probability is above min_weight={self.min_weight!r}; nothing is "
                "left to train on."
            )
        if hasattr(features, "tocsr"):
            features = features.tocsr()
        rows_of = features.iloc if hasattr(features, "iloc") else features
        weights = {weight_name: soft[rows, columns] * each[rows]}
        self.estimator_ = clone(base).fit(
            rows_of[rows], labels.classes[columns], **weights
        )
        self.classes_ = labels.classes
        if len(features.shape) == 2:  # a pipeline may begin with a list of texts
            self.n_features_in_ = features.shape[1]
        return self

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the features, where `X` had them."""
        names: NDArray[Any] = self.estimator_.feature_names_in_
        return names

    def _base(self) -> Any:
        """The classifier to be trained."""
        if self.estimator is not None:
            return self.estimator
        # Slow to import, and labelers import this module.
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._base()).input_tags
        return tags

    def predict(self, X: Any) -> NDArray[Any]:
        """Class values (n,)."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities (n, k) in the order of `classes_`.

        A class that never had any weight in training gets probability zero.
        """
        check_is_fitted(self)
        known = self.estimator_.predict_proba(X)
        full = np.zeros((len(known), len(self.classes_)))
        positions = {value: k for k, value in enumerate(self.classes_.tolist())}
        at = [positions[value] for value in self.estimator_.classes_.tolist()]
        full[:, at] = known
        return full


def _array(X: Any) -> NDArray[Any]:
    """Rows that can be taken by position; texts without room for the longest in each."""
    texts = isinstance(X, Sequence) and len(X) > 0 and isinstance(X[0], str)
    return np.asarray(X, object if texts else None)


def _weight_parameter(estimator: Any) -> str:
    """What `fit` calls the weights of examples."""
    from sklearn.pipeline import Pipeline  # slow to import

    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        return f"{name}__{_weight_parameter(last)}"
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ParameterError(
            f"{type(estimator).__name__} does not take sample_weight, which soft labels "
            "need. Choose another classifier."
        )
    return "sample_weight"
