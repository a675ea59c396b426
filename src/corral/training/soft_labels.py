"""Any scikit-learn classifier, trained on soft labels; and the loss for networks.

Every example is given to the classifier once per class, weighted by the probability of
that class. Two things follow from that:

- Many classifiers count rows for ``class_weight="balanced"``, whatever their weights, and
  would find all classes equally common. So ``class_weight`` is taken from the classifier,
  and multiplied into the weights of the rows.
- A classifier trained on soft labels ranks examples well, but its decision threshold is
  biased: it predicts rare classes too rarely. The labels tell better which share each class
  has, so an offset to the score of every class gives predictions these shares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from corral._types import FloatArray, IntArray
from corral.checks import check_share, check_weights
from corral.decisions import winner_shares
from corral.errors import ParameterError, SignalsWarning, warn_user
from corral.model import posterior
from corral.votes.coding import ABSTAIN, is_missing

MIN_TOTAL_WEIGHT = 1e-14
"""With less, all examples together would leave a classifier with rounding errors."""
MIN_CLASS_SHARE = 1e-100
"""Of the weight of all rows: a class that has less is as good as absent."""
MIN_PROBABILITY = 1e-6
"""Probabilities are cut off here before the logarithm."""
SUM_TOLERANCE = 0.02
"""By how much the rounded probabilities of a row may add up to more than one."""
SHARPNESS = 2.0
"""How far a count of predictions is from a sum of probabilities: those counted are
``softmax(SHARPNESS * scores / spread)``. Chosen in benchmarks/end_models.py."""
SHARE_TOLERANCE = 0.02
"""Shares that are missed by fewer than one example in fifty are left as they are."""

SoftLabels: TypeAlias = "tuple[NDArray[Any], FloatArray, FloatArray]"
"""Class values (k,); probabilities (n, k) in rows that add up to one, or to zero where
nothing is known; weights (n,) of the examples, zero where nothing is known."""
OFFSET_TOLERANCE = 1e-8
"""How far the mean label may be from a wanted class balance."""
MIN_SHARE = 1e-6
"""Shares are raised to this: with less, an offset would grow without end."""
MAX_OFFSET_STEPS, MAX_OFFSET_STEP = 100, 5.0
"""Steps of Newton's method, and how long one may be."""


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
    prior: Any = "labels"
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
        values, soft, each = read_soft_labels(
            y, classes, sample_weight, covered, self.uncovered_weight
        )
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
        learner = clone(base)
        class_weight = _take_class_weight(learner, self.class_weight)
        if class_weight is not None:
            weights *= _weigh_classes(class_weight, values, columns, weights)[columns]
            if isinstance(self.prior, str):  # class_weight says which classes to favour
                shares = None
        if weights.sum() < MIN_TOTAL_WEIGHT:
            raise ParameterError(
                f"the labels and weights of all examples add up to {weights.sum():g}, too "
                "little to train on; multiply them by a large number."
            )
        # Some classifiers take the classes 0, 1, ... only, without a gap.
        present, codes = np.unique(columns, return_inverse=True)
        try:
            self.estimator_ = learner.fit(
                rows_of[rows], codes, **{weight_name: weights}
            )
        except ValueError as error:
            if len(present) > 1:
                raise
            raise ParameterError(
                f"all labels are of one class, {values[present[0]].item()!r}, and "
                f"{type(base).__name__} may need two to tell apart. It says: {error}"
            ) from error
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
            used = slice(None) if counts.all() else np.flatnonzero(counts)
            self.offsets_[:] = -np.inf
            self.offsets_[present] = find_offsets(
                class_scores(self.estimator_, rows_of[used]),
                shares[present] / shares[present].sum(),
                counts[used],
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
        predicted = self._positions(X)
        known: list[Any] = self.classes_.tolist()
        labels = np.asarray(y)
        if labels.ndim == 1:  # a class that was never trained on is predicted wrong
            given = (v for v in labels.tolist() if not is_missing(v) and v != ABSTAIN)
            seen = set(known)
            new = list(dict.fromkeys(value for value in given if value not in seen))
            odd = [v for v in new if isinstance(v, str) != isinstance(known[0], str)]
            if odd:
                raise ParameterError(
                    f"label {odd[0]!r} is not one of the classes {known}: one is text, "
                    "the others are not. Give labels as the classes are."
                )
            known = [*known, *new]
        values = np.empty(len(known), object)
        values[:] = known
        _, soft, weights = read_soft_labels(y, values, sample_weight)
        if len(predicted) != len(weights):
            raise ParameterError(
                f"{len(predicted)} examples were given with {len(weights)} labels."
            )
        right = soft[np.arange(len(predicted)), predicted]
        return float(np.average(right, weights=weights))


def read_soft_labels(
    y: ArrayLike,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    covered: ArrayLike | None = None,
    uncovered_weight: float = 0.0,
) -> SoftLabels:
    """Class values, probabilities and weights, from labels as `fit` takes them.

    A row that adds up to less than one counts that much less. Several ones are several
    possible classes, each as likely; a warning asks whether that is meant. Other rows that
    add up to more than one, by more than `SUM_TOLERANCE`, are those of a multi-label task
    and refused. Among class values, -1 is no label if it is not one of `classes`; without
    `classes`, -1 is refused unless all are -1 and 1.

    Examples
    --------
    >>> from corral.training.soft_labels import read_soft_labels
    >>> labels = [[0.8, 0.2, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> classes, probabilities, weights = read_soft_labels(labels)
    >>> probabilities.tolist()
    [[0.8, 0.2, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> weights.tolist()
    [1.0, 0.5, 0.0]
    """
    check_share("uncovered_weight", uncovered_weight)
    if y is None:
        raise ParameterError("requires y to be passed, but the target y is None.")
    named = None if classes is None else np.asarray(classes)
    if named is not None and (
        named.ndim != 1 or len(set(named.tolist())) != len(named)
    ):
        raise ParameterError(
            f"classes must be different values; {named.tolist()} came."
        )
    labels = np.asarray(y)
    if labels.ndim not in (1, 2):
        raise ParameterError(
            "y must be class values (n,) or probabilities (n, k); the shape given is "
            f"{labels.shape}."
        )
    read = _read_classes if labels.ndim == 1 else _read_probabilities
    values, soft = read(labels, named)
    n = len(soft)
    total = soft.sum(axis=1)
    above = total > 1 + SUM_TOLERANCE + 1e-9
    hard = ((soft == 0) | (soft == 1)).all(axis=1)
    if (above & ~hard).any():
        at = int(np.flatnonzero(above & ~hard)[0])
        raise ParameterError(
            f"the soft labels of example {at} add up to {total[at]:.6g}; those of one "
            "class add up to one. Where an example may have several classes, train one "
            "classifier for each column p: fit(X, np.column_stack([1 - p, p]))."
        )
    if above.any():
        warn_user(
            "several ones in a row are read as several possible classes "
            f"({int(above.sum())} of {n} examples); for a multi-label task train "
            "one classifier per column: fit(X, y[:, j]). If possible classes are meant, "
            "share one among them, such as 0.5 and 0.5.",
            SignalsWarning,
        )
    weights = np.minimum(total, 1.0)
    # Sums that miss one by rounding are one, so that they do not become weights.
    weights[np.isclose(total, 1)] = 1.0
    soft = np.divide(soft, total[:, None], out=soft, where=total[:, None] > 0)
    if (given := check_weights(sample_weight, n)) is not None:
        weights *= given
    if covered is not None:
        mask = np.asarray(covered)
        if mask.shape != (n,) or mask.dtype != bool:
            raise ParameterError(
                f"covered must hold {n} times True or False, such as the labeler's "
                f"covered_; {mask.dtype} of shape {mask.shape} came."
            )
        weights *= np.where(mask, 1.0, uncovered_weight)
    if not weights.any():
        raise ParameterError(
            "every example has weight zero or no label, so nothing is left."
        )
    return values, soft, weights


def _read_classes(
    labels: NDArray[Any], named: NDArray[Any] | None
) -> tuple[NDArray[Any], FloatArray]:
    """Classes and one-hot rows; rows of zeros where there is no label."""
    missing = np.zeros(len(labels), bool)
    if labels.dtype == object:
        missing[:] = [is_missing(value) for value in labels]
    elif labels.dtype.kind == "f":
        missing = np.isnan(labels)
    unclear = labels == -1 if labels.dtype.kind in "if" else np.zeros_like(missing)
    if named is not None:
        missing = missing if -1 in named.tolist() else missing | unclear
    elif unclear.any() and (labels[~missing & ~unclear] != 1).any():
        raise ParameterError(
            "-1 in y may be a class, or mean that an example has no label. Name the "
            "classes: classes=labeler.classes_."
        )
    known = labels[~missing]
    if known.dtype.kind == "f" and not (
        np.isfinite(known).all() and (known == np.floor(known)).all()
    ):
        raise ParameterError(
            "Unknown label type: class values (n,) must be whole numbers or text; "
            "continuous or infinite numbers came. Give probabilities as (n, k), one "
            "column per class."
        )
    if named is not None:
        values = named
    else:  # objects have no order, the text or numbers that they hold have one
        values = np.unique(known.tolist() if known.dtype == object else known)
    hot = np.zeros((len(labels), len(values)))
    hot[~missing] = known[:, None] == values
    unknown = labels[~missing & ~hot.any(axis=1)]
    if len(unknown):
        raise ParameterError(
            f"label {unknown.tolist()[0]!r} is not one of {values.tolist()}."
        )
    return values, hot


def _read_probabilities(
    labels: NDArray[Any], named: NDArray[Any] | None
) -> tuple[NDArray[Any], FloatArray]:
    try:
        soft = labels.astype(float)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"soft labels (n, k) must be numbers; {labels.dtype} came."
        ) from error
    soft[np.isnan(soft).all(axis=1)] = 0
    if not ((soft >= 0) & (soft <= 1 + 1e-9)).all():
        raise ParameterError(
            "soft labels must be probabilities between 0 and 1, or NaN in the whole row "
            "where there is no label."
        )
    values = np.arange(soft.shape[1]) if named is None else named
    if len(values) != soft.shape[1]:
        raise ParameterError(
            f"{len(values)} classes were named for {soft.shape[1]} columns of y."
        )
    return values, soft


def _last_step(estimator: Any) -> tuple[str, Any]:
    """The classifier at the end of pipelines, and what its parameters begin with."""
    from sklearn.pipeline import Pipeline  # slow to import

    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return prefix, estimator


def _weight_parameter(estimator: Any) -> str:
    """What `fit` calls the weights of examples."""
    prefix, last = _last_step(estimator)
    if not has_fit_parameter(last, "sample_weight"):
        raise ParameterError(
            f"{type(last).__name__} does not take sample_weight, which soft labels "
            "need. Choose another classifier."
        )
    return f"{prefix}sample_weight"


def _take_class_weight(estimator: Any, given: Any) -> Any:
    """Take ``class_weight`` from an estimator; give that, or what was given instead."""
    prefix, last = _last_step(estimator)
    name = f"{prefix}class_weight"
    parameters = estimator.get_params()
    for other, value in parameters.items():
        if other.endswith("class_weight") and other != name and value is not None:
            warn_user(
                f"{other} of {type(estimator).__name__} counts rows. Every example has one "
                "row per class, so it finds all classes equally common. Give class_weight "
                "to a classifier that is not inside another.",
                SignalsWarning,
            )
    if "class_weight" not in last.get_params(deep=False) or parameters[name] is None:
        return given
    if given is not None:
        raise ParameterError(
            f"class_weight is {given!r}, and {parameters[name]!r} in "
            f"{type(estimator).__name__}. Give it to one of them."
        )
    estimator.set_params(**{name: None})
    return parameters[name]


def _weigh_classes(
    given: Any, classes: NDArray[Any], columns: IntArray, weights: FloatArray
) -> FloatArray:
    """(k,) what every class counts, for rows of some classes and weights."""
    k = len(classes)
    if isinstance(given, str) and given == "balanced":
        mass = np.bincount(columns, weights, k)
        present = mass > MIN_CLASS_SHARE * mass.sum()
        mean = mass.sum() / present.sum()
        return np.divide(mean, mass, out=np.zeros(k), where=present)
    if not isinstance(given, Mapping):
        raise ParameterError(
            'class_weight must be "balanced" or a dict from class values to weights where '
            f"labels are soft; {given!r} was given."
        )
    values = classes.tolist()
    unknown = [value for value in given if value not in values]
    if unknown:
        raise ParameterError(
            f"class_weight has a weight of {unknown[0]!r}, which is not one of the "
            f"classes {values}."
        )
    fixed = np.array([given.get(value, 1.0) for value in values], float)
    if not ((fixed >= 0) & np.isfinite(fixed)).all():
        raise ParameterError(
            f"class_weight must hold finite weights, none below zero; {given!r} came."
        )
    return fixed


def _read_shares(
    prior: Any, classes: NDArray[Any], soft: FloatArray, weights: FloatArray
) -> FloatArray | None:
    """(k,) the shares that predictions are to have; None to leave predictions alone."""
    if prior is None:
        return None
    if isinstance(prior, str) and prior == "labels":
        counts: FloatArray = weights @ winner_shares(soft)
        return counts / counts.sum()
    k = len(classes)
    wanted = [1 - prior, prior] if isinstance(prior, Real) and k == 2 else prior
    try:
        shares = np.asarray(wanted, float)
    except (TypeError, ValueError):
        shares = np.array([])
    if (
        shares.shape != (k,)
        or not (shares >= 0).all()
        or not np.isclose(shares.sum(), 1)
    ):
        raise ParameterError(
            f'must be "labels", None, or the shares of the {k} classes '
            f"{classes.tolist()}, which add up to one (with two classes, the share "
            f"of the second will do); {prior!r} was given.",
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
    ``softmax(sharpness * (scores + offsets) / spread)`` equals the shares. The spread is
    the standard deviation of the scores, whatever they are. A class of share zero has the
    offset minus infinity.

    Offsets are zero where predictions have the shares without them, to within
    `SHARE_TOLERANCE`, or come nearer to them: scores of a small tree take few values, and
    many examples would change sides at once.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.training.soft_labels import find_offsets
    >>> scores = np.column_stack([np.zeros(5), [-9.0, -7.0, -5.0, -3.0, -1.0]])
    >>> offsets = find_offsets(scores, np.array([0.6, 0.4]), np.ones(5))
    >>> (scores + offsets).argmax(axis=1).tolist()
    [0, 0, 0, 1, 1]
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
    offsets = _solve_offsets(sharpness / spread * centred, weights, shares[some])
    moved = still.copy()
    moved[some] = (offsets - offsets.mean()) * spread / sharpness
    return min(still, moved, key=missed)


def _solve_offsets(
    scores: FloatArray, weights: FloatArray, shares: FloatArray
) -> FloatArray:
    """(k,) offsets with which the mean of ``softmax(scores + offsets)`` is the shares.

    Newton's method on a convex function of the offsets, whose slope is by how much the
    mean label misses the shares.
    """
    wanted = np.maximum(shares, MIN_SHARE)
    wanted = wanted / wanted.sum()

    def potential(offsets: FloatArray) -> tuple[float, FloatArray]:
        labels, logs = posterior(scores + offsets)
        return float(weights @ logs - wanted @ offsets), labels

    offsets = np.zeros(len(wanted))
    value, labels = potential(offsets)
    for _ in range(MAX_OFFSET_STEPS):
        slope = weights @ labels - wanted
        if np.abs(slope).max() <= OFFSET_TOLERANCE:
            break
        each = weights[:, None] * labels
        curve = np.diag(each.sum(axis=0)) - each.T @ labels
        # The same offset for all classes changes nothing; the last term fixes it.
        step = -np.linalg.solve(
            curve + 1 / len(wanted) + 1e-12 * np.eye(len(wanted)), slope
        )
        step *= min(1.0, MAX_OFFSET_STEP / np.abs(step).max())
        for _ in range(30):
            moved, found = potential(offsets + step)
            if moved <= value + 1e-4 * (slope @ step) + 1e-15 * abs(value):
                break
            step /= 2
        offsets, value, labels = offsets + step, moved, found
    return offsets


def soft_label_loss(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
    """Cross-entropy of soft labels, mean over the examples that have one.

    For any training loop of torch, and as ``compute_loss_func`` of a Hugging Face
    ``Trainer``. Only methods of the tensors are called, so nothing is imported.

    Parameters
    ----------
    outputs : (n, k) tensor, or what has it as ``logits``
        What the network says, before softmax.
    labels : (n, k) tensor
        Soft labels. A row that adds up to less than one counts less; zeros and NaN are no
        label.
    num_items_in_batch : int or tensor, optional
        What a ``Trainer`` counts: the numbers in all labels of the batches that one step
        is made from, k per example. The loss is then a sum over so many.

    Returns
    -------
    tensor
        One number.

    Examples
    --------
    >>> import torch
    >>> from corral.training import soft_label_loss
    >>> scores = torch.tensor([[2.0, 0.0], [0.0, 1.0]])
    >>> labels = torch.tensor([[0.9, 0.1], [0.0, 0.0]])  # the second has no label
    >>> round(soft_label_loss(scores, labels).item(), 3)
    0.327
    """
    if isinstance(outputs, dict):
        scores = outputs["logits"]
    elif isinstance(outputs, tuple | list):
        scores = outputs[0]
    else:
        scores = getattr(outputs, "logits", outputs)
    if tuple(labels.shape) != tuple(scores.shape):
        raise ParameterError(
            "soft labels must have a probability per class, as the network has a score; "
            f"the shapes are {tuple(labels.shape)} and {tuple(scores.shape)}."
        )
    targets = labels.nan_to_num(0.0).to(scores.dtype)
    total = -(targets * scores.log_softmax(dim=-1)).sum()
    if num_items_in_batch is None:
        return total / targets.sum().clamp(min=1e-12)  # no label at all: no loss
    return total * scores.shape[-1] / num_items_in_batch
