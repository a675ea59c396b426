"""The contract of every labeler."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from corral import decisions
from corral._types import BoolArray, FloatArray, IntArray
from corral.checks import (
    check_choice,
    check_flag,
    check_weights,
    make_generator,
    require_votes,
)
from corral.errors import (
    ParameterError,
    SignalsError,
    SignalsWarning,
    StorageError,
    is_called_by,
    warn_user,
)
from corral.explain import Explanation, check_position, votes_of
from corral.model import Contributions, LogLinear
from corral.persist import (
    OURS,
    Arrays,
    decode,
    encode,
    read_file,
    read_kind,
    write_file,
)
from corral.storage import reading
from corral.votes import ABSTAIN, Kind, Schema, WeakSignals
from corral.votes.coding import code_labels, is_no_vote
from corral.votes.columns import is_frame

TIES = ("first", "random", "abstain")
UNCOVERED = ("abstain", "prior")
ANSWERS = ("likeliest", "balanced")
MIN_SHARE = 1e-9
"""Share from which on a class is rare, and not just absent."""


@dataclass(eq=False, repr=False, kw_only=True)
class Labeler(BaseEstimator):
    """Base of all labelers: votes in, soft labels out.

    A subclass implements `_find_model`, which finds a model that labels any votes, and
    `note_`. All else is here: labels, explanations and files. It is a dataclass: its fields
    are its options (`MajorityVote` explains those of all), which it only stores. A fitted
    labeler keeps no votes.

    Attributes
    ----------
    model_ : LogLinear, or AdagradSteps
        What labels votes.
    classes_ : (k,) array
        Class values; the columns of `predict_proba`.
    signal_names_ : tuple of str
    labels_ : (n, k) array of float
        Soft labels of the examples fitted on.
    covered_ : (n,) array of bool
        Whether any signal votes on them.
    tie_share_ : float
        Share of the covered ones whose likeliest classes are tied; multi-label: of their
        entries that are as likely as not.
    note_ : str
        How the labels were found, in a sentence.
    class_shares_ : (k,) array of float
        Mean label of the covered examples.
    counted_ : WeakSignals
        All that `partial_fit` has seen, counted.
    """

    uses_hard_votes: ClassVar[bool] = False
    """Whether soft signals are rounded to votes first; one half is then no vote."""
    saved_attributes: ClassVar[tuple[str, ...]] = ()
    """Attributes that were learned beside the model, and are saved."""
    stored_types: ClassVar[tuple[type, ...]] = (LogLinear,)
    """The dataclasses that a file may hold: the model's, and those of options."""

    multilabel: bool = False
    ties: Literal["first", "random", "abstain"] = "first"
    uncovered: Literal["abstain", "prior"] = "abstain"
    answers: Literal["likeliest", "balanced"] = "likeliest"
    random_state: Any = None

    # -- fitting -------------------------------------------------------------------------

    def fit(
        self, signals: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from signals alone.

        Parameters
        ----------
        signals : WeakSignals, (n, m) votes, sparse array or data frame
        y : (n,) array, optional
            Not learned from, and a warning says so. It is there for scikit-learn's
            `cross_val_score` and `GridSearchCV`, which give it to `fit` and `score`.
        sample_weight : (n,) array of float, optional
            A weight of two is an example given twice. The sum of weights is used as the
            sample size, so do not normalise weights to one.

        Returns
        -------
        self
        """
        self._check_parameters()
        read = as_signals(signals)
        _warn_of_labels(y, len(read))
        weights = check_weights(sample_weight, len(read))
        if weights is not None:
            require_votes(weights[read.covered].any(), "label from")
        if self.multilabel and read.schema.names_classes:
            raise ParameterError(
                "multilabel=True needs signals that vote on one class at a time, "
                f"WeakSignals.from_one_vs_rest; these are {read.kind.value}."
            )
        votes = (read.harden() if self.uses_hard_votes else read).weighted(weights)
        self._forget()
        self.model_: Any = self._find_model(votes)
        self._schema_ = read.schema
        self._labels_, self._row_of_ = self._label_fitted(votes)
        self.covered_ = self.model_.covered(votes)
        self._row_counts_ = read.row_counts
        weight = self.covered_ * votes.row_weights
        if not weight.any():  # soft signals that find all classes as likely
            weight = votes.row_weights
        weight = np.bincount(self._row_of_, weight, len(self._labels_))
        self.class_shares_: FloatArray = weight @ self._labels_ / weight.sum()
        self.classes_, self.signal_names_ = read.classes, read.names
        self.n_features_in_ = read.n_signals
        return self

    def partial_fit(
        self, signals: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add the counts of more examples to those seen, and fit again on all of them.

        The result is that of one `fit` on all chunks, in whatever order; what `fit` itself
        saw before is forgotten, as every `fit` starts anew. A fit costs what the distinct
        rows cost, so with many chunks it is faster to add up signals and to fit once.

        Parameters
        ----------
        signals : as for `fit`
            Hard votes. If a chunk may lack a class, say which there are:
            ``WeakSignals.from_votes(chunk, classes=...)``.
        y : (n,) array, optional
            Not learned from, and a warning says so.
        sample_weight : (n,) array of float, optional

        Returns
        -------
        self
            ``labels_`` are those of ``counted_``, one row per distinct row; use
            `predict_proba` for examples.

        Examples
        --------
        >>> from corral import ConstrainedLabeler
        >>> labeler = ConstrainedLabeler(0.1)
        >>> for chunk in ([[1, 1], [0, 1]], [[0, 0], [1, 1]]):
        ...     labeler = labeler.partial_fit(chunk)
        >>> labeler.counted_
        WeakSignals(3 rows for 4 examples, 2 signals, 2 classes, class votes)
        """
        self._check_parameters()
        read = as_signals(signals)
        _warn_of_labels(y, len(read))
        if not read.is_hard:
            raise SignalsError(
                "only hard votes are counted; fit on soft signals at once."
            )
        counts = read.weighted(check_weights(sample_weight, len(read))).distinct()
        seen: WeakSignals | None = getattr(self, "counted_", None)
        counts = counts if seen is None else seen + counts
        self.fit(counts)
        self.counted_ = counts
        return self

    def _forget(self) -> None:
        """Drop what an earlier fit learned, some of which this one may not."""
        for name in [
            n for n in vars(self) if n.endswith("_") and not n.startswith("__")
        ]:
            delattr(self, name)

    def _check_parameters(self) -> None:
        make_generator(self.random_state)
        check_flag("multilabel", self.multilabel)
        check_choice("ties", self.ties, TIES)
        check_choice("uncovered", self.uncovered, UNCOVERED)
        check_choice("answers", self.answers, ANSWERS)

    @abstractmethod
    def _find_model(self, signals: WeakSignals) -> Any:
        """Find what labels votes, from signals whose `counts` have the sample weights."""

    def _label_fitted(self, signals: WeakSignals) -> tuple[FloatArray, IntArray]:
        """Labels of the distinct rows fitted on, and the row of every example."""
        return self.model_.row_labels(signals), signals.row_of

    def _fixed_rng(self) -> np.random.Generator:
        """Draws the same each time, unless a `random_state` was given."""
        return make_generator(0 if self.random_state is None else self.random_state)

    # -- what was found ------------------------------------------------------------------

    @property
    def labels_(self) -> FloatArray:
        """(n, k) soft labels of the examples fitted on."""
        check_is_fitted(self)
        if not hasattr(self, "_labels_"):
            raise ParameterError(
                "the labels of the examples fitted on are not saved with a labeler; use "
                "predict_proba."
            )
        return self._labels_.take(self._row_of_, axis=0)

    @property
    @abstractmethod
    def note_(self) -> str:
        """How the labels were found, in a sentence."""

    @property
    def tie_share_(self) -> float:
        """Share of the covered examples whose likeliest classes are tied; NaN of none.

        Multi-label tasks: share of their entries that are as likely as not.
        """
        check_is_fitted(self)
        labels = self.labels_[self.covered_]
        if not len(labels):  # soft signals that find all classes as likely
            return float("nan")
        counts = self._row_counts_
        counts = None if counts is None else counts[self.covered_]
        if self.multilabel:
            return float(np.average(_entry_ties(labels).mean(axis=1), weights=counts))
        return decisions.tie_share(labels, counts)

    # -- new votes -----------------------------------------------------------------------

    def read(self, signals: Any) -> WeakSignals:
        """Signals as this labeler reads them: the classes and names it was fitted on."""
        check_is_fitted(self)
        read = self._schema_.read(signals)
        return read.harden() if self.uses_hard_votes else read

    def covers(self, signals: Any) -> BoolArray:
        """(n,) which examples any signal votes on."""
        read = self.read(signals)
        covered: BoolArray = self.model_.covered(read)
        return covered

    def predict_proba(self, signals: Any) -> FloatArray:
        """Soft labels of any signals of the fitted kind.

        Parameters
        ----------
        signals : as for `fit`

        Returns
        -------
        (n, k) array of float
            Rows sum to one (not in multi-label tasks); columns follow `classes_`.
        """
        read = self.read(signals)
        labels: FloatArray = self.model_.labels(read)
        return labels

    def predict(self, signals: Any) -> NDArray[Any]:
        """Hard labels: class values, or -1 (None for strings) for no answer.

        Ties are broken by `ties`; examples that no signal votes on are left
        unanswered unless ``uncovered="prior"``. Multi-label tasks: (n, k) of 1 and 0, and
        -1 for no answer.
        """
        read = self.read(signals)
        return self.decide(self.model_.labels(read), self.model_.covered(read))

    def fit_predict(
        self, signals: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Fit, and give the hard labels of the examples fitted on."""
        self.fit(signals, y, sample_weight)
        return self.decide(self.labels_, self.covered_)

    def decide(self, probabilities: FloatArray, covered: BoolArray) -> NDArray[Any]:
        """Hard labels of given probabilities by the policies of the labeler."""
        probabilities = self._favour(probabilities)
        rng = make_generator(self.random_state)
        if self.multilabel:
            said = (probabilities > 0.5 + decisions.TIE).astype(int)
            tied = _entry_ties(probabilities)
            if self.ties == "random":
                said[tied] = rng.integers(0, 2, int(tied.sum()))
            elif self.ties == "abstain":
                said[tied] = ABSTAIN
            if self.uncovered == "abstain":
                said[~covered] = ABSTAIN
            return said
        by_lot = rng if self.ties == "random" else None
        chosen, tied = choose_classes(probabilities, by_lot)
        silent = tied & (self.ties == "abstain")
        if self.uncovered == "abstain":
            silent |= ~covered
        return decisions.class_values(chosen, silent, self.classes_)

    def _favour(self, labels: FloatArray) -> FloatArray:
        """Labels (n, k), rare classes raised if answers are to be balanced."""
        if self.answers == "likeliest":
            return labels
        shares = np.clip(self.class_shares_, 0, 1 - MIN_SHARE)
        shares = np.where(shares > MIN_SHARE, shares, 1)  # nobody ever said it
        raised = labels / np.sqrt(shares)
        if self.multilabel:
            total = raised + (1 - labels) / np.sqrt(1 - shares)
        else:
            total = raised.sum(axis=1, keepdims=True)
        return raised / total

    def score(self, signals: Any, y: ArrayLike) -> float:
        """Share of the examples labelled right, as `corral.compare` counts it.

        Of those that some signal votes on and whose class is known. Where several
        classes are equally likely, each counts its part. Multi-label tasks: right in every
        class, and an entry of one half counts half. How `predict` would break the tie, or
        answer where no signal votes, makes no difference; to count its answers otherwise,
        use `corral.metrics.accuracy`.

        Parameters
        ----------
        signals : as for `fit`
            Rows with counts stand for so many examples.
        y : (n,) array of class values; or (n, k) of 0 and 1, multi-label
            None, NaN, "" or -1 (unless it is a class) where unknown.

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
        labels = self._favour(self.model_.labels(read))
        if self.multilabel:
            truth = read_indicators(y, len(read), self.classes_)
            said = np.where(_entry_ties(labels), 0.5, labels > 0.5)
            right = np.prod(1 - np.abs(said - truth), axis=1)
            known, right = ~np.isnan(right), np.nan_to_num(right)
        else:
            codes = code_truth(y, self.classes_, len(read))
            right = decisions.winner_shares(labels)[np.arange(len(codes)), codes]
            known = codes >= 0
        scored = known & self.model_.covered(read)
        return decisions.mean_score(right, scored, read.row_counts)

    def explain(self, example: int, signals: Any) -> Explanation:
        """Which signals moved the label of an example, and how far.

        Parameters
        ----------
        example : int
            Position of the example.
        signals : as for `fit`
            Where the example is.

        Returns
        -------
        Explanation

        Examples
        --------
        >>> from corral import ConstrainedLabeler, MajorityVote
        >>> votes = [["spam", "spam", None], ["ham", "spam", "ham"], [None, None, "ham"]]
        >>> print(ConstrainedLabeler(0.1).fit(votes).explain(1, votes))
        example 1: ham 0.60, spam 0.40
        <BLANKLINE>
        signal  said  toward ham
        s1      spam        -50%
        s2      ham         +25%
        s0      ham         +25%
        >>> MajorityVote().fit(votes).explain(1, votes).moves.tolist()
        [[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]]
        """
        check_is_fitted(self)
        read = self._schema_.read(signals)
        at = check_position(example, len(read))
        one = read.take([at])
        votes = one.harden() if self.uses_hard_votes else one
        found: Contributions = self.model_.contributions(votes)
        label = self.model_.row_labels(votes)[0]
        said, moves = votes_of(one), found.moves
        return Explanation(
            at, self.classes_, label, one.names, said, moves, found.others
        )

    # -- files ---------------------------------------------------------------------------

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
        values = {
            "schema": self._schema_,
            "options": self._options_to_save(),
            "results": self._results_to_save() | {"class_shares_": self.class_shares_},
            "model": self.model_,
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
        with reading(path, OURS):
            schema, options, results, model = (
                decode(settings[part], arrays, found._known_types(), part)
                for part in ("schema", "options", "results", "model")
            )
            labeler: Self = found(**options)
            labeler._check_parameters()
            labeler._schema_, labeler.model_ = schema, model
            labeler.classes_, labeler.signal_names_ = schema.classes, schema.names
            labeler.n_features_in_ = schema.n_signals
            for name, value in results.items():
                setattr(labeler, name, value)
        return labeler

    @classmethod
    def _known_types(cls) -> dict[str, type]:
        """The classes that a file of this labeler may hold."""
        return {one.__name__: one for one in (Schema, Kind, *cls.stored_types)}

    def _options_to_save(self) -> dict[str, Any]:
        """The options of the constructor as a file keeps them."""
        seed = self.random_state
        kept = int(seed) if isinstance(seed, int | np.integer) else None
        return self.get_params(deep=False) | {"random_state": kept}

    def _results_to_save(self) -> dict[str, Any]:
        """What a file keeps of what was learned beside the model."""
        return {name: getattr(self, name) for name in self.saved_attributes}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True  # votes
        tags.input_tags.sparse = True
        return tags


def as_signals(data: Any) -> WeakSignals:
    """Read whatever a user calls votes.

    Two dimensions are class votes; three are ambiguous and must be made into
    `WeakSignals`.
    """
    if isinstance(data, WeakSignals):
        return data
    if is_frame(data):
        return WeakSignals.from_frame(data)
    first, depth = data, 0
    while isinstance(first, list | tuple) and len(first):
        first, depth = first[0], depth + 1
    if getattr(data, "ndim", depth) == 3:
        raise SignalsError(
            "a three-dimensional array may be one-vs-rest signals (m, n, k) or class "
            "probabilities (n, m, k). Say which: WeakSignals.from_one_vs_rest(...) or "
            "WeakSignals.from_probabilities(...)."
        )
    return WeakSignals.from_votes(data)


def _warn_of_labels(y: Any, n: int) -> None:
    """Say that labels of `n` examples are not learned from; refuse another shape."""
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
        "fit(votes, gold=labels) learns from them, "
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
                    f"true label {value!r} is not one of the classes {known} that the "
                    "labeler was fitted on. Give y in these classes, and None where the "
                    "true class is another."
                ) from None
        raise


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


def _entry_ties(probabilities: FloatArray) -> BoolArray:
    """(n, k) which entries are as likely as not."""
    return np.abs(probabilities - 0.5) <= decisions.TIE


def choose_classes(
    probabilities: FloatArray, rng: np.random.Generator | None = None
) -> tuple[IntArray, BoolArray]:
    """(n,) the likeliest class of every example, and whether several are as likely.

    Of these it is the first; by lot, if a generator is given.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.labelers.base import choose_classes
    >>> choose_classes(np.array([[0.2, 0.8], [0.5, 0.5]]))
    (array([1, 0]), array([False,  True]))
    """
    best = decisions.is_winner(probabilities)
    tied: BoolArray = best.sum(axis=1) > 1
    chosen = best.argmax(axis=1)
    if rng is not None:
        lots = best[tied] * (1 - rng.random((tied.sum(), best.shape[1])))
        chosen[tied] = lots.argmax(axis=1)
    return chosen, tied
