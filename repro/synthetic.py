"""The paper's synthetic data, and the labels that methods give them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral import MajorityVote, WeakSignals, signal_errors
from corral._types import FloatArray, IntArray
from repro.baselines import descend_agreement
from repro.keys import hash_arrays
from repro.methods import make_labels
from repro.random_tasks import dependent_task, independent_task
from repro.store import Store
from repro.versions import version_of

SUPERVISED = "supervised"
CONSTANT = 0.4
"""The paper's rate for all signals."""
CLL = ("descent", "constant", "true")
"""Columns of the paper's method, by where its error rates come from."""


TASKS = {"dependent": dependent_task, "independent": independent_task}


@dataclass(frozen=True, eq=False)
class SyntheticData:
    """Synthetic data as drawn, in small types so that many draws fit in memory.

    Attributes
    ----------
    signals : WeakSignals
        Of the training examples.
    truth, test_truth : (n,) arrays of int
        True classes.
    features, test_features : (n, d) arrays of uint8
    """

    signals: WeakSignals
    truth: IntArray
    features: NDArray[np.uint8]
    test_truth: IntArray
    test_features: NDArray[np.uint8]

    @cached_property
    def hash(self) -> str:
        """Of all that was drawn."""
        votes = self.signals.votes
        train = (votes, self.truth, self.features)
        return hash_arrays(*train, self.test_truth, self.test_features)


@cache
def draw_data(
    name: str, fresh: int | None, examples: int, features: int
) -> SyntheticData:
    """Draw data by name.

    Parameters
    ----------
    name : "dependent" or "independent"
    fresh : int, optional
        Seed of another draw; default: the paper's own.
    examples, features : int
        The paper has 20,000 and 200.
    """
    seeds = {} if fresh is None else {"seed": 1000 + fresh}
    if name == "dependent" and fresh is not None:
        # Far enough apart that no two draws share a stream of random numbers.
        seeds["signal_seed"] = 5000 + 1000 * fresh
    task = TASKS[name](examples, features, **seeds)
    return SyntheticData(
        WeakSignals.from_votes(task.votes, classes=(0, 1)),
        task.labels,
        task.features.astype(np.uint8),
        task.test_labels,
        task.test_features.astype(np.uint8),
    )


def soft_labels(
    column: str, drawn: SyntheticData, seed: int, store: Store
) -> FloatArray:
    """(n, 2) labels of a column; 0.5 each where votes are tied.

    Parameters
    ----------
    column : str
        In `CLL`, "MV" with ties left open, `SUPERVISED`, or a method of `repro.methods`.
    drawn : SyntheticData
    seed : int
    store : Store
        Keeps them for other cells.
    """
    if column == SUPERVISED:
        return np.eye(2)[drawn.truth]
    found: FloatArray = store.get(
        f"labels-synthetic-{column}".replace(" ", "-"),
        [drawn.hash, column, seed, version_of(column)],
        lambda: _labels(column, drawn, seed),
    )
    return found


def _labels(column: str, drawn: SyntheticData, seed: int) -> FloatArray:
    signals, truth = drawn.signals, drawn.truth
    if column == "MV":
        labels: FloatArray = MajorityVote().fit(signals).labels_
        return labels
    if column not in CLL:
        return make_labels(column, signals, truth, CONSTANT, seed)
    rates: Any = CONSTANT
    if column == "true":
        rates = signal_errors(signals, truth)
    elif column == "descent":
        rates = descend_agreement(signals, seed)
    return make_labels("CLL", signals, truth, rates, seed)
