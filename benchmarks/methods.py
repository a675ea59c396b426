"""From votes to labels: what `benchmarks.quality` holds the default against."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.peers import hyperlm
from benchmarks.sets import VoteSet
from corral import (
    ConstrainedLabeler,
    DataProgramming,
    DawidSkene,
    MeTaL,
    OneCoinDawidSkene,
)
from corral._types import FloatArray
from corral.decisions import winner_shares

Method = Callable[[VoteSet], FloatArray]
MANY_CLASSES = 50
"""Sets with more are left out where a step takes classes by classes, or many fits."""
LARGE = 30_000_000
"""HyperLM leaves out sets with more examples times signals times classes."""


def tally(one: VoteSet, weights: FloatArray | None = None) -> FloatArray:
    """(n, k) votes for every class, or the sums of the weights (m,) of who casts them."""
    row, signal = np.nonzero(one.votes >= 0)
    cell = row * one.k + one.votes[row, signal]
    each = None if weights is None else weights[signal]
    sums: Any = np.bincount(cell, each, minlength=len(one.votes) * one.k)
    return sums.reshape(-1, one.k).astype(float)


def vote_share(one: VoteSet, spread: float = 0.0) -> FloatArray:
    """Shares of the votes; so many votes are spread over the classes first."""
    votes = tally(one) + spread / one.k
    shares: FloatArray = votes / votes.sum(axis=1, keepdims=True)
    return shares


def smoothed_share(one: VoteSet) -> FloatArray:
    """The same with one vote spread."""
    return vote_share(one, 1.0)


def wawa(one: VoteSet) -> FloatArray:
    """Votes weigh as often as their signal agrees with the vote of all."""
    row, signal = np.nonzero(one.votes >= 0)
    agrees = winner_shares(vote_share(one))[row, one.votes[row, signal]]
    skill = np.bincount(signal, agrees) / np.bincount(signal)
    votes = tally(one, skill) + 1e-9
    shares: FloatArray = votes / votes.sum(axis=1, keepdims=True)
    return shares


def fit(make: Callable[[], Any]) -> Method:
    """Labels of one of corral's labelers."""

    def method(one: VoteSet) -> FloatArray:
        labels: FloatArray = make().fit(one.signals).labels_
        return labels

    return method


METHODS: dict[str, Method] = {
    "vote share": vote_share,
    "smoothed share": smoothed_share,
    "Wawa": wawa,
    "one-coin": fit(OneCoinDawidSkene),
    "Dawid-Skene": fit(DawidSkene),
    "  one round": fit(lambda: DawidSkene(max_iter=1)),
    "MeTaL": fit(MeTaL),
    "data programming": fit(DataProgramming),
    "HyperLM": lambda one: hyperlm(one.signals),
    "paper's CLL": fit(lambda: ConstrainedLabeler(0.01, solver="adagrad")),
    "default": fit(ConstrainedLabeler),
}
FREE = {"vote share", "smoothed share", "Wawa", "one-coin", "default"}
"""Methods whose time does not grow with the square of the classes."""


def can_run(method: str, one: VoteSet) -> bool:
    """Whether a method is run on a set: it is installed, and does not take minutes."""
    if method == "HyperLM":
        small = one.votes.size * one.k <= LARGE
        return small and importlib.util.find_spec("hyperlm") is not None
    return method in FREE or one.k <= MANY_CLASSES
