"""Which labels are other ones than before."""

from __future__ import annotations

from typing import Any

import numpy as np

from corral._types import BoolArray, FloatArray
from corral.errors import ParameterError
from corral.labelers import Labeler
from corral.metrics import winners


def changed(
    before: FloatArray, after: FloatArray, *, multilabel: bool = False
) -> BoolArray:
    """(n,) whether no class that was likeliest still is.

    Parameters
    ----------
    before, after : (n, k) arrays of float
    multilabel : bool
        Columns are for themselves: whether any is on another side of one half.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.advice.changed import changed
    >>> before = np.array([[0.6, 0.4], [0.6, 0.4], [0.5, 0.5]])
    >>> after = np.array([[0.4, 0.6], [0.9, 0.1], [0.4, 0.6]])
    >>> changed(before, after).tolist()  # a tie that is decided is no other label
    [True, False, False]
    """
    if multilabel:
        other: BoolArray = ((before > 0.5) != (after > 0.5)).any(axis=1)
    else:
        other = np.logical_not((winners(before) & winners(after)).any(axis=1))
    return other


def check_labeler(labeler: Any) -> None:
    """Refuse what is no labeler."""
    if not isinstance(labeler, Labeler):
        raise ParameterError(
            "a fitted labeler was expected, such as corral.ConstrainedLabeler().fit(votes);"
            f" {type(labeler).__name__} was given."
        )
