"""Sums over labels of small fixed votes, by which a change of a method is noticed."""

from __future__ import annotations

import numpy as np

from corral import WeakSignals
from corral._types import FloatArray, IntArray
from repro.methods import make_labels

EXAMPLES, SIGNALS = 120, 6
RATE = 0.3
ABSTAIN = -1


def make_fingerprint(method: str) -> list[float]:
    """One number per kind of signals: two classes, three classes, one-vs-rest.

    Every label counts, with a weight of its own. Sums, and not a hash, since another
    machine may round the last digits otherwise.

    Parameters
    ----------
    method : str
        As for `repro.methods.make_labels`.
    """
    return [
        round(_weigh(make_labels(method, signals, truth, RATE, 0)), 6)
        for signals, truth in (_vote(2), _vote(3), _vote_one_vs_rest(3))
    ]


def _weigh(labels: FloatArray) -> float:
    weights = np.cos(np.arange(labels.size, dtype=float)).reshape(labels.shape)
    return float((labels * weights).sum())


def _draw(k: int) -> tuple[IntArray, IntArray]:
    """(n, m) votes, right in two of three, half of them abstains, and the classes."""
    # A legacy generator: its numbers are the same in all versions of NumPy.
    rng = np.random.RandomState(k)
    truth = rng.randint(k, size=EXAMPLES)
    shape = (EXAMPLES, SIGNALS)
    votes = np.where(
        rng.rand(*shape) < 2 / 3, truth[:, None], rng.randint(k, size=shape)
    )
    votes[rng.rand(*shape) < 0.5] = ABSTAIN
    return votes, truth


def _vote(k: int) -> tuple[WeakSignals, IntArray]:
    votes, truth = _draw(k)
    classes = tuple(range(k))
    return WeakSignals.from_votes(votes, classes=classes, abstain=ABSTAIN), truth


def _vote_one_vs_rest(k: int) -> tuple[WeakSignals, IntArray]:
    """The same, where signal i only ever says "yes" to class i modulo k, as TREC-6's do."""
    votes, truth = _draw(k)
    said = np.full((SIGNALS // k, EXAMPLES, k), np.nan)
    for i in range(SIGNALS):
        said[i // k, votes[:, i] == i % k, i % k] = 1.0
    return WeakSignals.from_one_vs_rest(said), truth
