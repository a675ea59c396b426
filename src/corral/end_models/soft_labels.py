"""What an end model learns from: classes, probabilities and weights, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import BoolArray, FloatArray, IntArray
from corral.checks import check_share, check_weights
from corral.errors import ParameterError, SignalsWarning, warn_user
from corral.signals.abstains import is_missing
from corral.signals.coding import ABSTAIN

ROUNDING = 0.02
"""How far digits cut off may lift the sum of a row above one; multi-label rows are far."""


@dataclass(frozen=True)
class SoftLabels:
    """Labels of `n` examples, ready to train on.

    Attributes
    ----------
    classes : (k,) array
        Class values as given.
    probabilities : (n, k) array of float
        Rows add up to one; to zero where nothing is known.
    weights : (n,) array of float
        What every example counts; zero where nothing is known.
    """

    classes: NDArray[Any]
    probabilities: FloatArray
    weights: FloatArray


def read_soft_labels(
    y: ArrayLike,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    covered: ArrayLike | None = None,
    uncovered_weight: float = 0.0,
) -> SoftLabels:
    """Labels as every end model takes them.

    Parameters
    ----------
    y : (n, k) array of probabilities, or (n,) class values
        A row may be a partial label. If it adds up to less than one, the rest is not
        known, and the example counts that much less; nothing at all, or NaN, is no label.
        Several ones are several possible classes, each as likely; a warning asks whether
        that is meant. Other rows that add up to more than one, by more than `ROUNDING`,
        are refused: they are those of a multi-label task. A class value may be None or
        NaN for no label, and -1 if that is not one of `classes`; without `classes`, -1 is
        refused unless all are -1 and 1.
    classes : (k,) array, optional
        Class values of the columns; default ``0 .. k-1``, or the sorted values of `y`.
    sample_weight : (n,) array of float, optional
    covered : (n,) array of bool, optional
        Which examples any signal votes on; the others count `uncovered_weight`.
    uncovered_weight : float
        From 0 (left out) to 1 (as good as any).

    Examples
    --------
    >>> from corral.end_models.soft_labels import read_soft_labels
    >>> read = read_soft_labels([[0.8, 0.2, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> read.probabilities.tolist()
    [[0.8, 0.2, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> read.weights.tolist()
    [1.0, 0.5, 0.0]
    """
    check_share("uncovered_weight", uncovered_weight)
    if y is None:
        raise ParameterError("requires y to be passed, but the target y is None.")
    named = None if classes is None else _class_values(classes)
    labels = np.asarray(y)
    if labels.ndim == 1:
        values, soft = _from_classes(labels, named)
    elif labels.ndim == 2:
        values, soft = _from_probabilities(labels, named)
    else:
        raise ParameterError(
            "y must be class values (n,) or probabilities (n, k); the shape given is "
            f"{labels.shape}."
        )
    soft, weights = _weigh_rows(soft)
    if (given := check_weights(sample_weight, len(soft))) is not None:
        weights *= given
    if covered is not None:
        weights *= np.where(_check_mask(covered, len(soft)), 1.0, uncovered_weight)
    if not weights.any():
        raise ParameterError(
            "every example has weight zero or no label, so nothing is left."
        )
    return SoftLabels(values, soft, weights)


def expected_accuracy(
    predicted: IntArray,
    y: ArrayLike,
    classes: NDArray[Any],
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean probability that labels give to what was predicted.

    Parameters
    ----------
    predicted : (n,) array of int
        Positions in `classes`.
    y : (n, k) array of probabilities, or (n,) class values
        As for `read_soft_labels`. A class value that was never trained on is predicted
        wrong, unless it is text where classes are numbers, or the other way round.
    classes : (k,) array
    sample_weight : (n,) array of float, optional

    Examples
    --------
    >>> import numpy as np
    >>> from corral.end_models.soft_labels import expected_accuracy
    >>> expected_accuracy(np.array([0, 1]), [[0.75, 0.25], [0.5, 0.5]], np.arange(2))
    0.625
    """
    known: Any = classes.tolist()
    labels = np.asarray(y)
    if labels.ndim == 1:
        seen = set(known)
        values = (v for v in labels.tolist() if not is_missing(v) and v != ABSTAIN)
        new = list(dict.fromkeys(value for value in values if value not in seen))
        odd = [v for v in new if isinstance(v, str) != isinstance(known[0], str)]
        if odd:
            raise ParameterError(
                f"label {odd[0]!r} is not one of the classes {known}: one is text, the "
                "others are not. Give labels as the classes are."
            )
        known = [*known, *new]
    read = read_soft_labels(y, _object_array(known), sample_weight)
    if len(predicted) != len(read.weights):
        raise ParameterError(
            f"{len(predicted)} examples were given with {len(read.weights)} labels."
        )
    right = read.probabilities[np.arange(len(predicted)), predicted]
    return float(np.average(right, weights=read.weights))


def _object_array(values: list[Any]) -> NDArray[Any]:
    """Class values as an array that keeps what they are."""
    made = np.empty(len(values), object)
    made[:] = values
    return made


def _weigh_rows(soft: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rows that add up to one, or to zero, and what each counts."""
    total = soft.sum(axis=1)
    above = total > 1 + ROUNDING + 1e-9
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
            f"({int(above.sum())} of {len(soft)} examples); for a multi-label task train "
            "one classifier per column: fit(X, y[:, j]). If possible classes are meant, "
            "share one among them, such as 0.5 and 0.5.",
            SignalsWarning,
        )
    weights = np.minimum(total, 1.0)
    # Sums that miss one by rounding are one, so that they do not become weights.
    weights[np.isclose(total, 1)] = 1.0
    soft = np.divide(soft, total[:, None], out=soft, where=total[:, None] > 0)
    return soft, weights


def _class_values(classes: ArrayLike) -> NDArray[Any]:
    values = np.asarray(classes)
    if values.ndim != 1 or len(set(values.tolist())) != len(values):
        raise ParameterError(
            f"classes must be different values; {values.tolist()} came."
        )
    return values


def _from_classes(
    labels: NDArray[Any], named: NDArray[Any] | None
) -> tuple[NDArray[Any], FloatArray]:
    """Classes and one-hot rows; rows of zeros where there is no label."""
    missing = _missing(labels)
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
    values = np.unique(_plain(known)) if named is None else named
    hot = np.zeros((len(labels), len(values)))
    hot[~missing] = known[:, None] == values
    unknown = labels[~missing & ~hot.any(axis=1)]
    if len(unknown):
        raise ParameterError(
            f"label {unknown.tolist()[0]!r} is not one of {values.tolist()}."
        )
    return values, hot


def _missing(labels: NDArray[Any]) -> BoolArray:
    """(n,) None, NaN and the like."""
    if labels.dtype == object:
        return np.array([is_missing(value) for value in labels], bool)
    return np.isnan(labels) if labels.dtype.kind == "f" else np.zeros(len(labels), bool)


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Objects as the text or numbers that they are, so that they have an order."""
    return np.array(values.tolist()) if values.dtype == object else values


def _from_probabilities(
    labels: NDArray[Any], named: NDArray[Any] | None
) -> tuple[NDArray[Any], FloatArray]:
    try:
        soft = labels.astype(float)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"soft labels (n, k) must be numbers; {labels.dtype} came."
        ) from error
    nothing = np.isnan(soft).all(axis=1)
    soft[nothing] = 0
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


def _check_mask(covered: ArrayLike, n: int) -> BoolArray:
    mask = np.asarray(covered)
    if mask.shape != (n,) or mask.dtype != bool:
        raise ParameterError(
            f"covered must hold {n} times True or False, such as the labeler's covered_; "
            f"{mask.dtype} of shape {mask.shape} came."
        )
    return mask
