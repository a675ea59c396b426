"""The contract of every labeler."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from corral import metrics
from corral._random import generator
from corral._types import BoolArray, FloatArray, IntArray
from corral.checks import check_choice, check_weights
from corral.errors import ParameterError, SignalsError, SignalsWarning, warn_user
from corral.signals import PatternCounts, WeakSignals
from corral.signals.abstains import is_no_vote
from corral.signals.coding import ABSTAIN
from corral.signals.frames import is_frame
from corral.signals.gold import code_labels

TIES = ("first", "random", "abstain")
UNCOVERED = ("abstain", "prior")


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
    """How deep lists are nested; ragged ones are reported elsewhere."""
    depth = 0
    while isinstance(data, list | tuple) and len(data):
        data, depth = data[0], depth + 1
    return depth


class Labeler(BaseEstimator):
    """Base of all labelers: votes in, soft labels out.

    A subclass implements `_fit`, which learns from signals, `labels_` of their examples,
    `_probabilities` of any other signals, and `note_`. That is all that `corral.label`
    and the command line need: files and tables come as signals with counts, one row a
    distinct row of votes, and so do new votes.

    Attributes
    ----------
    classes_ : (k,) array
        Class values; the columns of `predict_proba`.
    signal_names_ : tuple of str
    labels_ : (n, k) array of float
        Soft labels of the examples fitted on.
    covered_ : (n,) array of bool
        Whether any signal speaks of them.
    tie_share_ : float
        Share of the covered ones whose likeliest classes are tied.
    note_ : str
        How the labels were found, in a sentence.
    """

    ties: str
    uncovered: str
    random_state: Any

    def fit(
        self, signals: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from signals alone.

        Parameters
        ----------
        signals : WeakSignals, (n, m) votes, sparse array, data frame or PatternCounts
        y : (n,) array, optional
            Not learned from, and a warning says so. It is there for scikit-learn's
            `cross_val_score` and `GridSearchCV`, which give it to `fit` and `score`.
        sample_weight : (n,) array of float, optional
            A weight of two is an example given twice. Methods that learn take the sum
            for the number of examples, so weights that add up to one are few of them.

        Returns
        -------
        self
        """
        read, weights = self._checked(signals, y, sample_weight)
        self._fit(read, weights)
        return self._fitted_on(read)

    def _checked(
        self, signals: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[WeakSignals, FloatArray | None]:
        """Signals and the weights of their rows, as `_fit` takes them."""
        self._check_parameters()
        read = as_signals(signals)
        warn_of_labels(y, len(read))
        weights = check_weights(sample_weight, len(read))
        if read.counts is not None:
            weights = read.counts if weights is None else weights * read.counts
        return read, weights

    def _fitted_on(self, read: WeakSignals) -> Self:
        """Keep what prediction needs to know of the signals fitted on."""
        self._like_ = read.take(slice(0, 1))
        self.covered_ = self._covered(read)
        self._counts_ = read.counts
        self.classes_ = read.classes
        self.signal_names_ = read.names
        self.n_features_in_ = read.n_signals
        return self

    def _rng(self) -> np.random.Generator:
        """A generator of its own; the global random state is never touched."""
        return generator(self.random_state)

    def _fixed_rng(self) -> np.random.Generator:
        """Draws the same each time, unless a `random_state` was given."""
        return np.random.default_rng(0) if self.random_state is None else self._rng()

    def _check_parameters(self) -> None:
        self._rng()
        check_choice("ties", self.ties, TIES)
        check_choice("uncovered", self.uncovered, UNCOVERED)

    @abstractmethod
    def _fit(self, signals: WeakSignals, weights: FloatArray | None) -> None:
        """Learn, and leave what `labels_` and `_probabilities` need."""

    @abstractmethod
    def _probabilities(self, signals: WeakSignals) -> FloatArray:
        """(n, k) probabilities of signals of the fitted kind."""

    def _covered(self, signals: WeakSignals) -> BoolArray:
        """(n,) which examples anything that was fitted speaks of."""
        return signals.covered

    @property
    @abstractmethod
    def labels_(self) -> FloatArray:
        """(n, k) soft labels of the examples fitted on."""

    @property
    @abstractmethod
    def note_(self) -> str:
        """How the labels were found, in a sentence."""

    def read(self, signals: Any) -> WeakSignals:
        """Signals as this labeler reads them: the classes and names it was fitted on."""
        check_is_fitted(self)
        counted = isinstance(signals, PatternCounts)
        return self._like_.like(signals.signals if counted else signals)

    def covers(self, signals: Any) -> BoolArray:
        """(n,) which examples anything that was fitted speaks of."""
        return self._covered(self.read(signals))

    def predict_proba(self, signals: Any) -> FloatArray:
        """Soft labels of any signals of the fitted kind.

        Parameters
        ----------
        signals : as for `fit`

        Returns
        -------
        (n, k) array of float
            Rows sum to one; columns follow `classes_`.
        """
        return self._probabilities(self.read(signals))

    def predict(self, signals: Any) -> NDArray[Any]:
        """Hard labels: class values, or -1 (None for strings) for no answer.

        Ties are broken by `ties`; examples that no signal speaks of are left
        unanswered unless ``uncovered="prior"``.
        """
        read = self.read(signals)
        return self.decide(self._probabilities(read), self._covered(read))

    @property
    def tie_share_(self) -> float:
        """Share of the covered examples whose likeliest classes are tied."""
        check_is_fitted(self)
        labels = self.labels_[self.covered_]
        counts = None if self._counts_ is None else self._counts_[self.covered_]
        return metrics.tie_share(labels, counts)

    def fit_predict(
        self, signals: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Fit, and give the hard labels of the examples fitted on."""
        self.fit(signals, y, sample_weight)
        return self.decide(self.labels_, self.covered_)

    def score(self, signals: Any, y: ArrayLike) -> float:
        """Share of the examples labelled right, as `corral.compare` counts it.

        Of those that some signal speaks of and whose class is known. Where several
        classes are equally likely, each counts its part. How `predict` would break the
        tie, or answer where no signal speaks, makes no difference; to count its answers
        otherwise, use `corral.metrics.accuracy`.

        Parameters
        ----------
        signals : as for `fit`
            Rows with counts stand for so many examples.
        y : (n,) array of class values
            None, NaN, "" or -1 (where it is no class) where unknown.

        Returns
        -------
        float
            From 0 to 1.

        Examples
        --------
        >>> from corral import MajorityVote
        >>> votes = [[0, 0, 1], [1, 1, -1], [0, 1, -1], [-1, -1, -1]]
        >>> MajorityVote().fit(votes).score(votes, [0, 1, 1, 1])  # 2.5 of 3
        0.8333333333333334
        """
        read = self.read(signals)
        return self._scored(self._probabilities(read), read, y)

    def _scored(
        self, probabilities: FloatArray, signals: WeakSignals, y: ArrayLike
    ) -> float:
        """Accuracy of probabilities (n, k) on what can be scored."""
        truth = code_truth(y, self.classes_, len(signals))
        right = metrics.winner_shares(probabilities)[np.arange(len(truth)), truth]
        return self._mean_score(right, truth >= 0, signals)

    def _mean_score(
        self, right: FloatArray, known: BoolArray, signals: WeakSignals
    ) -> float:
        """Mean of what examples score (n,), of the known and covered ones."""
        counts = np.ones(len(signals)) if signals.counts is None else signals.counts
        weights = np.where(known & self._covered(signals), counts, 0.0)
        if not weights.any():
            raise ParameterError(
                "nothing can be scored: no example has a known class in y and a signal "
                "that speaks of it."
            )
        return float(np.average(right, weights=weights))

    def decide(self, probabilities: FloatArray, covered: BoolArray) -> NDArray[Any]:
        """Hard labels of given probabilities by the tie and coverage policies."""
        winners = metrics.winners(probabilities)
        tied = winners.sum(axis=1) > 1
        chosen = winners.argmax(axis=1)
        if self.ties == "random":
            lots = winners[tied] * (
                1 - self._rng().random((tied.sum(), winners.shape[1]))
            )
            chosen[tied] = lots.argmax(axis=1)
        silent = np.zeros(len(chosen), bool)
        if self.ties == "abstain":
            silent |= tied
        if self.uncovered == "abstain":
            silent |= ~covered
        return metrics.class_values(chosen, silent, self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True  # votes
        tags.input_tags.sparse = True
        return tags


class StatelessLabeler(Labeler):
    """Base of labelers that learn nothing: every example is labelled by itself."""

    def _fit(self, signals: WeakSignals, _: FloatArray | None) -> None:
        self._labels = self._probabilities(signals)

    @property
    def labels_(self) -> FloatArray:
        """(n, k) soft labels of the examples fitted on."""
        check_is_fitted(self)
        return self._labels

    @property
    def note_(self) -> str:
        """How the labels were found, in a sentence."""
        return "every example was labelled by its own votes, nothing was learned"


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
        alike = {str(value) for value in known}  # of another type: said already
        for value in values.tolist() if values.shape == (n,) else ():
            unknown = is_no_vote(value) or value == ABSTAIN
            if not unknown and value not in known and str(value) not in alike:
                raise ParameterError(
                    f"label {value!r} in y is not one of the classes {known} that the "
                    "labeler was fitted on. Give y in these classes, and None where the "
                    "true class is none of them."
                ) from None
        raise
