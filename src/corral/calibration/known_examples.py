"""Soft labels next to the true classes, as far as these are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import FloatArray, IntArray
from corral.checks import check_weights
from corral.errors import ParameterError
from corral.labelers.labeler import Labeler
from corral.signals.coding import class_list
from corral.signals.gold import code_labels


@dataclass(frozen=True)
class KnownExamples:
    """The examples whose class is known, and what the labels say of them.

    Attributes
    ----------
    probabilities : (j, k) array of float
    truth : (j,) array of int
        Positions of the true classes.
    weights : (j,) array of float
        Above zero.
    classes : (k,) array
    """

    probabilities: FloatArray
    truth: IntArray
    weights: FloatArray
    classes: NDArray[Any]


def read_known(
    labels: Any,
    y: ArrayLike,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> KnownExamples:
    """Read what users call labels and `y`; leave out what has no `y` or no weight.

    Examples of a labeler that no signal votes on are left out, too: their label is the
    class balance, and nothing that the labeler claims.
    """
    covered: Any = True
    values: Any = classes
    counts = None
    if isinstance(labels, Labeler):
        if classes is not None:
            raise ParameterError("a labeler knows its classes; leave out `classes`.")
        counts, covered = labels._counts_, labels.covered_
        labels, values = labels.labels_, labels.classes_
    named = class_list(values)
    p = check_probabilities(labels, None if named is None else len(named))
    values = np.arange(p.shape[1]) if named is None else np.array(named)
    weights = check_weights(sample_weight, len(p))
    weights = np.ones(len(p)) if weights is None else weights
    weights = weights if counts is None else weights * counts
    truth = code_labels(y, values, len(p))
    used = (truth >= 0) & (weights > 0) & covered
    if not used.any():
        raise ParameterError(
            "at least one example must have a known class in y, a weight and a signal "
            "that votes on it; none has."
        )
    return KnownExamples(p[used], truth[used], weights[used], values)


def check_probabilities(labels: ArrayLike, k: int | None) -> FloatArray:
    """Probabilities (n, k) of `k` classes in rows that sum to one; refuse what is none."""
    try:
        p = np.asarray(labels, float)
    except (TypeError, ValueError) as error:
        raise ParameterError("labels must be an (n, k) array of numbers.") from error
    if p.ndim != 2 or p.shape[1] < 2 or k not in (None, p.shape[1]):
        raise ParameterError(
            f"labels must be probabilities (n, {k or 'k'}), one column per class; the "
            f"shape given is {p.shape}. For the probability p of one class alone, give "
            "np.column_stack([1 - p, p])."
        )
    # Single precision leaves sums of rows a little off one; multi-label rows far.
    if not ((p >= 0).all() and (np.abs(p.sum(axis=1) - 1) < 1e-4).all()):
        raise ParameterError(
            "labels must be probabilities in rows that add up to one. Take the columns "
            "of a multi-label task one by one: np.column_stack([1 - p, p])."
        )
    return p
