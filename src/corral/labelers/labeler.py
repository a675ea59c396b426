"""The contract of every labeler."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from importlib import import_module
from os import PathLike
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from corral import decisions
from corral._types import BoolArray, FloatArray, IntArray
from corral.checks import check_choice, make_generator
from corral.errors import ParameterError, StorageError
from corral.labelers.explanation import Explanation, check_position, votes_of
from corral.labelers.inputs import (
    as_signals,
    code_truth,
    warn_of_labels,
    weigh_examples,
)
from corral.labelers.probabilities import choose_classes
from corral.model import Contributions, Model
from corral.persist import (
    Arrays,
    decode,
    encode,
    explain_damage,
    read_file,
    read_kind,
    write_file,
)
from corral.signals import PatternCounts, WeakSignals
from corral.signals.signal_data import Kind, SignalData

TIES = ("first", "random", "abstain")
UNCOVERED = ("abstain", "prior")
NOT_PICKLED = {"_signals_", "_weights_", "_facts_", "_design_", "space_"}
"""What a fit keeps of the votes and weights of its examples."""
OF_EXAMPLES = (
    "votes",
    "values",
    "index",
    "counts",
    "drawn",
    "grid",
    "rounding",
    "silent",
)
"""What a file leaves out of the signals fitted on."""
NOTHING_LEARNED = "every example was labelled by its own votes, nothing was learned"


@dataclass(eq=False, repr=False, kw_only=True)
class Labeler(BaseEstimator):
    """Base of all labelers: votes in, soft labels out.

    A subclass implements `_find_model`, which finds a `Model` that labels any votes, and
    `note_`. All else is here: labels, explanations and files. Tables come as signals with
    counts, one row per distinct row of votes, and so do new votes. It is a dataclass: its
    fields are its options (`MajorityVote` explains those of all), which it only stores.

    Attributes
    ----------
    model_ : Model
        What labels votes.
    classes_ : (k,) array
        Class values; the columns of `predict_proba`.
    signal_names_ : tuple of str
    labels_ : (n, k) array of float
        Soft labels of the examples fitted on.
    covered_ : (n,) array of bool
        Whether any signal votes on them.
    tie_share_ : float
        Share of the covered ones whose likeliest classes are tied.
    note_ : str
        How the labels were found, in a sentence.
    """

    rounds: ClassVar[bool] = False
    """Whether soft signals are rounded to votes first; one half is then no vote."""
    saved_attributes: ClassVar[tuple[str, ...]] = ()
    """Attributes that were learned beside the model, and are saved."""
    stored_types: ClassVar[tuple[type, ...]] = ()
    """The dataclasses that a file may hold: the model's, and those of options."""

    ties: Literal["first", "random", "abstain"] = "first"
    uncovered: Literal["abstain", "prior"] = "abstain"
    random_state: Any = None

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
        read, weights = self._check_input(signals, y, sample_weight)
        votes = self._as_read(read)
        self.model_: Any = self._model_of(votes, weights)
        self._labels_, self._inverse_ = self._label_fitted(votes)
        return self._fitted_on(read)

    def _check_input(
        self, signals: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[WeakSignals, FloatArray | None]:
        """Signals and the weights of their rows, as `_find_model` takes them."""
        self._check_parameters()
        read = as_signals(signals)
        warn_of_labels(y, len(read))
        return read, weigh_examples(read, sample_weight)

    def _fitted_on(self, read: WeakSignals) -> Self:
        """Keep what prediction needs to know of the signals fitted on."""
        self._like_ = read.take(slice(0, 1))
        self._signals_ = read
        self.covered_ = self._covered(read)
        self._counts_ = read.counts
        self.classes_ = read.classes
        self.signal_names_ = read.names
        self.n_features_in_ = read.n_signals
        return self

    def _rng(self) -> np.random.Generator:
        """A generator of its own; the global random state is never touched."""
        return make_generator(self.random_state)

    def _fixed_rng(self) -> np.random.Generator:
        """Draws the same each time, unless a `random_state` was given."""
        return np.random.default_rng(0) if self.random_state is None else self._rng()

    def _check_parameters(self) -> None:
        self._rng()
        check_choice("ties", self.ties, TIES)
        check_choice("uncovered", self.uncovered, UNCOVERED)

    def _model_of(self, signals: WeakSignals, weights: FloatArray | None) -> Model:
        """The model of the task there is: one in which an example has one class."""
        return self._find_model(signals, weights)

    @abstractmethod
    def _find_model(self, signals: WeakSignals, weights: FloatArray | None) -> Model:
        """Find what labels votes, from signals (hard ones, if it `rounds`) and weights."""

    def _label_fitted(self, signals: WeakSignals) -> tuple[FloatArray, IntArray | None]:
        """Labels of what was fitted on, and the row of every example (None: its own)."""
        if not signals.has_patterns:
            return self.model_.labels(signals), None
        return self.model_.pattern_labels(signals), signals.patterns.inverse

    def _as_read(self, signals: WeakSignals) -> WeakSignals:
        return signals.harden() if self.rounds else signals

    def _probabilities(self, signals: WeakSignals) -> FloatArray:
        """(n, k) probabilities of signals of the fitted kind."""
        labels: FloatArray = self.model_.labels(self._as_read(signals))
        return labels

    def _covered(self, signals: WeakSignals) -> BoolArray:
        """(n,) which examples any signal that was fitted votes on."""
        covered: BoolArray = self.model_.covered(self._as_read(signals))
        return covered

    @property
    def labels_(self) -> FloatArray:
        """(n, k) soft labels of the examples fitted on."""
        check_is_fitted(self)
        if not hasattr(self, "_labels_"):
            raise ParameterError(
                "the labels of the examples fitted on are not saved with a labeler; use "
                "predict_proba."
            )
        if self._inverse_ is None:
            return self._labels_
        return self._labels_.take(self._inverse_, axis=0)

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
        """(n,) which examples any signal that was fitted votes on."""
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

        Ties are broken by `ties`; examples that no signal votes on are left
        unanswered unless ``uncovered="prior"``.
        """
        read = self.read(signals)
        return self.decide(self._probabilities(read), self._covered(read))

    @property
    def tie_share_(self) -> float:
        """Share of the covered examples whose likeliest classes are tied; NaN of none."""
        check_is_fitted(self)
        labels = self.labels_[self.covered_]
        if not len(labels):  # soft signals that find all classes as likely
            return float("nan")
        counts = None if self._counts_ is None else self._counts_[self.covered_]
        return decisions.tie_share(labels, counts)

    def fit_predict(
        self, signals: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Fit, and give the hard labels of the examples fitted on."""
        self.fit(signals, y, sample_weight)
        return self.decide(self.labels_, self.covered_)

    def score(self, signals: Any, y: ArrayLike) -> float:
        """Share of the examples labelled right, as `corral.compare` counts it.

        Of those that some signal votes on and whose class is known. Where several
        classes are equally likely, each counts its part. How `predict` would break the
        tie, or answer where no signal votes, makes no difference; to count its answers
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
        return self._score_known(self._probabilities(read), read, y)

    def _score_known(
        self, probabilities: FloatArray, signals: WeakSignals, y: ArrayLike
    ) -> float:
        """Accuracy of probabilities (n, k) on what can be scored."""
        truth = code_truth(y, self.classes_, len(signals))
        right = decisions.winner_shares(probabilities)[np.arange(len(truth)), truth]
        return self._mean_score(right, truth >= 0, signals)

    def _mean_score(
        self, right: FloatArray, known: BoolArray, signals: WeakSignals
    ) -> float:
        """Mean of what examples score (n,), of the known and covered ones."""
        scored = known & self._covered(signals)
        return decisions.mean_score(right, scored, signals.counts)

    def explain(self, example: int, signals: Any = None) -> Explanation:
        """Which signals moved the label of an example, and how far.

        Parameters
        ----------
        example : int
            Position of the example.
        signals : as for `fit`, optional
            Where the example is; default: the signals fitted on.

        Returns
        -------
        Explanation

        Examples
        --------
        >>> from corral import ConstrainedLabeler, MajorityVote
        >>> votes = [["spam", "spam", None], ["ham", "spam", "ham"], [None, None, "ham"]]
        >>> print(ConstrainedLabeler(0.1).fit(votes).explain(1))
        example 1: ham 0.60, spam 0.40
        <BLANKLINE>
        signal  said  toward ham
        s1      spam        -50%
        s2      ham         +25%
        s0      ham         +25%
        >>> MajorityVote().fit(votes).explain(1).moves.tolist()
        [[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]]
        """
        check_is_fitted(self)
        own = signals is None
        if own and not hasattr(self, "_signals_"):
            raise ParameterError(
                "the signals fitted on are not saved with a labeler; give the signals that "
                "the example is in."
            )
        read = self._signals_ if own else self.read(signals)
        at = check_position(example, len(read))
        one = read.take(slice(at, at + 1))
        row = at if not own or self._inverse_ is None else self._inverse_[at]
        p = self._labels_[row] if own else self._probabilities(one)[0]
        return self._explanation(at, one, p, own=own)

    def _explanation(
        self, at: int, one: WeakSignals, p: FloatArray, *, own: bool = False
    ) -> Explanation:
        """What is to be said of `one` with the label `p`; `own`: it was fitted on."""
        found = self._contributions(self._as_read(one), at if own else None, p)
        said, moves = votes_of(one), found.moves
        return Explanation(at, self.classes_, p, one.names, said, moves, found.others)

    def _contributions(
        self, one: WeakSignals, _at: int | None, _p: FloatArray
    ) -> Contributions:
        """What moved the label `_p` of `one`, the example `_at` of those fitted on."""
        found: Contributions = self.model_.contributions(one)
        return found

    def save(self, path: str | PathLike[str]) -> None:
        """Write what labels new votes to a file, without pickle.

        The examples fitted on are not in it, nor is what is about them (`GroupShare`,
        `Known`; `FromLabels`, and estimators of your own, are saved as the rates that they
        found), so it stays small.

        Parameters
        ----------
        path : path
            By convention ending in ``.corral``.

        Examples
        --------
        >>> import tempfile
        >>> from corral import MajorityVote
        >>> labeler = MajorityVote().fit([["spam", None], ["ham", "spam"]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     labeler.save(f"{folder}/rules.corral")
        ...     again = MajorityVote.load(f"{folder}/rules.corral")
        >>> again.predict([[None, "spam"]]).tolist()
        ['spam']
        """
        check_is_fitted(self)
        arrays: Arrays = {}
        nothing: dict[str, Any] = dict.fromkeys(OF_EXAMPLES)
        values = {
            "signals": replace(self._like_._data, **nothing),
            "names": self._like_.names if self._like_.named else None,
            "options": self._options_to_save(),
            "results": self._results_to_save(),
            "model": self._model_to_save(),
        }
        known, name = self._known_types(), type(self).__name__
        try:
            settings = {key: encode(x, arrays, known, key) for key, x in values.items()}
        except TypeError as error:
            raise StorageError(f"cannot save this {name}: {error}.") from error
        write_file(path, name, settings, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a labeler of this class that `save` wrote; ``Labeler.load`` reads any."""
        kind = read_kind(path)
        found = getattr(import_module("corral.labelers"), kind, cls)
        known = isinstance(found, type) and issubclass(found, cls)
        if not known or found.__name__ != kind:
            raise StorageError(
                f"{str(path)!r} holds a {kind!r:.80}, not a {cls.__name__!r}."
            )
        settings, arrays = read_file(path, kind)
        with explain_damage(path):
            data, names, options, results, model = (
                decode(settings[part], arrays, found._known_types(), part)
                for part in ("signals", "names", "options", "results", "model")
            )
            labeler: Self = found(**options)
            labeler._check_parameters()
            labeler._like_ = like = WeakSignals(data, names)
            labeler.classes_, labeler.signal_names_ = like.classes, like.names
            labeler.n_features_in_ = like.n_signals
            labeler._restore(results, model)
        return labeler

    @classmethod
    def _known_types(cls) -> dict[str, type]:
        """The classes that a file of this labeler may hold."""
        return {one.__name__: one for one in (SignalData, Kind, *cls.stored_types)}

    def __getstate__(self) -> dict[str, Any]:
        """What pickle, joblib and copies keep: all but the votes of the examples."""
        state: dict[str, Any] = super().__getstate__()
        return {name: x for name, x in state.items() if name not in NOT_PICKLED}

    def _options_to_save(self) -> dict[str, Any]:
        """The options of the constructor as a file keeps them."""
        seed = self.random_state
        kept = int(seed) if isinstance(seed, int | np.integer) else None
        return self.get_params(deep=False) | {"random_state": kept}

    def _results_to_save(self) -> dict[str, Any]:
        """What a file keeps of what was learned beside the model."""
        return {name: getattr(self, name) for name in self.saved_attributes}

    def _model_to_save(self) -> Any:
        """The model as a file keeps it."""
        return self.model_

    def _restore(self, results: dict[str, Any], model: Any) -> None:
        """Take what a file kept; `_like_` and `classes_` are there."""
        self.model_ = model
        for name in self.saved_attributes:
            setattr(self, name, results[name])

    def decide(self, probabilities: FloatArray, covered: BoolArray) -> NDArray[Any]:
        """Hard labels of given probabilities by the tie and coverage policies."""
        chosen, tied = choose_classes(
            probabilities, self._rng() if self.ties == "random" else None
        )
        silent = tied & (self.ties == "abstain")
        if self.uncovered == "abstain":
            silent |= ~covered
        return decisions.class_values(chosen, silent, self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True  # votes
        tags.input_tags.sparse = True
        return tags
