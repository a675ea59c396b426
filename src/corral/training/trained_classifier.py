"""A classifier trained on soft labels, how often it is right, and what to read next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from corral._types import BoolArray, FloatArray, IntArray
from corral.checks import make_generator
from corral.constraints import signal_errors
from corral.errors import (
    ParameterError,
    SignalsError,
    SignalsWarning,
    StorageError,
    warn_user,
)
from corral.io.files import VoteFiles
from corral.io.reader import Reading, read_votes
from corral.labelers.base import as_signals
from corral.labelers.labelled import mean_rates
from corral.persist import read_file, write_file
from corral.progress import progress
from corral.rates import wilson_intervals
from corral.results import Part, Result, Table
from corral.storage import check_output, kind_of
from corral.training.classifier import SoftLabelClassifier
from corral.training.soft_labels import (
    CLASS_PREFIX,
    name_classes,
    read_flags,
    read_labels,
)
from corral.votes.coding import code_labels, is_missing

FOLDS = 5
MAX_ROWS_IN_FOLDS = 20_000
"""Of more rows there are two parts, and half of them are enough to learn from."""
MIN_ROWS = 10
LEVEL = 0.9
MAX_TO_READ = 50
TEXT_SHOWN = 90
"""Characters of a text in a table."""
MIN_GOLD = 10
"""With fewer true labels, nothing is said about accuracy."""
KIND = "classifier"


@dataclass(frozen=True, eq=False, repr=False)
class TrainedClassifier(Result):
    """A classifier that predicts examples without any vote; print it for what it is worth.

    Every row was also predicted by a classifier that had not been trained on it: accuracy,
    contradicted signals and rows to read are of those predictions.
    """

    model: SoftLabelClassifier = field(repr=False)
    vectorizer: Any = field(repr=False)  # None where examples are numbers
    text: str | None  # the column of texts, if they came from a table
    rows: int  # trained on
    true_labels: int  # among them
    unmeasured: float  # share of rows without a vote, if no true label is of one
    accuracy: float | None
    interval: tuple[float, float] | None  # holds nine times in ten
    shares: dict[str, float]  # of the predicted classes over all rows
    to_read: dict[str, list[Any]]
    contradicted: dict[str, list[Any]]  # signals, worst first

    title = "Classifier"

    def parts(self) -> Iterator[Part]:
        if self.accuracy is None or self.interval is None:
            yield (
                "Nothing says yet how often the classifier is right: "
                f"{self.true_labels} true labels are too few. Label 50 rows drawn at "
                "random, and give them as gold."
            )
        else:
            low, high = self.interval
            which = "the rows with a vote" if self.unmeasured else "the rows"
            yield (
                f"The classifier is right on about {self.accuracy:.0%} of {which} "
                f"({low:.0%} to {high:.0%}, by {self.true_labels:,} true labels that it "
                "predicted before it was trained on them)."
            )
            if self.unmeasured:
                yield (
                    f"No true label is of the {self.unmeasured:.0%} of rows without a "
                    "vote: on those it may be right less often."
                )
        shares = ", ".join(f"{share:.0%} {name}" for name, share in self.shares.items())
        yield f"Trained on {self.rows:,} rows. It predicts {shares}."
        if self.contradicted:
            yield Table(
                self.contradicted,
                caption="Signals that the classifier contradicts most",
                formats={"contradicted": ".0%"},
                most=10,
            )
        if self.to_read["row"]:
            yield Table(
                self.to_read,
                caption="Rows to read: prediction and label differ, the surest first",
                formats={"probability": ".2f"},
                most=10,
            )

    @property
    def classes_(self) -> NDArray[Any]:
        return self.model.classes_

    def predict(self, examples: Any) -> NDArray[Any]:
        """Class values (n,)."""
        return self.model.predict(self._features(examples))

    def predict_proba(self, examples: Any) -> FloatArray:
        """Probabilities (n, k) in the order of ``classes_``."""
        return self.model.predict_proba(self._features(examples))

    def _features(self, examples: Any) -> Any:
        if self.vectorizer is None:
            return examples
        return self.vectorizer.transform(_as_texts(examples))

    def predict_file(
        self,
        data: str | PathLike[str],
        output: str | PathLike[str],
        *,
        text: str | None = None,
        prefix: str = "",
        overwrite: bool = False,
    ) -> dict[str, int]:
        """Write a table with the columns ``p_<class>``, ``label`` and ``confidence``.

        `text` names the column of texts; default: the one of training. The confidence is
        the probability of the label. Returns how many rows got each class.
        """
        column = text or self.text
        if column is None:
            raise ParameterError("must name the column of texts.", parameter="text")
        kind_of(Path(output))
        check_output(output, inputs=[data], overwrite=overwrite)
        table = VoteFiles(data)
        texts = table.rows([column], names=[column])[column]
        features = self._features(texts)
        chances = self.model.predict_proba(features)
        found = self.model.predict_positions(features)
        added = {
            f"{prefix}{CLASS_PREFIX}{name}": chances[:, k]
            for k, name in enumerate(self.classes_)
        }
        added[f"{prefix}label"] = self.classes_[found]
        added[f"{prefix}confidence"] = chances[np.arange(len(found)), found]
        table.write_beside(output, added, keep=table.columns, overwrite=overwrite)
        counts = np.bincount(found, minlength=len(self.classes_))
        return dict(zip(map(str, self.classes_), counts.tolist(), strict=True))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the default classifier to a file that holds no code; see `load`."""
        from sklearn.linear_model import LogisticRegression

        model = self.model
        inner = model.estimator_
        if type(inner) is not LogisticRegression:
            raise StorageError(
                f"corral saves logistic regression; the classifier is a "
                f"{type(inner).__name__}. Save its `model` with joblib."
            )
        arrays = {
            "classes": model.classes_,
            "present": model._present_,
            "prior": model.prior_,
            "offsets": model.offsets_,
            "weights": inner.coef_,
            "bias": inner.intercept_,
        }
        if self.vectorizer is not None:
            arrays["words"] = self.vectorizer.get_feature_names_out().astype(str)
            arrays["idf"] = self.vectorizer.idf_
        write_file(path, KIND, {"facts": self.to_dict()}, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` wrote. Loading never runs code."""
        from sklearn.linear_model import LogisticRegression

        settings, arrays = read_file(path, KIND)
        inner = LogisticRegression()
        inner.coef_, inner.intercept_ = arrays["weights"], arrays["bias"]
        inner.classes_ = np.arange(len(arrays["present"]))
        model = SoftLabelClassifier(inner)
        model.estimator_, model.prior_ = inner, arrays["prior"]
        model.classes_, model._present_ = arrays["classes"], arrays["present"]
        model.offsets_ = arrays["offsets"]
        vectorizer = None
        if "words" in arrays:
            vectorizer = _text_features(vocabulary=arrays["words"].tolist())
            vectorizer.idf_ = arrays["idf"]
        return cls(model=model, vectorizer=vectorizer, **settings["facts"])


def train(
    labels: Any,
    examples: Any = None,
    *,
    text: str | None = None,
    gold: Any = None,
    votes: Any = None,
    signals: str | Sequence[str] | None = None,
    classifier: Any = None,
    classes: Any = None,
    random_state: int = 0,
) -> TrainedClassifier:
    """Train a classifier on soft labels: it predicts where no signal votes.

    Parameters
    ----------
    labels : fitted Labeler, (n, k) array of probabilities, data frame, or path
        A frame or a file as `corral.label` gives them, with columns ``p_<class>`` and
        ``covered``. Rows without a vote are not trained on; in an array they are NaN.
    examples : (n,) texts, or (n, d) array of numbers, sparse or dense
        Of a file they are the column `text`.
    text : str, optional
        Of a file: the column of texts; default: ``text``, or the only one of long texts.
    gold : (n,) array of class values, or str, optional
        True labels, None where unknown; of a file, as for `corral.label`. Their rows are
        trained on with them, and say how often the classifier is right: each is predicted
        by one that has not seen it.
    votes : as for `corral.label`, optional
        To say which signals the classifier contradicts; a file has them.
    signals : str or sequence of str, optional
        Of a file: the columns of votes.
    classifier : scikit-learn classifier, optional
        Must take ``sample_weight``. Default: logistic regression. Texts become words and
        pairs of words by TF-IDF, unless it is a `Pipeline`, which gets the texts.
    classes : (k,) class values, optional
        Of the columns of an array; default 0 to k - 1.
    random_state : int
        For the five parts (two of more than 20,000 rows) into which rows are drawn, each
        predicted by a classifier that learned from the others.

    Returns
    -------
    TrainedClassifier

    Examples
    --------
    >>> import corral
    >>> texts = ["good film", "good plot", "bad film", "bad plot"] * 10
    >>> soft = [[0.1, 0.9], [0.2, 0.8], [0.9, 0.1], [0.7, 0.3]] * 10
    >>> found = corral.train(soft, texts, classes=["neg", "pos"])
    >>> found.predict(["a good film", "a bad one"]).tolist()
    ['pos', 'neg']
    """
    if isinstance(labels, str | PathLike):
        table = _read_table(labels, text, gold, signals)
        labels, classes, examples, text, gold, votes = table
    elif examples is None:
        raise ParameterError(
            "go with labels that are not a file.", parameter="examples"
        )
    if len(getattr(examples, "shape", (0,))) < 2 and not isinstance(examples, str):
        examples = list(examples)  # texts, of a column or an array, too
    values, soft = read_labels(labels, classes)
    n = len(soft)
    truth = np.full(n, -1) if gold is None else code_labels(gold, values, n)
    soft[truth >= 0] = np.eye(len(values))[truth[truth >= 0]]
    features, vectorizer = _read_examples(examples, classifier)
    if features.shape[0] != n:
        raise ParameterError(
            f"{n} labels need as many examples; {features.shape[0]} came.",
            parameter="examples",
        )
    used = np.flatnonzero(soft.any(axis=1))
    if len(used) < MIN_ROWS or soft.any(axis=0).sum() < 2:
        raise ParameterError(
            f"must have {MIN_ROWS} rows and two classes at least; {len(used)} of {n} "
            "rows have a label.",
            parameter="labels",
        )
    # Labels that have seen true ones have their shares on average; other labels are too
    # cautious for that, and their winners are nearer (measured on six sets of texts).
    prior = soft[used].mean(axis=0) if (truth >= 0).sum() >= MIN_GOLD else "labels"
    model = SoftLabelClassifier(classifier, prior=prior)
    folds = FOLDS if len(used) <= MAX_ROWS_IN_FOLDS else 2
    fold_of = make_generator(random_state).permutation(len(used)) % folds
    held_out = np.full((n, len(values)), np.nan)
    predicted = np.full(n, -1)
    rows_of = features.iloc if hasattr(features, "iloc") else features

    def learn(rows: IntArray) -> SoftLabelClassifier:
        return clone(model).fit(rows_of[rows], soft[rows], classes=values)

    with progress("training", folds + 1) as bar:
        for fold in range(folds):
            rest, out = used[fold_of != fold], used[fold_of == fold]
            one = learn(rest)
            held_out[out] = one.predict_proba(rows_of[out])
            predicted[out] = one.predict_positions(rows_of[out])
            bar.advance()
        model = learn(used)
        bar.advance()
    scored = truth >= 0
    right = predicted[scored] == truth[scored]
    accuracy = interval = None
    if scored.sum() >= MIN_GOLD:
        accuracy = float(right.mean())
        interval = tuple(wilson_intervals(accuracy, scored.sum(), LEVEL).tolist())
    # What labels alone show would not do: rows that taught them count as covered.
    silent = np.zeros(n, bool) if votes is None else ~as_signals(votes).covered
    counts = np.bincount(
        model.predict_positions(rows_of[np.arange(n)]), minlength=len(values)
    )
    names = [str(value) for value in values.tolist()]
    return TrainedClassifier(
        model=model,
        vectorizer=vectorizer,
        text=text,
        rows=len(used),
        true_labels=int(scored.sum()),
        unmeasured=0.0 if (silent & scored).any() else float(silent.mean()),
        accuracy=accuracy,
        interval=interval,
        shares=dict(zip(names, (counts / n).tolist(), strict=True)),
        to_read=_rows_to_read(examples, soft, scored, held_out, predicted, values),
        contradicted=_contradicted(votes, predicted, values),
    )


def _read_table(
    path: str | PathLike[str], text: str | None, gold: Any, signals: Any
) -> tuple[Any, ...]:
    """Labels, classes, texts and their column, true labels and votes of a file."""
    table = VoteFiles(path)
    columns = ", ".join(map(repr, table.columns))
    made = [name for name in table.columns if name.startswith(CLASS_PREFIX)]
    if len(made) < 2:
        raise ParameterError(
            f"{Path(path).name!r} must have a column p_CLASS per class, as `corral.label` "
            f"writes them; its columns are {columns}."
        )
    classes = name_classes(made)
    others = {"label", "confidence", "covered", "hand_label_row"} & set(table.columns)
    if "label" in others and table.is_text("label"):
        classes = list(map(str, classes))
    if text is None and "text" in table.columns:
        text = "text"
    votes = None
    try:
        ids = None if signals else [*made, *others]
        how = Reading(signals=signals, id=ids, classes=classes, announce=lambda _: None)
        found = read_votes(path, how, by_row=True, gold=gold, text=text)
        votes, text = found.signals, text or found.text
    except SignalsError as error:
        if signals is not None:
            raise
        if set(table.columns) - {*made, *others, text, gold}:
            warn_user(
                SignalsWarning(
                    "the classifier is compared with no votes; name their columns with "
                    f"`signals=`: {str(error).partition('. ')[0]}."
                )
            )
    if text is None:
        raise ParameterError(
            f"must name the column of texts; there are {columns}.", parameter="text"
        )
    soft = Reading(signals=made, probabilities=True, classes=classes)
    read = read_votes(path, soft, by_row=True, gold=gold, text=text)
    labels = read.signals.probabilities[read.signals.row_of, 0].astype(float)
    if "covered" in others:
        covered = table.rows(["covered"], names=["covered"])["covered"]
        labels[~read_flags(covered)] = np.nan
    return labels, classes, read.values["text"], text, read.gold, votes


def _text_features(**options: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, **options)


def _as_texts(examples: Any) -> list[str]:
    if isinstance(examples, str):
        raise ParameterError(
            f"must be a list of texts; the text {examples!r:.40} came.",
            parameter="examples",
        )
    return ["" if is_missing(text) else str(text) for text in examples]


def _read_examples(examples: Any, classifier: Any) -> tuple[Any, Any]:
    """Features (n, d), or texts for a pipeline; and what made them from texts."""
    from sklearn.pipeline import Pipeline

    if not isinstance(examples, list | str):
        return examples, None
    if examples and np.ndim(examples[0]) == 1:  # a list of lists of numbers
        return np.asarray(examples, float), None
    texts = _as_texts(examples)
    if isinstance(classifier, Pipeline):
        return np.asarray(texts, object), None
    vectorizer = _text_features(min_df=2 if len(texts) > 100 else 1)
    try:
        return vectorizer.fit_transform(texts), vectorizer
    except ValueError as error:
        raise ParameterError(
            f"hold no word to learn from: {error}.", parameter="examples"
        ) from error


def _rows_to_read(
    examples: Any,
    soft: FloatArray,
    scored: BoolArray,
    held_out: FloatArray,
    predicted: IntArray,
    classes: NDArray[Any],
) -> dict[str, list[Any]]:
    """Rows, the surest first, that are predicted otherwise than they are labelled."""
    rows = np.flatnonzero(predicted >= 0)
    label = soft[rows].argmax(axis=1)
    said = held_out[rows, predicted[rows]]
    sure = said * soft[rows, label] * (label != predicted[rows])
    order = np.argsort(-sure, kind="stable")[:MAX_TO_READ]
    order = order[sure[order] > 0]
    chosen = rows[order]
    columns: dict[str, list[Any]] = {
        "row": (chosen + 1).tolist(),
        "label": classes[label[order]].tolist(),
        "true": scored[chosen].tolist(),
        "predicted": classes[predicted[chosen]].tolist(),
        "probability": said[order].tolist(),
    }
    if isinstance(examples, list) and np.ndim(examples[0]) == 0:
        texts = _as_texts(examples[at] for at in chosen.tolist())
        columns["text"] = [" ".join(text.split())[:TEXT_SHOWN] for text in texts]
    return columns


def _contradicted(
    votes: Any, predicted: IntArray, classes: NDArray[Any]
) -> dict[str, list[Any]]:
    """Signals by the share of their votes that the classifier contradicts."""
    if votes is None:
        return {}
    rows = np.flatnonzero(predicted >= 0)
    signals = as_signals(votes)
    if signals.classes.tolist() != classes.tolist():
        raise ParameterError(
            f"are of the classes {signals.classes.tolist()}, the labels of "
            f"{classes.tolist()}.",
            parameter="votes",
        )
    signals = signals.take(rows)
    share = mean_rates(
        signals, signal_errors(signals, np.eye(len(classes))[predicted[rows]])
    )
    order = np.argsort(-np.nan_to_num(share, nan=-1), kind="stable")
    return {
        "signal": [signals.names[at] for at in order],
        "votes": np.rint(signals.coverage[order] * len(rows)).astype(int).tolist(),
        "contradicted": share[order].tolist(),
    }
