"""The paper's two image data sets and their 50 signals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from corral import WeakSignals
from corral._types import BoolArray, FloatArray, IntArray
from corral.datasets import Dataset
from corral.storage import reading
from repro.data import load
from repro.keys import hash_data
from repro.methods import find_positions
from repro.networks import SoftLabelCNN
from repro.store import Store

SOURCES = {
    "fashion_mnist": ("fashion_mnist", "paper/fashion_mnist"),
    "svhn": ("svhn", "paper/svhn"),
    "svhn_exemplars": ("paper/svhn",),
}
"""Data sets behind a row: images, and the annotators' signals."""
COMPLETE = {"fashion_mnist": 60_000, "svhn": 73_257, "svhn_exemplars": 73_257}
"""Training images of the paper."""
SETS = 4
"""Annotators' signals per class that the paper took."""
SHARE, FEWEST = 0.01, 10
"""Share of the images that the CNN of the pseudo-labels is shown with their classes, and
the least number per class, for samples."""
SHUFFLE = 2000
"""The paper's seed for their order."""


@cache
def _load(name: str) -> Dataset:
    """A data set, loaded once for many cells."""
    return load(name)


def hash_images(row: str) -> dict[str, str]:
    """Hashes of the data of a row, by name."""
    return {name: hash_data(name) for name in SOURCES[row]}


class Marks(NamedTuple):
    """What was marked.

    Attributes
    ----------
    row : (m,) array of int
        Which image every mark is of.
    label : (m,) array of str
        The class that it is an exemplar of.
    mask : (m, height, width) array of bool
        True where it was marked.
    """

    row: IntArray
    label: NDArray[np.str_]
    mask: BoolArray


def read_marks(path: Path) -> Marks:
    """What `repro.mark.Marking` wrote."""
    with reading(path, "marks of images"), np.load(path) as file:
        return Marks(*(file[name] for name in Marks._fields))


def mark_signals(
    images: NDArray[Any], marks: Marks, classes: Sequence[str]
) -> NDArray[np.float32]:
    """(sets, n, k) how much images look like exemplars; the i-th of every class is a set.

    The Euclidean distance ``s`` of the marked pixels to the exemplar's becomes the
    probability ``1 / (1 + exp(s - t))``, where ``t`` is such that one image in k has more
    than a half. NaN where a class has fewer exemplars.

    Parameters
    ----------
    images : (n, height, width) or (n, height, width, 3) array
        From 0 to 1.
    marks : Marks
    classes : sequence of k str
    """
    counts = [int((marks.label == name).sum()) for name in classes]
    said = np.full((max(counts), len(images), len(classes)), np.nan, np.float32)
    for k, name in enumerate(classes):
        for i, at in enumerate(np.flatnonzero(marks.label == name)):
            marked = images[:, marks.mask[at]].reshape(len(images), -1)
            apart = np.linalg.norm(marked - marked[marks.row[at]], axis=1)
            said[i, :, k] = expit(np.percentile(apart, 100 / len(classes)) - apart)
    return said


@dataclass(frozen=True)
class Pictures:
    """One part of a data set: images, and positions of their true classes."""

    images: NDArray[np.float32]
    truth: IntArray

    def __len__(self) -> int:
        return len(self.truth)


@dataclass(frozen=True)
class ImageData:
    """Images of a row, and their signals.

    Parameters
    ----------
    row : str
        In `SOURCES`.
    settings : dict
        ``images``, ``test_images``: if only the first so many; ``pseudo_epochs``: of the
        CNN behind the pseudo-labels.
    store : Store
        Keeps the pseudo-labels.
    """

    row: str
    settings: dict[str, Any]
    store: Store

    @cached_property
    def train(self) -> Pictures:
        """The images to label."""
        return self._part("train", self.settings.get("images"))

    @cached_property
    def test(self) -> Pictures:
        """The images to test on."""
        return self._part("test", self.settings.get("test_images"))

    @cached_property
    def truth(self) -> IntArray:
        """Positions of the true classes of what is labelled."""
        return self.train.truth if self._has_images else self._annotated[1]

    @cached_property
    def signals(self) -> WeakSignals:
        """One-vs-rest: pseudo-labels as they are, then annotators' signals as 0 or 1."""
        return WeakSignals.from_one_vs_rest(self._said)

    @cached_property
    def positive_signals(self) -> WeakSignals:
        """All rounded, and "no" is no vote: what the published MMCE was given."""
        yes = np.rint(self._said) == 1
        return WeakSignals.from_one_vs_rest(np.where(yes, 1.0, np.nan))

    @cached_property
    def pseudo_labels(self) -> NDArray[np.float32]:
        """(n, k) what a CNN says that was trained on a few labelled images."""
        return self.store.get(
            f"pseudo-labels-{self.row}",
            self.source,
            self._make_pseudo_labels,
            for_all=True,
        )

    @property
    def n_signals(self) -> int:
        """One per set and class, pseudo-labels included."""
        said = ~np.isnan(self._annotated[0]).all(axis=1)
        return int(said.sum()) + self._has_images * said.shape[1]

    @property
    def note(self) -> str:
        """How the images differ from the paper's, if they do."""
        n, complete = len(self.truth), COMPLETE[self.row]
        return "" if n == complete else f"a sample: {n:,} of {complete:,} images"

    @property
    def source(self) -> list[Any]:
        """All that the signals depend on."""
        names = ("images", "pseudo_epochs")
        return [hash_images(self.row), [self.settings.get(name) for name in names]]

    @property
    def _has_images(self) -> bool:
        return len(SOURCES[self.row]) > 1

    def _part(self, part: str, n: int | None) -> Pictures:
        data = _load(SOURCES[self.row][0])
        examples = getattr(data, part)
        classes = np.array(data.classes)
        return Pictures(
            np.divide(examples.data[:n], 255.0, dtype=np.float32),
            find_positions(examples.labels[:n], classes),
        )

    @property
    def _said(self) -> NDArray[np.float32]:
        """(sets, n, k) what the signals say, NaN where they abstain."""
        hard = np.rint(self._annotated[0])
        if not self._has_images:
            return hard
        return np.concatenate([self.pseudo_labels[None], hard])

    @cached_property
    def _annotated(self) -> tuple[NDArray[np.float32], IntArray]:
        """(4, n, k) annotators' signals, NaN where there is none, and true classes."""
        train = _load(SOURCES[self.row][-1]).train
        assert train.signals is not None  # the paper's data sets have them
        n = len(self.train) if self._has_images else self.settings.get("images")
        signals = train.signals.take(slice(n))
        said = signals.probabilities[:, :SETS].astype(np.float32)
        values = said[signals.row_of].transpose(1, 0, 2)
        return values, find_positions(train.labels[:n], train.signals.classes)

    def _make_pseudo_labels(self) -> NDArray[np.float32]:
        train = self.train
        count = max(FEWEST, int(SHARE * len(train) / (train.truth.max() + 1)))
        each = [
            np.flatnonzero(train.truth == k)[:count] for k in np.unique(train.truth)
        ]
        rows = np.sort(np.concatenate(each))
        rows = np.random.RandomState(SHUFFLE).permutation(rows)
        model = SoftLabelCNN(epochs=self.settings["pseudo_epochs"], random_state=0)
        model.fit(train.images[rows], train.truth[rows])
        sigmoids: FloatArray = expit(model.logits(train.images))
        return sigmoids.astype(np.float32)
