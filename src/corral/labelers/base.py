"""The contract of every labeler."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields
from importlib import import_module
from os import PathLike
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral import decisions, persist
from corral._types import BoolArray, FloatArray
from corral.checks import (
    check_choice,
    check_flag,
    check_weights,
    make_generator,
    require_votes,
)
from corral.constraints.system import ExampleFacts, read_truth
from corral.errors import (
    ParameterError,
    SignalsError,
    SignalsWarning,
    StorageError,
    is_called_by,
    warn_user,
)
from corral.explain import Explanation, votes_of
from corral.model import LogLinear, hear
from corral.storage import reading
from corral.votes import ABSTAIN, Kind, Schema, WeakSignals
from corral.votes.columns import is_frame

KIND = "labeler"
"""What files of labelers say they hold."""
MIN_SHARE = 1e-9
"""Share from which on a class is rare; below it, nobody ever said it."""


@dataclass(eq=False, repr=False, kw_only=True)
class Labeler:
    """Base of all labelers: votes in, soft labels out.

    A subclass implements `_find_model`, which finds a model that labels any votes, and
    `note_`. It is a dataclass: its fields are its options (`MajorityVote` explains the
    common ones). A fitted labeler keeps no votes.

    It has the methods that scikit-learn asks of an estimator, but not the base class there,
    which takes up to a second to import: longer than most files take to label.

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
    class_shares_ : (k,) array of float
        Mean label of the covered examples.
    """

    uses_hard_votes: ClassVar[bool] = False
    """Whether soft signals are rounded to votes first; one half is then no vote."""
    saved_attributes: ClassVar[tuple[str, ...]] = ()
    """Attributes that were learned beside the model, and are saved."""
    stored_types: ClassVar[tuple[type, ...]] = (LogLinear,)
    """The dataclasses that a file may hold: of the model and of options."""

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
        """
        return self._fit(signals, y, sample_weight)

    def _fit(
        self, signals: Any, y: Any, sample_weight: ArrayLike | None, **known: Any
    ) -> Self:
        """Fit; what is `known` beside the votes goes to `_find_model`."""
        self._check_parameters()
        read = as_signals(signals)
        _warn_of_labels(y, len(read))
        weights = check_weights(sample_weight, len(read))
        covered = read.covered if weights is None else weights[read.covered]
        require_votes(covered.any(), "label from")
        if self.multilabel and read.schema.names_classes:
            raise ParameterError(
                "multilabel=True needs signals that vote on one class at a time, "
                f"WeakSignals.from_one_vs_rest; these are {read.kind.value}."
            )
        votes = (read.harden() if self.uses_hard_votes else read).weighted(weights)
        # An earlier fit may have learned what this one does not.
        for name in [n for n in vars(self) if n.endswith("_")]:
            delattr(self, name)
        self.model_: Any = self._find_model(votes, **known)
        self._schema_ = read.schema
        if "_labels_" not in vars(self):  # else found on the way to the model
            self._keep_labels(self.model_, votes, self.model_.row_labels(votes))
        self._row_counts_ = read.row_counts
        self.classes_, self.signal_names_ = read.classes, read.names
        self.n_features_in_ = read.n_signals
        return self

    def _keep_labels(
        self,
        model: Any,
        votes: WeakSignals,
        labels: FloatArray,
        facts: ExampleFacts | None = None,
    ) -> FloatArray:
        """Keep labels (u, k) of the fit, with those that are known as they are."""
        covered = hear(votes, model.voice).covered_rows
        if facts is not None:
            known, _ = facts.of_rows(votes)
            labels = np.where(np.isnan(known), labels, known)
            covered |= np.isfinite(known.sum(axis=1))
        self.covered_: BoolArray = covered[votes.row_of]
        weight = votes.counts * covered
        if not weight.any():  # soft signals that find all classes as likely
            weight = votes.counts
        self.class_shares_: FloatArray = weight @ labels / weight.sum()
        self._labels_, self._row_of_ = labels, votes.row_of
        return labels

    def _check_parameters(self) -> None:
        make_generator(self.random_state)
        check_flag("multilabel", self.multilabel)
        check_choice("ties", self.ties, ("first", "random", "abstain"))
        check_choice("uncovered", self.uncovered, ("abstain", "prior"))
        check_choice("answers", self.answers, ("likeliest", "balanced"))

    @abstractmethod
    def _find_model(self, signals: WeakSignals) -> Any:
        """Find what labels votes, from signals whose `counts` have the sample weights."""

    # -- what was found ------------------------------------------------------------------

    @property
    def labels_(self) -> FloatArray:
        """(n, k) soft labels of the examples fitted on."""
        self._check_fitted()
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
        """Share of the covered examples whose likeliest classes are tied.

        Multi-label tasks: share of their entries that are as likely as not.
        """
        self._check_fitted()
        labels = self.labels_[self.covered_]
        if not len(labels):  # soft signals that find all classes as likely
            return float("nan")
        counts = self._row_counts_
        weights = None if counts is None else counts[self.covered_]
        return decisions.tie_share(self._ask(labels), weights)

    # -- new votes -----------------------------------------------------------------------

    def read(self, signals: Any) -> WeakSignals:
        """Signals as this labeler reads them: the classes and names it was fitted on."""
        self._check_fitted()
        read = self._schema_.read(signals)
        return read.harden() if self.uses_hard_votes else read

    def covers(self, signals: Any) -> BoolArray:
        """(n,) which examples any signal votes on."""
        read = self.read(signals)
        covered: BoolArray = self.model_.covered(read)
        return covered

    def predict_proba(self, signals: Any) -> FloatArray:
        """Soft labels (n, k) of any signals of the fitted kind; columns follow `classes_`.

        Rows sum to one, but for multi-label tasks.
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
        self,
        signals: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> NDArray[Any]:
        """Fit, with all that `fit` takes, and give hard labels of the examples."""
        self.fit(signals, y, sample_weight, **options)
        return self.decide(self.labels_, self.covered_)

    def decide(self, probabilities: FloatArray, covered: BoolArray) -> NDArray[Any]:
        """Hard labels of given probabilities by the policies of the labeler."""
        asked = self._ask(probabilities)
        best = decisions.is_winner(asked)
        chosen, tied = best.argmax(axis=-1), best.sum(axis=-1) > 1
        if self.ties == "random":
            rng = make_generator(self.random_state)
            lots = best[tied] * (1 - rng.random(best[tied].shape))
            chosen[tied] = lots.argmax(axis=-1)
        silent = tied & (self.ties == "abstain")
        if self.uncovered == "abstain":
            silent[~covered] = True
        if self.multilabel:
            return np.where(silent, ABSTAIN, chosen)
        return decisions.class_values(chosen, silent, self.classes_)

    def _ask(self, labels: FloatArray) -> FloatArray:
        """(n, k) what answers are chosen by; multi-label: (n, k, 2), "no" and "yes".

        Labels, with rare classes raised if answers are to be balanced.
        """
        asked, shares = labels, self.class_shares_
        if self.multilabel:
            asked, shares = (np.stack([1 - x, x], axis=-1) for x in (asked, shares))
        if self.answers == "likeliest":
            return asked
        raised = asked / np.sqrt(np.where(shares > MIN_SHARE, shares, 1))
        raised /= raised.sum(axis=-1, keepdims=True)
        return raised

    def score(self, signals: Any, y: ArrayLike) -> float:
        """Share of the examples labelled right, as `corral.compare` counts it.

        Only examples with a vote and a known class count: `y` (n,) has class values, or
        (n, k) 0 and 1 in multi-label tasks, and None, NaN, "" or -1 (unless it is a class)
        where unknown. Where several classes are equally likely, each counts its part.
        Multi-label tasks: right in every class, and an entry of one half counts half.

        Examples
        --------
        >>> from corral import MajorityVote
        >>> votes = [[0, 0, 1], [1, 1, -1], [0, 1, -1], [-1, -1, -1]]
        >>> MajorityVote().fit(votes).score(votes, [0, 1, 1, 1])  # 2.5 of 3
        0.8333333333333334
        """
        read = self.read(signals)
        truth = read_truth(y, len(read), self.classes_)
        share = decisions.winner_shares(self._ask(self.model_.labels(read)))
        if self.multilabel:
            right = np.where(truth == 1, share[..., 1], share[..., 0]).prod(axis=1)
        else:
            right = np.where(truth == 1, share, 0).sum(axis=1)
        scored = np.isfinite(truth.sum(axis=1)) & self.model_.covered(read)
        if not scored.any():
            raise ParameterError(
                "nothing can be scored: no example has a known class in y and a signal "
                "that votes on it."
            )
        return float(np.average(right[scored], weights=read.row_weights[scored]))

    def explain(self, example: int, signals: Any) -> Explanation:
        """Which signals moved the label of the example at a position, and how far.

        Examples
        --------
        >>> from corral import ConstrainedLabeler
        >>> votes = [["spam", "spam", None], ["ham", "spam", "ham"], [None, None, "ham"]]
        >>> print(ConstrainedLabeler(0.1).fit(votes).explain(1, votes))
        example 1: ham 0.60, spam 0.40
        <BLANKLINE>
        signal  said  toward ham
        s1      spam        -50%
        s2      ham         +25%
        s0      ham         +25%
        """
        self._check_fitted()
        read = self._schema_.read(signals)
        n = len(read)
        if not isinstance(example, int | np.integer) or not -n <= example < n:
            raise ParameterError(
                f"must be a position, from 0 to {n - 1}; {example!r} was given.",
                parameter="example",
            )
        at = int(example) % n
        one = read.take([at])
        votes = one.harden() if self.uses_hard_votes else one
        moves, others = self.model_.contributions(votes)
        label = self.model_.row_labels(votes)[0]
        return Explanation(
            at, self.classes_, label, one.names, votes_of(one), moves, others
        )

    # -- files ---------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write what labels new votes to a file (``.corral``), without pickle.

        The file holds no examples. What is about examples is left out (`GroupShare`,
        `Known`), or saved as the rates that were found (`FromLabels`, other estimators).

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
        self._check_fitted()
        name, arrays = type(self).__name__, persist.Arrays()
        values = {
            "schema": self._schema_,
            "options": self._options_to_save(),
            "results": self._results_to_save() | {"class_shares_": self.class_shares_},
            "model": self.model_,
        }
        try:
            held = persist.encode(values, arrays, self._known_types(), "fitted")
        except TypeError as error:
            raise StorageError(f"cannot save this {name}: {error}.") from error
        persist.write_file(path, KIND, {"class": name, "fitted": held}, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a labeler of this class that `save` wrote; ``Labeler.load`` reads any."""
        settings, arrays = persist.read_file(path, KIND)
        with reading(path, persist.OURS):
            name = settings["class"]
            found = getattr(import_module("corral.labelers"), name)
            if not issubclass(found, cls):
                raise StorageError(f"it is a {name!r:.80}, not a {cls.__name__!r}.")
            held = persist.decode(
                settings["fitted"], arrays, found._known_types(), "fitted"
            )
            labeler: Self = found(**held["options"])
            labeler._check_parameters()
            schema = labeler._schema_ = held["schema"]
            labeler.model_ = held["model"]
            labeler.classes_, labeler.signal_names_ = schema.classes, schema.names
            labeler.n_features_in_ = schema.n_signals
            for name, value in held["results"].items():
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
        return self.get_params() | {"random_state": kept}

    def _results_to_save(self) -> dict[str, Any]:
        """What a file keeps of what was learned beside the model."""
        return {name: getattr(self, name) for name in self.saved_attributes}

    # -- what scikit-learn asks of estimators --------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """The options by name; no option is an estimator, so `deep` changes nothing."""
        return {o.name: getattr(self, o.name) for o in fields(self) if o.init}

    def set_params(self, **options: Any) -> Self:
        """Change options; `fit` checks them."""
        known = self.get_params()
        for name, value in options.items():
            if name not in known:
                kind, listed = type(self).__name__, ", ".join(known)
                raise ParameterError(
                    f"is unknown. Options of {kind} are {listed}.", parameter=name
                )
            setattr(self, name, value)
        return self

    def _check_fitted(self) -> None:
        if "model_" not in vars(self):
            from sklearn.exceptions import NotFittedError  # slow to import

            raise NotFittedError(
                f"this {type(self).__name__} is not fitted yet; call fit first."
            )

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        read = InputTags(allow_nan=True, string=True, categorical=True, sparse=True)
        return Tags(None, target_tags=TargetTags(required=False), input_tags=read)

    def __repr__(self) -> str:
        """The options that differ from their defaults, each cut where it is long."""
        given = ((o, repr(getattr(self, o.name))) for o in fields(self) if o.init)
        changed = (f"{o.name}={r:.80}" for o, r in given if r != repr(o.default))
        return f"{type(self).__name__}({', '.join(changed)})"


def as_signals(data: Any) -> WeakSignals:
    """Read whatever a user calls votes.

    Two dimensions are class votes; three are ambiguous and must be made into
    `WeakSignals`.
    """
    if isinstance(data, WeakSignals):
        return data
    if is_frame(data):
        return WeakSignals.from_frame(data)
    if getattr(data, "ndim", 2) == 3:
        raise SignalsError(
            "a three-dimensional array may be one-vs-rest signals (m, n, k) or class "
            "probabilities (n, m, k). Say which: WeakSignals.from_one_vs_rest(...) or "
            "WeakSignals.from_probabilities(...)."
        )
    return WeakSignals.from_votes(data)


def _warn_of_labels(y: Any, n: int) -> None:
    """Warn that `fit` does not learn from labels of the `n` examples."""
    if y is None:
        return
    if np.shape(y)[:1] != (n,):
        raise ParameterError(
            f"y must be None, or the classes of the {n} examples; the shape given is "
            f"{np.shape(y)}. Give weights by name, sample_weight=."
        )
    if is_called_by("sklearn.model_selection"):  # which has to give it, to score with
        return
    warn_user(
        "`fit` ignores y: y is not learned from, and only `score` uses it. To learn from "
        "known labels, use ConstrainedLabeler().fit(votes, gold=labels).",
        SignalsWarning,
    )
