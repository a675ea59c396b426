"""Any scikit-learn classifier, trained on soft labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from corral._types import FloatArray
from corral.errors import ParameterError


class SoftLabelClassifier(ClassifierMixin, BaseEstimator):
    """Trains a classifier on class probabilities instead of classes.

    Every example is given to the classifier once a class, weighted by the probability
    of that class: the loss is then the expected loss under the soft label.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Must take ``sample_weight`` in `fit`. Default: logistic regression.
    min_weight : float
        Entries with a smaller probability are left out, which keeps the number of
        rows low where there are many classes.

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

    def __init__(self, estimator: Any = None, *, min_weight: float = 1e-6) -> None:
        self.estimator = estimator
        self.min_weight = min_weight

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
    ) -> Self:
        """Train on soft labels.

        Parameters
        ----------
        X : (n, d) array or sparse array
        y : (n, k) array of probabilities, or (n,) class values
        sample_weight : (n,) array, optional
            For example the labeler's ``covered_``, to leave out examples that no
            signal speaks of.
        classes : (k,) array, optional
            Class values of the columns of `y`; default ``0 .. k-1``.
        """
        base = self._base()
        if not has_fit_parameter(base, "sample_weight"):
            raise ParameterError(
                f"{type(base).__name__} does not take sample_weight, which soft labels "
                "need. Choose another classifier."
            )
        values, soft = _soft_labels(y, classes)
        features = X if hasattr(X, "shape") else np.asarray(X)
        if features.shape[0] != len(soft):
            raise ParameterError(
                f"{features.shape[0]} examples were given with {len(soft)} labels."
            )
        each = np.ones(len(soft))
        if sample_weight is not None:
            each = np.asarray(sample_weight, float)
            if (
                each.shape != (len(soft),)
                or not ((each >= 0) & np.isfinite(each)).all()
            ):
                raise ParameterError(
                    f"sample_weight must hold {len(soft)} weights that are not negative."
                )
        weight = soft * each[:, None]
        rows, columns = np.nonzero((soft > self.min_weight) & (each[:, None] > 0))
        if not len(rows):
            raise ParameterError("every example has weight zero; nothing is left.")
        if hasattr(features, "tocsr"):
            features = features.tocsr()
        rows_of = features.iloc if hasattr(features, "iloc") else features
        self.estimator_ = clone(base).fit(
            rows_of[rows], values[columns], sample_weight=weight[rows, columns]
        )
        self.classes_ = values
        self.n_features_in_ = features.shape[1]
        return self

    def _base(self) -> Any:
        """The classifier to be trained."""
        if self.estimator is not None:
            return self.estimator
        # Slow to import, and labelers import this module.
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._base()).input_tags.sparse
        return tags

    def predict(self, X: Any) -> NDArray[Any]:
        """Class values (n,)."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

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


def _soft_labels(
    y: ArrayLike, classes: ArrayLike | None
) -> tuple[NDArray[Any], FloatArray]:
    if y is None:
        raise ParameterError("requires y to be passed, but the target y is None.")
    labels = np.asarray(y)
    named = None if classes is None else np.asarray(classes)
    if named is not None and len(set(named.tolist())) != len(named):
        raise ParameterError(f"a class is named twice: {named.tolist()}.")
    if labels.ndim == 1:
        if labels.dtype == object and any(value is None for value in labels):
            raise ParameterError(
                "labels must be class values; None came. Leave out unanswered examples."
            )
        values = np.unique(labels) if named is None else named
        hot = labels[:, None] == values
        if not hot.any(axis=1).all():
            unknown = labels[~hot.any(axis=1)].tolist()[0]
            raise ParameterError(f"label {unknown!r} is not one of {values.tolist()}.")
        return values, hot.astype(float)
    if labels.ndim != 2:
        raise ParameterError(
            f"y must be class values (n,) or probabilities (n, k); the shape given is "
            f"{labels.shape}."
        )
    soft = labels.astype(float)
    if not np.isfinite(soft).all() or (soft < 0).any() or (soft > 1 + 1e-9).any():
        raise ParameterError("soft labels must be probabilities between 0 and 1.")
    values = np.arange(soft.shape[1]) if named is None else named
    if len(values) != soft.shape[1]:
        raise ParameterError(
            f"{len(values)} classes were named for {soft.shape[1]} columns of y."
        )
    return values, soft
