"""Tasks in which an example may have any number of classes."""

from __future__ import annotations

import numpy as np

from corral._types import BoolArray, FloatArray, IntArray
from corral.errors import ParameterError
from corral.metrics import TIE
from corral.signals import Kind, WeakSignals


def check_multilabel(signals: WeakSignals) -> None:
    """Refuse signals that name one class of an example."""
    if signals.kind is not Kind.ONE_VS_REST:
        raise ParameterError(
            "multilabel=True needs signals that speak of one class at a time, "
            f"WeakSignals.from_one_vs_rest; these are {signals.kind.value}."
        )


def column_probabilities(
    labels: FloatArray, kept: BoolArray, prior: FloatArray
) -> FloatArray:
    """Labels (n, k) as they are; entries that are not `kept` get the `prior` (k,)."""
    return np.where(kept, labels, prior)


def indicators(
    probabilities: FloatArray,
    covered: BoolArray,
    ties: str,
    uncovered: str,
    rng: np.random.Generator,
) -> IntArray:
    """Which classes every example has: 1, 0, or -1 for no answer.

    Parameters
    ----------
    probabilities : (n, k) array of float
    covered : (n,) array of bool
    ties : "first", "random" or "abstain"
        What an entry of one half becomes; first is 0.
    uncovered : "abstain" or "prior"
        Whether examples that no signal speaks of are left unanswered.
    rng : Generator

    Examples
    --------
    >>> import numpy as np
    >>> from corral.labelers.multilabel import indicators
    >>> p, rng = np.array([[0.9, 0.8, 0.5], [0.5, 0.5, 0.5]]), np.random.default_rng()
    >>> indicators(p, np.array([True, False]), "first", "abstain", rng).tolist()
    [[1, 1, 0], [-1, -1, -1]]
    """
    chosen = (probabilities > 0.5 + TIE).astype(int)
    tied = entry_ties(probabilities)
    if ties == "random":
        chosen[tied] = rng.integers(0, 2, int(tied.sum()))
    elif ties == "abstain":
        chosen[tied] = -1
    if uncovered == "abstain":
        chosen[~covered] = -1
    return chosen


def entry_ties(probabilities: FloatArray) -> BoolArray:
    """(n, k) which entries are as likely as not."""
    return np.abs(probabilities - 0.5) <= TIE
