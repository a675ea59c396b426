"""Any scikit-learn classifier, trained on soft labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from corral._types import FloatArray, IntArray
from corral.checks import check_share, check_weights
from corral.end_models.class_shares import (
    LABELS,
    class_scores,
    find_offsets,
    read_shares,
)
from corral.end_models.class_weights import take_class_weight
from corral.end_models.soft_labels import expected_accuracy, read_soft_labels
from corral.errors import ParameterError

LEAST_WEIGHT = 1e-14
"""Examples that count less, all together, would leave a classifier with rounding errors."""


def _gives_probabilities(classifier: Any) -> bool:
    inner = getattr(classifier, "estimator_", classifier._base())
    return hasattr(inner, "predict_proba")


@dataclass(eq=False, repr=False, kw_only=True)
class SoftLabelClassifier(ClassifierMixin, BaseEstimator):
    """Trains a classifier on class probabilities instead of classes.

    Every example is given to the classifier once per class, weighted by the probability
    of that class: the loss is then the expected loss under the soft label. What it
    predicts has the class shares of the labels, by an offset to the score of every class.

    Parameters
    ----------
    estimator : scikit-learn classifier, or one with its manners, optional
        Must take ``sample_weight`` in `fit`; of a `Pipeline`, the last step must. Its own
        ``class_weight`` is read as the one below. Default: logistic regression.
    min_weight : float
        Entries with a smaller probability are left out, which keeps the number of
        rows low where there are many classes.
    uncovered_weight : float
        What an example that no signal votes on counts, from 0 (left out) to 1 (as much
        as any); `fit` is told which by `covered`.
    prior : "labels", float, (k,) array of float, or None
        Shares of the classes among predictions, over all examples that `fit` is given,
        uncovered ones included: those of the labels' likeliest classes, unless there is a
        `class_weight`; or shares that you know, one per class, or that of the second of
        two. None: what the classifier predicts by itself.

    class_weight : "balanced", dict or None
        What a class counts in training, for any classifier: "balanced" divides by how much
        probability a class has in all, so that every class has the same; a dict has class
        values as keys.

    Attributes
    ----------
    classes_ : (k,) array
    prior_ : (k,) array of float, or None
        The shares that predictions were given.
    offsets_ : (k,) array of float
        What is added to the logarithm of every class's probability (of a classifier
        without probabilities, to its scores) before the largest is predicted. Minus
        infinity for a class of share zero, zeros without a prior.
    estimator_ : the fitted classifier
        Its own classes are 0, 1, ..., one for each of `classes_` that had any weight.

    Examples
    --------
    >>> import numpy as np
    >>> from corral import SoftLabelClassifier
    >>> x = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> soft = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]])
    >>> SoftLabelClassifier().fit(x, soft, classes=["low", "high"]).predict(x).tolist()
    ['low', 'low', 'high', 'high']
    """

    estimator: Any = field(default=None, kw_only=False)
    min_weight: float = 1e-6
    uncovered_weight: float = 0.0
    prior: Any = LABELS
    class_weight: Any = None

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
            Partial labels, too: a row that adds up to less than one counts less, and NaN
            (None among class values) is no label. For a multi-label task train one
            classifier for each column: rows of its probabilities, which add up to more
            than one, are refused, and several ones in a row are read as several possible
            classes, with a warning.
        sample_weight : (n,) array, optional
        classes : (k,) array, optional
            Class values of the columns of `y`, the labeler's ``classes_``; default
            ``0 .. k-1``.
        covered : (n,) array of bool, optional
            Which examples any signal votes on, the labeler's ``covered_``.
        """
        check_share("min_weight", self.min_weight)
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
        shares = read_shares(self.prior, labels)
        rows, columns = np.nonzero((soft > self.min_weight) & (each[:, None] > 0))
        if not len(rows):
            raise ParameterError(
                f"no probability is above min_weight={self.min_weight!r}; nothing is "
                "left to train on."
            )
        if hasattr(features, "tocsr"):
            features = features.tocsr()
        rows_of = features.iloc if hasattr(features, "iloc") else features
        weights = soft[rows, columns] * each[rows]
        learner, of_class = take_class_weight(
            clone(base), labels.classes, self.class_weight
        )
        if of_class is not None:
            weights *= of_class(columns, weights)[columns]
            if isinstance(self.prior, str):  # class_weight says which classes to favour
                shares = None
        if weights.sum() < LEAST_WEIGHT:
            raise ParameterError(
                f"the labels and weights of all examples add up to {weights.sum():g}, too "
                "little to train on; multiply them by a large number."
            )
        # Some classifiers know no classes but 0, 1, ..., with none left out.
        present, codes = np.unique(columns, return_inverse=True)
        try:
            self.estimator_ = learner.fit(
                rows_of[rows], codes, **{weight_name: weights}
            )
        except ValueError as error:
            if len(present) > 1:
                raise
            raise ParameterError(
                f"all labels are of one class, {labels.classes[present[0]].item()!r}, and "
                f"{type(base).__name__} may need two to tell apart. It says: {error}"
            ) from error
        self.classes_ = labels.classes
        self._present_ = present
        self.prior_, self.offsets_ = shares, np.zeros(len(labels.classes))
        if shares is not None:
            given = check_weights(sample_weight, len(soft))
            count = np.ones(len(soft)) if given is None else given
            self._set_offsets(shares[present], rows_of, count)
        if len(features.shape) == 2:  # a pipeline may begin with a list of texts
            self.n_features_in_ = features.shape[1]
        return self

    def _set_offsets(
        self, shares: FloatArray, rows_of: Any, weights: FloatArray
    ) -> None:
        """Have predictions come in shares, given for the classes that have labels."""
        if not shares.any():
            raise ParameterError(
                "gives no share to any class that has labels: "
                f"{self.classes_[self._present_].tolist()}.",
                parameter="prior",
            )
        rows = slice(None) if weights.all() else np.flatnonzero(weights)
        scores = class_scores(self.estimator_, rows_of[rows])
        offsets = find_offsets(scores, shares / shares.sum(), weights[rows])
        self.offsets_ = np.full(len(self.classes_), -np.inf)
        self.offsets_[self._present_] = offsets

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
        """Class values (n,), in the shares of `prior_`."""
        check_is_fitted(self)
        return self.classes_[self._positions(X)]

    def _positions(self, X: Any) -> IntArray:
        """(n,) positions of the predicted classes."""
        if self.prior_ is None:
            said = np.asarray(self.estimator_.predict(X))
            found = said.ravel().astype(int)  # CatBoost predicts a column
        else:
            scores = class_scores(self.estimator_, X)
            found = (scores + self.offsets_[self._present_]).argmax(axis=1)
        return self._present_[found]

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities (n, k) in the order of `classes_`.

        As the classifier learned them from soft labels: the prior moves predictions only.
        A class that never had any weight in training gets probability zero.
        """
        check_is_fitted(self)
        known = self.estimator_.predict_proba(X)
        full = np.zeros((len(known), len(self.classes_)))
        full[:, self._present_] = known
        return full

    def score(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Share of the examples classified right; expected, where labels are soft.

        Parameters
        ----------
        X : as for `fit`
        y : (n, k) array of probabilities, or (n,) class values
            Soft labels score the probability that they give to the predicted class.
            Examples without a label are left out, and partial labels count less.
        sample_weight : (n,) array, optional

        Returns
        -------
        float
            From 0 to 1.

        Examples
        --------
        >>> from corral import SoftLabelClassifier
        >>> x, soft = [[0.0], [9.0]], [[0.9, 0.1], [0.2, 0.8]]
        >>> model = SoftLabelClassifier().fit(x, soft)
        >>> round(model.score(x, soft), 2), model.score(x, [0, 1])
        (0.85, 1.0)
        """
        check_is_fitted(self)
        return expected_accuracy(self._positions(X), y, self.classes_, sample_weight)


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
