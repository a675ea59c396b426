"""Label matrices, as corral reads them."""

from __future__ import annotations

from numpy.typing import ArrayLike

from corral._types import IntArray
from corral.compat.snorkel.utils.core import ABSTAIN, to_int_label_array
from corral.errors import ParameterError
from corral.signals import WeakSignals


def check_votes(L: ArrayLike, cardinality: int | None = None) -> IntArray:
    """A label matrix (n, m) of -1, 0, 1, ... below `cardinality`; refuse all else."""
    votes = to_int_label_array(L, flatten_vector=False)
    if votes.ndim != 2 or not votes.size:
        raise ParameterError(
            "must have one row per example and one column per function; the shape given "
            f"is {votes.shape}.",
            parameter="L",
        )
    if votes.min() < ABSTAIN:
        raise ParameterError(
            f"must hold classes from 0 on, or -1 for an abstain; {votes.min()} came.",
            parameter="L",
        )
    if cardinality is not None and votes.max() >= cardinality:
        raise ParameterError(
            f"L has cardinality {votes.max() + 1}, cardinality={cardinality} was given; "
            "give the number of all classes."
        )
    return votes


def as_signals(votes: IntArray, cardinality: int) -> WeakSignals:
    """The signals of a label matrix, with all classes whether voted for or not."""
    classes = range(max(cardinality, 2))
    return WeakSignals.from_votes(votes, classes=classes, abstain=ABSTAIN)
