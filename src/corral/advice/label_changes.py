"""Which labels differ between two sets of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from corral._types import BoolArray, FloatArray
from corral.errors import ParameterError
from corral.labelers import Labeler
from corral.metrics import is_winner


def find_changed_labels(
    before: FloatArray, after: FloatArray, *, multilabel: bool = False
) -> BoolArray:
    """(n,) whether the likeliest class of an example is another one.

    Parameters
    ----------
    before, after : (n, k) arrays of float
    multilabel : bool
        Every column is a label of its own: whether any crosses one half.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.advice.label_changes import find_changed_labels
    >>> before = np.array([[0.6, 0.4], [0.6, 0.4], [0.5, 0.5]])
    >>> after = np.array([[0.4, 0.6], [0.9, 0.1], [0.4, 0.6]])
    >>> find_changed_labels(before, after).tolist()  # breaking a tie is no change
    [True, False, False]
    """
    if multilabel:
        changed: BoolArray = ((before > 0.5) != (after > 0.5)).any(axis=1)
    else:
        changed = np.logical_not((is_winner(before) & is_winner(after)).any(axis=1))
    return changed


def check_labeler(labeler: Any) -> None:
    """Refuse what is not a labeler."""
    if not isinstance(labeler, Labeler):
        raise ParameterError(
            "a fitted labeler was expected, such as corral.ConstrainedLabeler().fit(votes);"
            f" {type(labeler).__name__} was given."
        )
