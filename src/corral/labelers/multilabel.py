"""Tasks in which an example may have any number of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import BoolArray, FloatArray, IntArray
from corral.errors import ParameterError
from corral.labelers.inputs import code_truth
from corral.labelers.labeler import Labeler
from corral.metrics import TIE
from corral.signals import WeakSignals


def check_multilabel(signals: WeakSignals) -> None:
    """Refuse signals that name one class of an example."""
    if signals.names_classes:
        raise ParameterError(
            "multilabel=True needs signals that vote on one class at a time, "
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
        Whether examples that no signal votes on are left unanswered.
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


class MultilabelAnswers(Labeler):
    """Base of labelers whose examples may have any number of classes.

    Attributes
    ----------
    multilabel : bool
        Whether they have; else the answers are those of every labeler.
    """

    multilabel: bool

    def decide(self, probabilities: FloatArray, covered: BoolArray) -> NDArray[Any]:
        """Hard labels of given probabilities by the tie and coverage policies.

        Multi-label tasks: (n, k) of 1 and 0, and -1 for no answer.
        """
        if not self.multilabel:
            return super().decide(probabilities, covered)
        policies = self.ties, self.uncovered, self._rng()
        return indicators(probabilities, covered, *policies)

    @property
    def tie_share_(self) -> float:
        """Share of the covered examples whose likeliest classes are tied.

        Multi-label tasks: share of their entries that are as likely as not.
        """
        if not self.multilabel:
            return super().tie_share_
        ties = entry_ties(self.labels_[self.covered_]).mean(axis=1)
        counts = None if self._counts_ is None else self._counts_[self.covered_]
        return float(np.average(ties, weights=counts))

    def score(self, signals: Any, y: ArrayLike) -> float:
        """Share of the examples labelled right, as `corral.compare` counts it.

        Of those that some signal votes on and whose class is known; ties count in
        equal parts. Multi-label tasks: right in every class, and an entry of one half
        counts half. See `Labeler.score`.

        Parameters
        ----------
        signals : as for `fit`
        y : (n,) array of class values; or (n, k) of 0 and 1, multi-label
            NaN or -1 (None among class values) where unknown.
        """
        if not self.multilabel:
            return super().score(signals, y)
        read = self.read(signals)
        truth = _read_indicators(y, len(read), self.classes_)
        p = self._probabilities(read)
        said = np.where(entry_ties(p), 0.5, p > 0.5)
        right = np.prod(1 - np.abs(said - truth), axis=1)
        return self._mean_score(np.nan_to_num(right), ~np.isnan(right), read)


def _read_indicators(y: ArrayLike, n: int, classes: NDArray[Any]) -> FloatArray:
    """Which classes (n, k) examples have; NaN in a row where that is unknown."""
    k = len(classes)
    if np.ndim(y) == 1:  # one class each
        codes = code_truth(y, classes, n)
        return np.where(codes[:, None] < 0, np.nan, np.eye(k)[codes])
    try:
        truth = np.array(y, float)
    except (TypeError, ValueError) as error:
        raise ParameterError("y must be 0 and 1, one column for each class.") from error
    expected = (
        f"y must be 0 and 1 of the shape ({n}, {k}), one column for each class, NaN or -1 "
        "where unknown"
    )
    if truth.shape != (n, k):
        raise ParameterError(f"{expected}; the shape given is {truth.shape}.")
    truth[truth == -1] = np.nan
    strange = np.argwhere(~np.isnan(truth) & ~np.isin(truth, (0, 1)))
    if len(strange):
        row, column = strange[0]
        raise ParameterError(
            f"{expected}; {truth[row, column]:g} was given, in row {row}, column {column}."
        )
    return truth
