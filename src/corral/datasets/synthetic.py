"""The paper's synthetic tasks, draw for draw, and random votes of any size.

Every draw comes from a generator of its own; the global random state is not touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.errors import ParameterError

PAPER_ACCURACIES = (
    0.6995, 0.6684, 0.6163, 0.6410, 0.6634, 0.6791, 0.6364, 0.6220, 0.6565, 0.6459
)  # fmt: skip
"""Nominal accuracies of the ten independent signals of the paper's task."""


@dataclass(frozen=True)
class SyntheticTask:
    """A binary task with features, true labels and abstaining signals.

    Attributes
    ----------
    votes, test_votes : (n, m) arrays of int8
        0 or 1, -1 for abstain.
    labels, test_labels : (n,) arrays of int
        True classes.
    features, test_features : (n, d) arrays of float
    """

    votes: NDArray[np.int8]
    labels: NDArray[np.int64]
    features: FloatArray
    test_votes: NDArray[np.int8]
    test_labels: NDArray[np.int64]
    test_features: FloatArray


def independent_task(
    n: int = 20_000, n_features: int = 200, n_signals: int = 10, seed: int = 900
) -> SyntheticTask:
    """Signals that err independently, each on 30% of the examples.

    Accuracies are between 0.6 and 0.7; one fifth of the examples is set aside for
    testing. The defaults are the paper's, from the random stream of its code.

    Examples
    --------
    >>> from corral.datasets import independent_task
    >>> task = independent_task(n=1000, n_features=5)
    >>> task.votes.shape, task.test_features.shape
    ((800, 10), (200, 5))
    """
    rng = np.random.RandomState(seed)
    labels, features = _labels_and_features(rng, n, n_features)
    accuracies = 0.1 * rng.random_sample(n_signals) + 0.6
    draw = rng.random_sample
    # The second draw happens only where a signal votes, so the stream cannot be
    # drawn in one block.
    votes = np.array(
        [
            [_vote(draw, label, accuracy) for accuracy in accuracies]
            for label in labels.tolist()
        ],
        np.int8,
    )
    return _split(votes, labels, features)


def dependent_task(
    n: int = 20_000,
    n_features: int = 200,
    n_signals: int = 10,
    seed: int = 900,
    signal_seed: int = 500,
) -> SyntheticTask:
    """One signal of accuracy 0.5 to 0.6 on 30% of the examples, and noisy copies.

    Each copy has the sign of one fifth of all examples flipped. As in the paper's code,
    the signals have random streams of their own: the first from `signal_seed`, the
    c-th copy from ``signal_seed + 10 c``.
    """
    rng = np.random.RandomState(seed)
    labels, features = _labels_and_features(rng, n, n_features)
    rng = np.random.RandomState(signal_seed)
    accuracy = 0.1 * rng.random_sample() + 0.5
    draw = rng.random_sample
    first = np.array(
        [_vote(draw, label, accuracy) for label in labels.tolist()], np.int8
    )
    copies = [first]
    for c in range(1, n_signals):
        rng = np.random.RandomState(signal_seed + 10 * c)
        flipped = rng.choice(n, n // 5, replace=False)
        copy = first.copy()
        copy[flipped] = np.where(copy[flipped] < 0, -1, 1 - copy[flipped])
        copies.append(copy)
    return _split(np.column_stack(copies), labels, features)


def random_votes(
    n: int,
    accuracies: Sequence[float] = PAPER_ACCURACIES,
    coverage: float = 0.3,
    seed: int = 0,
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Binary votes of independent signals, of any size, fast.

    Parameters
    ----------
    n : int
        Examples.
    accuracies : sequence of float
        One per signal.
    coverage : float
        Share of the examples on which a signal votes.
    seed : int

    Returns
    -------
    votes : (n, m) array of int8
    labels : (n,) array of int
    """
    if not all(0 <= share <= 1 for share in (coverage, *accuracies)):
        raise ParameterError("accuracies and coverage must be between 0 and 1.")
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    votes = np.empty((n, len(accuracies)), np.int8)
    for i, accuracy in enumerate(accuracies):
        right = rng.random(n, np.float32) < accuracy
        voted = rng.random(n, np.float32) < coverage
        votes[:, i] = np.where(voted, np.where(right, labels, 1 - labels), -1)
    return votes, labels


def _labels_and_features(
    rng: np.random.RandomState, n: int, d: int
) -> tuple[NDArray[np.int64], FloatArray]:
    labels = rng.randint(2, size=n)
    thresholds = 0.2 * rng.random_sample(d) + 0.5
    agrees = rng.random_sample((n, d)) > thresholds
    return labels, np.where(agrees, labels[:, None], 1 - labels[:, None]).astype(float)


def _vote(draw, label: int, accuracy: float) -> int:  # type: ignore[no-untyped-def]
    if draw() >= 0.3:
        return -1
    return label if draw() < accuracy else 1 - label


def _split(
    votes: NDArray[np.int8], labels: NDArray[np.int64], features: FloatArray
) -> SyntheticTask:
    rng = np.random.RandomState(2000)
    test = np.zeros(len(labels), bool)
    test[rng.choice(len(labels), len(labels) // 5, replace=False)] = True
    return SyntheticTask(
        *(votes[~test], labels[~test], features[~test]),
        *(votes[test], labels[test], features[test]),
    )
