"""Test accuracy on text with other features, and logistic regression as end model."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from corral import SoftLabelClassifier, WeakSignals
from corral._types import FloatArray, IntArray
from repro.adversarial import DataConsistentLabeler
from repro.config import BALANCED, Cell
from repro.keys import hash_data
from repro.methods import accuracy, make_labels
from repro.results import Outcome
from repro.store import Store
from repro.studies.text_test import SUPERVISED
from repro.text_features import FEATURES, Split, clean_texts, split_sentences
from repro.texts import RULES, apply_rules, read_texts
from repro.word_vectors import clean_text, vectors_name

MORE = ", more sentences"
"""Ends the name of features where sentences of IMDB's training reviews are added."""
DCWS = "DCWS"
"""Labels that use the features, too."""


class TrainingData(NamedTuple):
    """What an end model is trained and scored on.

    Attributes
    ----------
    features : Split
    signals : WeakSignals
        Of the texts to train on.
    truth, test_truth : (n,) and (t,) arrays of int
        Positions of true classes. Those of added texts are not known, so `truth` is
        shorter.
    """

    features: Split
    signals: WeakSignals
    truth: IntArray
    test_truth: IntArray


class TextFeatures:
    """Label the training texts, train on the labels, and score the test texts.

    A column is "labels: features". Settings: ``rate``, the error rate of all signals;
    ``sentences``, how many of IMDB's are drawn for `MORE`; ``every``, to take only every
    n-th text; ``seeds``.
    """

    def data(self, cell: Cell) -> dict[str, str]:
        """Hashes of the texts and of the word vectors."""
        _, features = _parts(cell)
        names = {cell.row}
        if any(part in features for part in ("glove", "sif", "all")):
            names.add(vectors_name())
        if "lsa" in features or features == "all":
            names.update(RULES)
        if features.endswith(MORE):
            names.add("imdb")
        return {name: hash_data(name) for name in sorted(names)}

    def run(self, cell: Cell, store: Store) -> Outcome:
        """Accuracy for every seed."""
        method, features = _parts(cell)
        drawn = cell.settings["sentences"] if features.endswith(MORE) else 0
        every = cell.settings.get("every", 1)
        task = _task(cell.row, features, drawn, every, store.folder)
        values = []
        for seed in cell.seeds:
            rate, wanted = cell.settings["rate"], method.removesuffix(BALANCED)
            labels, weights = _labels(wanted, task, rate, seed), None
            if method != wanted:
                labels, weights = _balance(labels)
            model = SoftLabelClassifier(
                LogisticRegression(tol=1e-3, max_iter=1000), prior=None
            )
            model.fit(task.features.train, labels, weights)
            found = model.predict_proba(task.features.test)
            values.append(accuracy(found, task.test_truth))
        return Outcome(values, rows=len(labels), test_rows=len(task.test_truth))


def _parts(cell: Cell) -> tuple[str, str]:
    method, features = cell.column.split(": ")
    return method, features


def _labels(method: str, task: TrainingData, rate: float, seed: int) -> FloatArray:
    """Soft labels (n, k)."""
    if method == SUPERVISED:
        ones: FloatArray = np.eye(len(task.signals.classes))[task.truth]
        return ones
    if method == DCWS:
        labeler = DataConsistentLabeler(random_state=seed)
        return labeler.fit(task.signals, task.features.train).labels_
    return make_labels(method, task.signals, task.truth, rate, seed)


def _balance(labels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Scale labels and make weights so that every class has the same weight.

    How many votes a class gets depends on which rules were written, so the share of a
    class among the labels says little about its share among the texts.
    """
    scaled = labels / labels.mean(axis=0)
    weights = scaled.sum(axis=1)
    return scaled / weights[:, None], weights


@lru_cache(maxsize=1)
def _task(
    name: str, features: str, drawn: int, every: int, folder: Path
) -> TrainingData:
    """The last one is kept, for other labels with the same features."""
    store = Store(folder)
    texts, raw = read_texts(name, store, every), clean_texts(name, folder, every)
    signals = texts.signals
    if drawn:
        added = _draw_sentences(drawn, store, every)
        said = apply_rules(RULES[name], added, texts.classes)
        rows = np.flatnonzero(said.covered)
        raw = raw._replace(train=[*raw.train, *(clean_text(added[i]) for i in rows)])
        votes: Any = np.vstack([signals.votes, said.take(rows).votes])
        signals = WeakSignals.from_votes(votes, classes=(0, 1), abstain=-1)
    split = FEATURES[features.removesuffix(MORE)](raw, store)
    return TrainingData(split, signals, texts.truth, texts.test_truth)


def _draw_sentences(size: int, store: Store, every: int) -> list[str]:
    """Sentences at random, of IMDB's training reviews."""
    found = split_sentences(read_texts("imdb", store, every).train)
    rows = np.random.default_rng(0).permutation(len(found))[:size]
    return [found[row] for row in np.sort(rows)]
