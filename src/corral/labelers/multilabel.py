"""Tasks in which an example may have any number of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from corral._types import BoolArray, FloatArray, IntArray
from corral.checks import check_flag
from corral.decisions import TIE
from corral.errors import ParameterError
from corral.labelers.by_class import ClassFit, combine, fit_classes
from corral.labelers.column_models import ColumnModels
from corral.labelers.inputs import code_truth
from corral.labelers.labeler import Labeler
from corral.labelers.probabilities import check_balance
from corral.labelers.signal_numbers import signal_numbers
from corral.model import Model
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


@dataclass(eq=False, repr=False, kw_only=True)
class MultilabelAnswers(Labeler):
    """Base of labelers whose examples may have any number of classes.

    Attributes
    ----------
    multilabel : bool
        Whether they have; else the answers are those of every labeler.
    """

    multilabel: bool = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("multilabel", self.multilabel)

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
        truth = read_indicators(y, len(read), self.classes_)
        p = self._probabilities(read)
        said = np.where(entry_ties(p), 0.5, p > 0.5)
        right = np.prod(1 - np.abs(said - truth), axis=1)
        return self._mean_score(np.nan_to_num(right), ~np.isnan(right), read)


@dataclass(eq=False, repr=False, kw_only=True)
class LabelsByClass(MultilabelAnswers):
    """Base of labelers that label every class of a multi-label task for itself.

    With ``multilabel=True`` every class is a task with the classes "no" and "yes", and what
    the votes of a signal are worth is pooled over the classes; see `by_class`.
    """

    pools: ClassVar[bool] = True
    """Whether what votes are worth is learned, and so pooled over the classes."""
    numbers_of_signals: ClassVar[tuple[str, ...]] = ()
    """Options that have one number per signal, or one per signal and class."""

    def _model_of(self, signals: WeakSignals, weights: FloatArray | None) -> Model:
        if not self.multilabel:
            return super()._model_of(signals, weights)
        check_multilabel(signals)
        given = getattr(self, "class_balance", None)
        k = signals.n_classes
        balance = None if given is None else check_balance(given, k, multilabel=True)

        def find(k: int, speakers: IntArray, view: WeakSignals) -> tuple[Any, Any]:
            alone = self._for_class(signals, k, speakers)
            if balance is not None:
                alone.set_params(class_balance=[1 - balance[k], balance[k]])
            return alone, alone._find_model(view, weights)

        fits = fit_classes(signals, weights, find)
        model = combine(fits, weights, balance, k, pool=self.pools)
        self._take(signals, fits, model, weights)
        return model

    def _for_class(self, signals: WeakSignals, k: int, speakers: IntArray) -> Any:
        """The labeler of the task of one class."""
        own: dict[str, Any] = {"multilabel": False}
        for name in self.numbers_of_signals:
            if getattr(self, name) is not None:
                given = signal_numbers(name, getattr(self, name), signals)
                own[name] = given[speakers] if given.ndim == 1 else given[speakers, k]
        return clone(self).set_params(**own)

    def _take(
        self,
        signals: WeakSignals,
        fits: list[ClassFit],
        model: ColumnModels,
        weights: FloatArray | None,
    ) -> None:
        """Keep what was learned of the classes beside the model."""


def read_indicators(y: ArrayLike, n: int, classes: NDArray[Any]) -> FloatArray:
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
