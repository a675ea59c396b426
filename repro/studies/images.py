"""Label and test accuracy of the methods on the image data sets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from repro.adversarial import StochasticGALL
from repro.config import Cell
from repro.entries import make_entries
from repro.gradient_models import TorchModel
from repro.images import ImageData, hash_images
from repro.methods import accuracy, make_labels
from repro.networks import SoftLabelCNN, convolutions, glorot, seed_torch
from repro.results import Outcome
from repro.store import Store
from repro.versions import version_of

FASHION = "fashion_mnist"
SUPERVISED = "supervised"
PSEUDO = "pseudo-labels"
"""What the CNN says that saw a few labelled images, as labels."""
STOCH_GALL = "Stoch-GALL"
ADVERSARY = "Stoch-GALL's adversary"
"""The labels that its classifier is trained on."""
POSITIVE = "MMCE, zeros missing"
"""MMCE that is given what signals say "yes" to, and nothing else."""
ROUNDED = "CLL, rounded"
"""CLL with every entry rounded for itself, as in the published code."""
ONE_HOT = ("CLL", "three starts", "undamped", "MMCE", POSITIVE)
"""Columns whose likeliest class is trained on; others are soft."""


class ImageLabels:
    """Label the training images, and count how many labels are right.

    Settings: ``rate``, the error rate of all signals; ``epochs`` and ``images_seen`` of
    Stoch-GALL's network; ``seeds``; and those of `ImageData`.
    """

    def data(self, cell: Cell) -> dict[str, str]:
        """The hashes of the row's files."""
        return hash_images(cell.row)

    def run(self, cell: Cell, store: Store) -> Outcome:
        """Accuracy for every seed."""
        task = ImageData(cell.row, cell.settings, store)
        values = [
            accuracy(_labels(task, cell, seed), task.truth) for seed in cell.seeds
        ]
        return Outcome(values, rows=len(task.truth), note=task.note)


class ImageTest:
    """Train the paper's CNN on the labels of a method, and test it.

    Settings: ``epochs`` and ``images_seen`` of the CNN; and those of `ImageLabels`.
    """

    def data(self, cell: Cell) -> dict[str, str]:
        """The hashes of the row's files."""
        return hash_images(cell.row)

    def run(self, cell: Cell, store: Store) -> Outcome:
        """Accuracy on the test images for every seed."""
        task = ImageData(cell.row, cell.settings, store)
        values = [
            accuracy(_predictions(task, cell, seed), task.test.truth)
            for seed in cell.seeds
        ]
        n, tested = len(task.train), len(task.test)
        return Outcome(values, rows=n, test_rows=tested, note=task.note)


def _labels(task: ImageData, cell: Cell, seed: int) -> FloatArray:
    """Soft labels of the training images, kept for both tables."""
    if cell.column in (STOCH_GALL, ADVERSARY):
        turns = _stoch_gall(task, cell, seed)
        return turns.adversary if cell.column == ADVERSARY else turns.train
    if cell.column == PSEUDO:
        # Sigmoids, one per class, which do not add up to one.
        each = task.pseudo_labels.astype(float)
        return each / each.sum(axis=1, keepdims=True)
    method, signals = cell.column, task.signals
    if method == POSITIVE:
        method, signals = "MMCE", task.positive_signals
    rate = cell.settings["rate"]
    return task.store.get(
        f"labels-{task.row}-{cell.column}".replace(" ", "-"),
        [task.source, cell.column, rate, seed, version_of(method)],
        lambda: make_labels(method, signals, task.truth, rate, seed),
    )


def _predictions(task: ImageData, cell: Cell, seed: int) -> FloatArray:
    """Probabilities of the test images."""
    if cell.column == STOCH_GALL:
        return _stoch_gall(task, cell, seed).test
    model = SoftLabelCNN(epochs=_epochs(len(task.train), cell), random_state=seed)
    if cell.column == ROUNDED:
        entries = make_entries("CLL", task.signals, cell.settings["rate"], seed)
        model.fit(task.train.images, np.rint(entries))
    elif cell.column == SUPERVISED:
        model.fit(task.train.images, task.train.truth)
    else:
        labels = _labels(task, cell, seed)
        if cell.column in ONE_HOT:
            labels = np.eye(labels.shape[1])[labels.argmax(axis=1)]
        model.fit(task.train.images, labels)
    return model.predict_proba(task.test.images)


class StochGall:
    """Stoch-GALL on some images of Fashion-MNIST, by what its adversary's answers do.

    A row is "max" or "min", a column what is scored: the labels of the "classifier" or of
    the "adversary", or the classifier on the "test" images. Settings: ``rows_used``, how
    many images it sees, with the pseudo-labels that were made from all; and those of
    `ImageTest`.
    """

    def data(self, cell: Cell) -> dict[str, str]:  # noqa: ARG002
        """The hashes of the files."""
        return hash_images(FASHION)

    def run(self, cell: Cell, store: Store) -> Outcome:
        """Accuracy for every seed."""
        task = ImageData(FASHION, cell.settings, store)
        n, values = cell.settings["rows_used"], []
        for seed in cell.seeds:
            turns = _stoch_gall(task, cell, seed, n, cell.row)
            if cell.column == "test":
                values.append(accuracy(turns.test, task.test.truth))
            else:
                labels = {"classifier": turns.train, "adversary": turns.adversary}
                values.append(accuracy(labels[cell.column], task.truth[:n]))
        tested = len(task.test) if cell.column == "test" else None
        return Outcome(values, rows=n, test_rows=tested)


class Turns(NamedTuple):
    """What Stoch-GALL ends with: probabilities (n, k).

    Attributes
    ----------
    train, test
        Of its classifier, the CNN of the table, for training and test images.
    adversary
        The adversary's labels of the training images.
    """

    train: FloatArray
    adversary: FloatArray
    test: FloatArray


def _stoch_gall(
    task: ImageData,
    cell: Cell,
    seed: int,
    n: int | None = None,
    answers: Any = "max",
) -> Turns:
    def make() -> FloatArray:
        train, test = (_planes(part.images) for part in (task.train, task.test))
        with seed_torch(seed):
            shape = task.train.images.shape[1:]
            module = glorot(convolutions(shape, task.signals.n_classes))
        labeler = StochasticGALL(
            error_rates=rate,
            model=TorchModel(module),
            epochs=epochs,
            answers=answers,
            random_state=seed,
        ).fit(task.signals.take(slice(n)), train[:n])
        tested = labeler.model_.predict_proba(test)
        return np.concatenate([labeler.labels_, labeler.adversarial_labels_, tested])

    n = len(task.truth) if n is None else n
    rate, epochs = cell.settings["rate"], _epochs(n, cell)
    source = [task.source, rate, epochs, cell.settings.get("test_images"), seed]
    source += [n, answers]
    found = task.store.get(f"stoch-gall-{task.row}", source, make)
    return Turns(found[:n], found[n : 2 * n], found[2 * n :])


def _epochs(n: int, cell: Cell) -> int:
    """The paper's epochs, or as many as look at ``images_seen`` images, of n images."""
    seen = round(cell.settings["images_seen"] / n)
    return min(cell.settings["epochs"], max(seen, 1))


def _planes(images: NDArray[np.float32]) -> NDArray[np.float32]:
    """Images as torch takes them: (n, colours, height, width)."""
    return images[:, None] if images.ndim == 3 else images.transpose(0, 3, 1, 2)
