"""Accuracy as a function of one error rate for all signals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from corral import WeakSignals
from corral._types import FloatArray, IntArray
from corral.progress import progress
from repro.config import Cell
from repro.data import load
from repro.images import ImageData, hash_images
from repro.keys import hash_data
from repro.methods import accuracy, find_positions, make_labels
from repro.networks import SoftLabelMLP
from repro.results import Outcome
from repro.store import Store
from repro.texts import Texts, read_texts
from repro.word_vectors import mean_vectors, vectors_name

TESTED = "sst2_test"
"""The row that shows test accuracy; others show that of labels."""
ANNOTATED = "paper/fashion_mnist"


class ErrorRates:
    """Give every signal the same error rate, and vary it.

    Settings: ``rates`` by row, the last one (the first is 0) and how many; ``network``,
    options of `SoftLabelMLP`; ``every`` and ``images``, to take only some examples;
    ``pseudo_epochs`` as for `ImageData`; ``seeds``.
    """

    def data(self, cell: Cell) -> dict[str, str]:
        """The hashes of the row's files."""
        if cell.row == "fashion_mnist":
            return hash_images(cell.row)
        names = {"sst2": ["sst2"], TESTED: ["sst2", vectors_name()]}
        return {name: hash_data(name) for name in names.get(cell.row, [ANNOTATED])}

    def run(self, cell: Cell, store: Store) -> Outcome:
        """A line for every seed."""
        last, count = cell.settings["rates"][cell.row]
        rates = np.linspace(0, last, count)
        signals, truth = _signals(cell, store)
        score = _make_scorer(cell, store) if cell.row == TESTED else None
        values = []
        for seed in cell.seeds:
            line = []
            with progress(str(cell), count, "rates") as bar:
                for rate in rates:
                    # As an array: a single rate above chance would be refused.
                    each = np.full(signals.n_signals, rate)
                    labels = make_labels(cell.column, signals, truth, each, seed)
                    line.append(
                        score(labels, seed) if score else accuracy(labels, truth)
                    )
                    bar.advance()
            values.append(line)
        tested = len(_texts(cell, store).test) if score else None
        return Outcome(values, rows=len(truth), test_rows=tested, x=rates.tolist())


def _signals(cell: Cell, store: Store) -> tuple[WeakSignals, IntArray]:
    """Signals of a row, and positions of the true classes of its examples."""
    if cell.row == "fashion_mnist":
        task = ImageData(cell.row, cell.settings, store)
        return task.signals, task.truth
    if cell.row == "fashion_annotated":
        train = load(ANNOTATED).train
        assert train.signals is not None, "they come with their signals"
        signals = train.signals.take(slice(cell.settings.get("images"))).harden()
        return signals, find_positions(train.labels[: len(signals)], signals.classes)
    texts = _texts(cell, store)
    return texts.signals, texts.truth


def _texts(cell: Cell, store: Store) -> Texts:
    return read_texts("sst2", store, cell.settings.get("every", 1))


def _make_scorer(cell: Cell, store: Store) -> Callable[[FloatArray, int], float]:
    """A function from labels and a seed to the test accuracy of the paper's network."""
    texts = _texts(cell, store)
    train, test = (
        mean_vectors(part, store, clean=True) for part in (texts.train, texts.test)
    )

    def score(labels: FloatArray, seed: int) -> float:
        model = SoftLabelMLP(**cell.settings["network"], random_state=seed)
        tested = model.fit(train, labels).predict_proba(test)
        return accuracy(tested, texts.test_truth)

    return score
