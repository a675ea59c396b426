"""`snorkel.utils`: from probabilities to classes and back."""

from __future__ import annotations

from hashlib import sha1

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.checks import check_choice
from corral.errors import ParameterError

__all__ = ["preds_to_probs", "probs_to_preds", "to_int_label_array"]

ABSTAIN = -1


def probs_to_preds(
    probs: ArrayLike, tie_break_policy: str = "random", tol: float = 1e-5
) -> IntArray:
    """(n,) the likeliest class of every row of probabilities (n, k), ties as in Snorkel."""
    check_choice("tie_break_policy", tie_break_policy, ("abstain", "random"))
    p = np.asarray(probs, float)
    if p.ndim != 2 or p.shape[1] < 2:
        raise ParameterError(
            "must have probabilities of two classes or more, one column each; the shape "
            f"given is {p.shape}.",
            parameter="probs",
        )
    best = p.max(axis=1, keepdims=True) - p < tol
    chosen = best.argmax(axis=1)
    for i in np.flatnonzero(best.sum(axis=1) > 1):
        if tie_break_policy == "abstain":
            chosen[i] = ABSTAIN
        else:  # Snorkel hashes the number of the row
            number = int(sha1(str(i).encode(), usedforsecurity=False).hexdigest(), 16)
            tied = np.flatnonzero(best[i])
            chosen[i] = tied[number % len(tied)]
    return chosen


def preds_to_probs(preds: ArrayLike, num_classes: int) -> FloatArray:
    """(n, k) ones and zeros of classes (n,); unlike in Snorkel, an abstain is refused."""
    chosen = to_int_label_array(preds)
    if not ((chosen >= 0) & (chosen < num_classes)).all():
        raise ParameterError(
            f"must be classes from 0 to {num_classes - 1}; {chosen.min()} to "
            f"{chosen.max()} came. An abstain has no probability: leave it out first.",
            parameter="preds",
        )
    return np.eye(num_classes)[chosen]


def to_int_label_array(X: ArrayLike, flatten_vector: bool = True) -> IntArray:
    """Labels as whole numbers, in one dimension unless `flatten_vector` is False."""
    given = np.asarray(X)
    if given.dtype.kind == "O":  # numbers in a column of any objects
        given = np.array(given.tolist())
    kind = given.dtype.kind
    if kind not in "biuf" or (kind == "f" and (given % 1 != 0).any()):
        raise ParameterError(
            "labels must be whole numbers, -1 for an abstain; there is a non-integer "
            "value among them."
        )
    labels = given.astype(int, copy=False)
    if not flatten_vector:
        return labels
    flat = np.atleast_1d(labels.squeeze())
    if flat.ndim != 1:
        raise ParameterError(
            f"labels must be a list; an array of shape {given.shape} cannot be read as "
            "a 1d np.array."
        )
    return flat
