"""The paper's synthetic tasks, draw for draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray


@dataclass(frozen=True)
class SyntheticTask:
    """A binary task: votes (n, m), -1 for abstain, true labels (n,), features (n, d)."""

    votes: NDArray[np.int8]
    labels: NDArray[np.int64]
    features: FloatArray
    test_votes: NDArray[np.int8]
    test_labels: NDArray[np.int64]
    test_features: FloatArray

    @classmethod
    def split(
        cls, votes: NDArray[np.int8], labels: NDArray[np.int64], features: FloatArray
    ) -> SyntheticTask:
        """One fifth of the examples for testing, as in the paper's code."""
        rng = np.random.RandomState(2000)
        test = np.zeros(len(labels), bool)
        test[rng.choice(len(labels), len(labels) // 5, replace=False)] = True
        parts = votes, labels, features
        return cls(*(part[~test] for part in parts), *(part[test] for part in parts))  # type: ignore[arg-type]


def independent_task(
    n: int = 20_000, n_features: int = 200, n_signals: int = 10, seed: int = 900
) -> SyntheticTask:
    """Signals that err independently, each on 30% of the examples.

    Accuracies are between 0.6 and 0.7; one fifth of the examples is for testing. The
    defaults are the paper's, from the random stream of its code.

    Examples
    --------
    >>> from repro.random_tasks import independent_task
    >>> task = independent_task(n=1000, n_features=5)
    >>> task.votes.shape, task.test_features.shape
    ((800, 10), (200, 5))
    """
    rng = np.random.RandomState(seed)
    labels, features = draw_features(rng, n, n_features)
    accuracies = 0.1 * rng.random_sample(n_signals) + 0.6
    # One by one: a second number is drawn only where a signal votes.
    votes = [
        [draw_vote(rng, label, accuracy) for accuracy in accuracies]
        for label in labels.tolist()
    ]
    return SyntheticTask.split(np.array(votes, np.int8), labels, features)


def draw_features(
    rng: np.random.RandomState, n: int, d: int
) -> tuple[NDArray[np.int64], FloatArray]:
    """Classes (n,), and features (n, d) of 0 and 1 that agree with them at times."""
    labels = rng.randint(2, size=n)
    thresholds = 0.2 * rng.random_sample(d) + 0.5
    agrees = rng.random_sample((n, d)) > thresholds
    return labels, np.where(agrees, labels[:, None], 1 - labels[:, None]).astype(float)


def draw_vote(rng: np.random.RandomState, label: int, accuracy: float) -> int:
    """The vote of a signal that speaks of 30% of the examples, or -1."""
    if rng.random_sample() >= 0.3:
        return -1
    return label if rng.random_sample() < accuracy else 1 - label


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
    labels, features = draw_features(rng, n, n_features)
    rng = np.random.RandomState(signal_seed)
    accuracy = 0.1 * rng.random_sample() + 0.5
    first = np.array([draw_vote(rng, y, accuracy) for y in labels.tolist()], np.int8)
    copies = [first]
    for c in range(1, n_signals):
        rng = np.random.RandomState(signal_seed + 10 * c)
        flipped = rng.choice(n, n // 5, replace=False)
        copy = first.copy()
        copy[flipped] = np.where(copy[flipped] < 0, -1, 1 - copy[flipped])
        copies.append(copy)
    return SyntheticTask.split(np.column_stack(copies), labels, features)
