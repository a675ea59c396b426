"""Test accuracy of the paper's network for text, trained on the labels of the methods."""

from __future__ import annotations

import numpy as np

from corral._types import FloatArray
from repro.config import Cell
from repro.entries import make_entries
from repro.keys import hash_data
from repro.methods import PAPER, accuracy, make_labels
from repro.networks import SoftLabelMLP
from repro.results import Outcome
from repro.store import Store
from repro.texts import RAW, Texts, read_texts
from repro.word_vectors import mean_vectors, vectors_name

SUPERVISED = "supervised"


class TextTest:
    """Label the training texts, train on the labels, and score the test texts.

    Settings: ``rate``, the error rate of all signals; ``network``, options of
    `SoftLabelMLP`, and ``network_of``, those of a row; ``every``, to take only every
    n-th text; ``seeds``, for the labels and the network.
    """

    def data(self, cell: Cell) -> dict[str, str]:
        """Hashes of the texts and of the word vectors."""
        return {name: hash_data(name) for name in (cell.row, vectors_name())}

    def run(self, cell: Cell, store: Store) -> Outcome:
        """Accuracy for every seed."""
        texts = read_texts(cell.row, store, cell.settings.get("every", 1))
        clean = cell.row not in RAW
        train = mean_vectors(texts.train, store, clean=clean)
        test = mean_vectors(texts.test, store, clean=clean)
        network = cell.settings["network"] | cell.settings["network_of"].get(
            cell.row, {}
        )
        values = []
        for seed in cell.seeds:
            targets = make_targets(cell.column, texts, cell.settings["rate"], seed)
            model = SoftLabelMLP(**network, random_state=seed).fit(train, targets)
            values.append(accuracy(model.predict_proba(test), texts.test_truth))
        return Outcome(values, rows=len(train), test_rows=len(test))


def make_targets(method: str, texts: Texts, rate: float, seed: int) -> FloatArray:
    """(n, k) what the network learns: what the published code gave it.

    That is soft labels, or rounded ones of MMCE, and of data programming where there are
    two classes. Of more classes, entries of the paper's methods do not add up to one.
    """
    ones: FloatArray = np.eye(len(texts.classes))
    if method == SUPERVISED:
        truth: FloatArray = ones[texts.truth]
        return truth
    if method in PAPER and len(ones) > 2:
        return make_entries(method, texts.signals, rate, seed)
    labels = make_labels(method, texts.signals, texts.truth, rate, seed)
    if method == "MMCE" or (method == "DP" and len(ones) == 2):
        labels = ones[labels.argmax(axis=1)]
    return labels
