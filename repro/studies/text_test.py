"""Test accuracy of the paper's network for text, trained on the labels of the methods."""

from __future__ import annotations

import numpy as np

from corral import SoftLabelMLP
from corral._types import FloatArray
from repro.config import Cell
from repro.keys import hash_data
from repro.methods import accuracy, make_labels
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
    """(n, k) what the network learns: soft labels, or rounded where the paper did.

    It rounded those of MMCE, and those of data programming of two classes.
    """
    ones: FloatArray = np.eye(len(texts.classes))
    if method == SUPERVISED:
        truth: FloatArray = ones[texts.truth]
        return truth
    labels = make_labels(method, texts.signals, texts.truth, rate, seed)
    if method == "MMCE" or (method == "DP" and len(ones) == 2):
        labels = ones[labels.argmax(axis=1)]
    return labels
