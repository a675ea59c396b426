"""The signals that the paper's authors computed, as they published them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.datasets.dataset import Examples
from corral.datasets.readers.idx import read_idx
from corral.datasets.readers.reader_tools import (
    POLARITY,
    StrPath,
    name_codes,
    name_votes,
    read_arrays,
    reading,
)
from corral.signals import WeakSignals

PAPER_SETS = 4
"""Sets of human-marked regions that the paper used, of ten."""


def read_vote_arrays(votes: StrPath, labels: StrPath) -> Examples:
    """Read the votes on SST-2, two arrays in files of their own."""
    return _make_examples(_read_array(votes), _read_array(labels))


def read_vote_archive(path: StrPath) -> Examples:
    """Read the votes on IMDB, ``signals`` and ``labels``."""
    with reading(path, "signals and labels in an npz"):
        stored = read_arrays(path)
        return _make_examples(stored["signals"], stored["labels"])


def read_rule_archive(path: StrPath, classes: tuple[str, ...]) -> Examples:
    """Read rules for one class each, ``signals`` `(m, n, k)`, 1 or -1 for abstain."""
    with reading(path, "signals and labels in an npz"):
        stored = read_arrays(path)
        signals = WeakSignals.from_one_vs_rest(
            stored["signals"], classes=classes, abstain=-1
        )
        return Examples(name_codes(stored["labels"], classes), signals=signals)


def read_marked_regions(
    path: StrPath, images: StrPath, labels: StrPath, classes: tuple[str, ...]
) -> Examples:
    """Read what human-marked regions say of the training images of Fashion-MNIST."""
    with reading(path, "probabilities (sets, k, n) in an npz"):
        values = read_arrays(path)["probabilities"][:PAPER_SETS].astype(np.float32)
        values = values.transpose(0, 2, 1)
        signals = WeakSignals.from_one_vs_rest(values, classes=classes)
    return Examples(name_codes(read_idx(labels), classes), read_idx(images), signals)


def read_digit_exemplars(path: StrPath, labels: StrPath) -> Examples:
    """Read what exemplars, each of one digit, say of the training images of SVHN."""
    with reading(path, "probabilities (m, n) and digit (m,) in an npz"):
        stored = read_arrays(path)
        values, digits = stored["probabilities"], stored["digit"]
        # The i-th exemplar of every digit makes one signal; some have fewer.
        counts = np.bincount(digits, minlength=10)
        cube = np.full((counts.max(), values.shape[1], 10), np.nan, np.float32)
        for digit in range(10):
            cube[: counts[digit], :, digit] = values[digits == digit]
        signals = WeakSignals.from_one_vs_rest(cube, classes=range(10))
    with reading(labels, "train labels in an npz"):
        true = name_codes(read_arrays(labels)["train"] % 10, range(10))
    return Examples(true, signals=signals)


def read_soft_arrays(signals: StrPath, features: StrPath, labels: StrPath) -> Examples:
    """Read probabilities `(n, m)` of class 1, features and labels of breast cancer."""
    soft = WeakSignals.from_probabilities(_read_array(signals))
    return Examples(_read_array(labels).astype(np.int64), _read_array(features), soft)


def read_feature_arrays(features: StrPath, labels: StrPath) -> Examples:
    """Read features and labels, two arrays in files of their own."""
    return Examples(_read_array(labels).astype(np.int64), _read_array(features))


def _read_array(path: StrPath) -> NDArray[Any]:
    with reading(path, "an array in the npy format"):
        return np.load(path, allow_pickle=False)


def _make_examples(votes: NDArray[Any], labels: NDArray[Any]) -> Examples:
    signals = WeakSignals.from_votes(name_votes(votes, POLARITY), classes=POLARITY)
    return Examples(name_codes(labels, POLARITY), signals=signals)
