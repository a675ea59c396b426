"""Any scikit-learn classifier, trained on soft labels.

The classifier gets every example once per class, weighted by the probability of that class.
Then it ranks examples well, but it predicts rare classes too rarely. The labels tell better
which share each class has, so an offset to the score of every class gives predictions these
shares.
"""

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
from corral.checks import check_weights
from corral.decisions import winner_shares
from corral.errors import ParameterError
from corral.model import posterior
from corral.training.soft_labels import read_labels, split_weights
from corral.votes.coding import ABSTAIN, is_missing

MIN_WEIGHT = 1e-6
"""Smaller probabilities get no row, which keeps rows few where there are many classes."""
MIN_PROBABILITY = 1e-6
"""Probabilities are raised to this before the logarithm."""
SHARPNESS = 2.0
"""How far a count of predictions is from a sum of probabilities: those counted are
``softmax(SHARPNESS * scores / spread)``. Chosen in benchmarks/end_models.py."""
SHARE_TOLERANCE = 0.02
"""Shares that are missed by fewer than one example in fifty are left as they are."""
OFFSET_TOLERANCE = 1e-8
"""How far the mean label may be from a wanted class balance."""
MIN_SHARE = 1e-6
"""Shares are raised to this: with less, an offset would grow without end."""


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
        Must take ``sample_weight`` in `fit`; of a `Pipeline`, the last step must. Default:
        logistic regression. A ``class_weight`` is refused: it would count rows, of which
        every example has one per class.
    prior : "labels", (k,) array of float, or None
        Shares of the classes among predictions for all examples of `fit`, also those
        without a label. "labels" takes the shares of the labels' likeliest classes. An
        array has shares that you know. None changes no prediction.

    Attributes
    ----------
    classes_ : (k,) array
    prior_ : (k,) array of float, or None
        The shares that predictions were given.
    offsets_ : (k,) array of float
        Added to the logarithm of every class's probability (of a classifier without
        probabilities, to its scores) before the largest is predicted. Minus infinity for a
        class of share zero, zeros without a prior.
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
    prior: Any = "labels"

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
    ) -> Self:
        """Train on soft labels.

        Parameters
        ----------
        X : (n, d) array, sparse array or data frame
        y : fitted Labeler, data frame, (n, k) array of probabilities, or (n,) class values
            A labeler gives its labels and classes. A frame has the columns ``p_<class>``,
            and maybe ``covered``, of `corral.label`, or a column per class. Examples
            without a vote are left out of training; in an array, rows of zeros or NaN
            (None among class values). A row that adds up to less than one counts less. One
            that adds up to more is refused: train one classifier for each column of a
            multi-label task.
        sample_weight : (n,) array, optional
        classes : (k,) array, optional
            Class values of the columns of an array, the labeler's ``classes_``; default
            ``0 .. k-1``.
        """
        base = self._base()
        weight_name = _weight_parameter(base)
        values, soft = read_labels(y, classes)
        soft, each = split_weights(soft, sample_weight)
        # Texts are kept as objects, without room for the longest in each.
        texts = isinstance(X, Sequence) and len(X) > 0 and isinstance(X[0], str)
        features = (
            X if hasattr(X, "shape") else np.asarray(X, object if texts else None)
        )
        if features.shape[:1] != (len(soft),):
            raise ParameterError(
                f"{len(soft)} labels need as many examples; the shape of X is "
                f"{tuple(features.shape)}."
            )
        shares = _read_shares(self.prior, values, soft, each)
        rows, columns = np.nonzero((soft > MIN_WEIGHT) & (each[:, None] > 0))
        if hasattr(features, "tocsr"):
            features = features.tocsr()
        rows_of = features.iloc if hasattr(features, "iloc") else features
        weights = soft[rows, columns] * each[rows]
        # Some classifiers take the classes 0, 1, ... only, without a gap.
        present, codes = np.unique(columns, return_inverse=True)
        self.estimator_ = clone(base).fit(
            rows_of[rows], codes, **{weight_name: weights}
        )
        self.classes_, self._present_ = values, present
        self.prior_, self.offsets_ = shares, np.zeros(len(values))
        if shares is not None:
            if not shares[present].any():
                raise ParameterError(
                    "gives no share to any class that has labels: "
                    f"{values[present].tolist()}.",
                    parameter="prior",
                )
            given = check_weights(sample_weight, len(soft))
            counts = np.ones(len(soft)) if given is None else given
            self.offsets_[:] = -np.inf
            self.offsets_[present] = find_offsets(
                class_scores(self.estimator_, features),
                shares[present] / shares[present].sum(),
                counts,
            )
        if len(features.shape) == 2:  # a pipeline may begin with a list of texts
            self.n_features_in_ = features.shape[1]
        return self

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the features, where `X` had them."""
        names: NDArray[Any] = self.estimator_.feature_names_in_
        return names

    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from sklearn.linear_model import LogisticRegression  # slow to import

        return LogisticRegression(max_iter=1000)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._base()).input_tags
        return tags

    def predict(self, X: Any) -> NDArray[Any]:
        """Class values (n,), in the shares of `prior_`."""
        check_is_fitted(self)
        return self.classes_[self.predict_positions(X)]

    def predict_positions(self, X: Any) -> IntArray:
        """Predicted classes (n,), as positions in `classes_`."""
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
        """
        check_is_fitted(self)
        predicted, classes = self.predict_positions(X), self.classes_.tolist()
        if np.ndim(y) == 1:  # a class that was never trained on is predicted wrong
            given = {value for value in np.asarray(y).tolist() if not is_missing(value)}
            classes += sorted(given - {*classes, ABSTAIN}, key=str)
        _, soft = read_labels(y, classes)
        soft, weights = split_weights(soft, sample_weight)
        if len(predicted) != len(weights):
            raise ParameterError(
                f"{len(predicted)} examples were given with {len(weights)} labels."
            )
        right = soft[np.arange(len(predicted)), predicted]
        return float(np.average(right, weights=weights))


def _weight_parameter(estimator: Any) -> str:
    """What `fit` calls the weights of examples."""
    from sklearn.pipeline import Pipeline  # slow to import

    for name, value in estimator.get_params().items():
        if name.rpartition("__")[2] == "class_weight" and value is not None:
            raise ParameterError(
                f"{name}={value!r} of {type(estimator).__name__} would count rows, and "
                "every example has one row per class. Multiply the columns of the labels "
                "by weights up to one instead."
            )
    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ParameterError(
            f"{type(estimator).__name__} does not take sample_weight, which soft labels "
            "need. Choose another classifier."
        )
    return f"{prefix}sample_weight"


def _read_shares(
    prior: Any, classes: NDArray[Any], soft: FloatArray, weights: FloatArray
) -> FloatArray | None:
    """(k,) the shares that predictions are to have; None to leave predictions alone."""
    if prior is None:
        return None
    if isinstance(prior, str) and prior == "labels":
        counts: FloatArray = weights @ winner_shares(soft)
        return counts / counts.sum()
    try:
        shares = np.asarray(prior, float)
    except (TypeError, ValueError):
        shares = np.array([])
    is_whole = shares.shape == classes.shape and np.isclose(shares.sum(), 1)
    if not is_whole or (shares < 0).any():
        raise ParameterError(
            f'must be "labels", None, or the shares of the {len(classes)} classes '
            f"{classes.tolist()}, which add up to one; {prior!r} was given.",
            parameter="prior",
        )
    return shares


def class_scores(classifier: Any, X: Any) -> FloatArray:
    """(n, k) what a fitted classifier gives for each of its classes.

    Logarithms of its probabilities; of a classifier without, its decision function.
    """
    if hasattr(classifier, "predict_proba"):
        logs: FloatArray = np.log(
            np.maximum(classifier.predict_proba(X), MIN_PROBABILITY)
        )
        return logs
    if not hasattr(classifier, "decision_function"):
        raise ParameterError(
            f"{type(classifier).__name__} gives neither probabilities nor scores, so "
            "the shares of its classes cannot be set. Give prior=None."
        )
    scores = np.asarray(classifier.decision_function(X), float)
    return scores if scores.ndim == 2 else np.column_stack([-scores / 2, scores / 2])


def find_offsets(
    scores: FloatArray,
    shares: FloatArray,
    weights: FloatArray,
    sharpness: float = SHARPNESS,
) -> FloatArray:
    """(k,) offsets with which the largest score names the classes in given shares.

    Counts jump where an example changes sides, so they are smoothed: the weighted mean of
    ``softmax(sharpness * (scores + offsets) / spread)`` equals the shares, with the
    standard deviation of the scores as spread. A class of share zero has the offset minus
    infinity. Offsets are zero if predictions without them miss the shares by less than
    `SHARE_TOLERANCE`, or come nearer to them, as with a small tree, whose scores take few
    values.
    """
    still = np.where(shares > 0, 0.0, -np.inf)
    some = np.flatnonzero(shares > 0)
    weights = weights / weights.sum()
    centred = scores[:, some] - scores[:, some].mean(axis=1, keepdims=True)
    spread = np.sqrt((weights @ (centred - weights @ centred) ** 2).mean())

    def missed(offsets: FloatArray) -> float:
        """Share of the examples that have to change sides for the shares to be met."""
        found = np.bincount((scores + offsets).argmax(axis=1), weights, len(shares))
        return float(np.abs(found - shares).sum() / 2)

    if spread == 0 or missed(still) <= SHARE_TOLERANCE:
        return still
    from scipy.optimize import minimize

    scaled = sharpness / spread * centred
    wanted = np.maximum(shares[some], MIN_SHARE)
    wanted /= wanted.sum()

    def potential(offsets: FloatArray) -> tuple[float, FloatArray]:
        """A convex function; its slope is by how much the mean misses the shares."""
        labels, logs = posterior(scaled + offsets)
        return float(weights @ logs - wanted @ offsets), weights @ labels - wanted

    tolerance = {"gtol": OFFSET_TOLERANCE}
    found = minimize(potential, np.zeros(len(some)), jac=True, options=tolerance).x
    moved = still.copy()
    moved[some] = (found - found.mean()) * spread / sharpness
    return min(still, moved, key=missed)
