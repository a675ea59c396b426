"""Soft labels in every form that people have them, as one array of probabilities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import BoolArray, FloatArray
from corral.checks import check_weights
from corral.errors import ParameterError
from corral.labelers.base import Labeler
from corral.votes.coding import ABSTAIN, class_list, code_labels, is_missing
from corral.votes.columns import as_frame, is_frame

CLASS_PREFIX = "p_"
"""Columns of probabilities are called so, with the class behind."""
MAX_EXCESS = 0.02
"""By how much the rounded probabilities of a row may add up to more than one."""


def read_labels(y: Any, classes: ArrayLike | None) -> tuple[NDArray[Any], FloatArray]:
    """Class values (k,) and probabilities (n, k), zeros where there is no label.

    `y` is a fitted labeler, a frame with the columns ``p_<class>`` and maybe ``covered``,
    another frame or an array with a column per class, or class values (n,). Among these, -1
    is no label if it is not one of `classes`; without `classes`, -1 is refused unless all
    are -1 and 1.
    """
    if y is None:
        raise ParameterError("requires y to be passed, but the target y is None.")
    if isinstance(y, Labeler):
        if classes is not None:
            raise ParameterError("a labeler knows its classes; leave out `classes`.")
        y, classes = np.where(y.covered_[:, None], y.labels_, 0), y.classes_
    elif is_frame(y):
        y, classes = _read_frame(y, classes)
    named = class_list(classes)
    try:
        array = np.asarray(y)
        soft = np.empty(0) if array.ndim < 2 else array.astype(float)
    except (TypeError, ValueError):  # ragged, or not of numbers
        array = soft = np.empty((0, 0, 0))
    if array.ndim == 1:
        return _read_classes(array, named)
    values = np.asarray(range(soft.shape[-1]) if named is None else named)
    if soft.ndim != 2 or soft.shape[1] != len(values):
        raise ParameterError(
            f"soft labels must be numbers (n, {len(values) or 'k'}), one column per "
            f"class; {y!r:.80} came."
        )
    soft[np.isnan(soft).all(axis=1)] = 0
    if not ((soft >= 0) & (soft <= 1 + 1e-9)).all():
        raise ParameterError(
            "soft labels must be probabilities between 0 and 1. Rows without a label are "
            "all NaN."
        )
    return values, soft


def _read_frame(table: Any, classes: Any) -> tuple[FloatArray, Any]:
    frame = as_frame(table)
    names = [c for c in frame.columns if str(c).startswith(CLASS_PREFIX)]
    covered: Any = True
    if names and "covered" in frame.columns:
        covered = read_flags(frame.get_column("covered").to_list())[:, None]
    names = names or list(frame.columns)
    if len(names) == 1:
        raise ParameterError(
            f"{names[0]!r} is the only column of probabilities; every class needs one, "
            "such as 'p_ham' and 'p_spam'."
        )
    if classes is None:
        classes = name_classes(names)
    else:  # columns that are named after classes may have any order
        own = {str(name).removeprefix(CLASS_PREFIX): name for name in names}
        asked = [str(value) for value in class_list(classes) or ()]
        if own.keys() == set(asked):
            names = [own[value] for value in asked]
        elif str(names[0]).startswith(CLASS_PREFIX):
            raise ParameterError(f"the columns {names} are not of the classes {asked}.")
    soft = np.column_stack([frame.get_column(name).to_numpy() for name in names])
    return np.where(covered, soft, 0), classes


def read_flags(cells: Iterable[Any]) -> BoolArray:
    """Truth values, which files may hold as text."""
    return np.array([str(cell).lower() in ("true", "1", "1.0") for cell in cells])


def name_classes(columns: Sequence[Any]) -> list[Any]:
    """The classes that columns of probabilities are named after; numbers if all are."""
    names = [str(column).removeprefix(CLASS_PREFIX) for column in columns]
    is_number = all(re.fullmatch(r"-?\d+", name) for name in names)
    return [int(name) for name in names] if is_number else names


def _read_classes(
    labels: NDArray[Any], named: list[Any] | None
) -> tuple[NDArray[Any], FloatArray]:
    """Classes, sorted if nobody named them, and one-hot rows; zeros are no label."""
    if named is None:
        known = [value for value in labels.tolist() if not is_missing(value)]
        if not all(value.is_integer() for value in known if isinstance(value, float)):
            raise ParameterError(
                "Unknown label type: class values (n,) must be whole numbers or text; "
                "continuous or infinite numbers came. Give probabilities as (n, k), one "
                "column per class."
            )
        if ABSTAIN in known and not {ABSTAIN, 1}.issuperset(known):
            raise ParameterError(
                "-1 in y may be a class, or mean that an example has no label. Name the "
                "classes: classes=labeler.classes_."
            )
        named = np.unique(known).tolist()
    values = np.asarray(named)
    codes = code_labels(labels, values, len(labels))
    return values, (codes[:, None] == np.arange(len(values))).astype(float)


def split_weights(
    soft: FloatArray, sample_weight: ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    """Labels (n, k) that add up to one, or to zero without a label; and weights (n,).

    A row that added up to less than one has that weight, times its `sample_weight`.
    """
    total = soft.sum(axis=1)
    above = np.flatnonzero(total > 1 + MAX_EXCESS + 1e-9)
    if len(above):
        raise ParameterError(
            f"the soft labels of example {above[0]} add up to {total[above[0]]:.6g}; those "
            "of one class add up to one. Where an example may have several classes, train "
            "one classifier for each column p: fit(X, np.column_stack([1 - p, p]))."
        )
    # Sums that miss one by rounding are one, so that they do not become weights.
    weights = np.where(np.isclose(total, 1), 1.0, np.minimum(total, 1.0))
    if (given := check_weights(sample_weight, len(soft))) is not None:
        weights *= given
    if not weights.any():
        raise ParameterError(
            "every example has weight zero or no label, so nothing is left."
        )
    return soft / np.where(total > 0, total, 1)[:, None], weights
