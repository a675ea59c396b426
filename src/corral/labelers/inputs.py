"""What users give to labelers: votes, and labels that are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import FloatArray, IntArray
from corral.checks import check_weights, require_votes
from corral.errors import (
    ParameterError,
    SignalsError,
    SignalsWarning,
    is_called_by,
    warn_user,
)
from corral.signals import PatternCounts, WeakSignals
from corral.signals.abstains import is_no_vote
from corral.signals.coding import ABSTAIN
from corral.signals.frames import is_frame
from corral.signals.gold import code_labels


def as_signals(data: Any) -> WeakSignals:
    """Read whatever a user calls votes.

    Two dimensions are class votes; three are ambiguous and must be made into
    `WeakSignals`.
    """
    if isinstance(data, WeakSignals):
        return data
    if isinstance(data, PatternCounts):
        return data.signals
    if is_frame(data):
        return WeakSignals.from_frame(data)
    if getattr(data, "ndim", 0) == 3 or _depth(data) == 3:
        raise SignalsError(
            "a three-dimensional array may be one-vs-rest signals (m, n, k) or class "
            "probabilities (n, m, k). Say which: WeakSignals.from_one_vs_rest(...) or "
            "WeakSignals.from_probabilities(...)."
        )
    return WeakSignals.from_votes(data)


def _depth(data: Any) -> int:
    """How deep lists are nested; uneven ones are refused where votes are read."""
    depth = 0
    while isinstance(data, list | tuple) and len(data):
        data, depth = data[0], depth + 1
    return depth


def weigh_examples(
    signals: WeakSignals, sample_weight: ArrayLike | None
) -> FloatArray | None:
    """What every row counts: its weight, times how often it occurs; None if all are one."""
    weights = check_weights(sample_weight, len(signals))
    if weights is not None:  # an array of the other examples would be refused
        require_votes(weights[signals.covered].any(), "label from")
    if signals.counts is None:
        return weights
    return signals.counts if weights is None else weights * signals.counts


def warn_of_labels(y: Any, n: int) -> None:
    """Say that labels of `n` examples are not learned from; refuse what is none."""
    if y is None:
        return
    if np.shape(y)[:1] != (n,):
        raise ParameterError(
            f"y must be None, or the classes of the {n} examples, which only `score` "
            f"looks at; the shape given is {np.shape(y)}. Give what else there is by "
            "name: sample_weight=, X=."
        )
    if is_called_by("sklearn.model_selection"):  # which has to give it, to score with
        return
    warn_user(
        "y is not learned from: a labeler learns from signals alone, and y only counts "
        "in `score`. To learn from known labels, give them to ConstrainedLabeler: "
        "error_rates=corral.FromLabels(labels) learns from them, "
        "constraints=[corral.Known(rows, labels)] keeps them as they are.",
        SignalsWarning,
    )


def code_truth(y: ArrayLike, classes: NDArray[Any], n: int) -> IntArray:
    """(n,) positions of true classes among those fitted on, -1 where unknown."""
    try:
        return code_labels(y, classes, n)
    except ParameterError:
        known, values = classes.tolist(), np.asarray(y, object)
        texts = {str(value) for value in known}  # 1 for "1": the first error says it
        for value in values.tolist() if values.shape == (n,) else ():
            unknown = is_no_vote(value) or value == ABSTAIN
            if not unknown and value not in known and str(value) not in texts:
                raise ParameterError(
                    f"label {value!r} in y is not one of the classes {known} that the "
                    "labeler was fitted on. Give y in these classes, and None where the "
                    "true class is none of them."
                ) from None
        raise
