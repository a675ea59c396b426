"""The columns of the tables: labelers by name, with the paper's settings and ours."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from corral import Adagrad, Averaging, ConstrainedLabeler, MajorityVote, WeakSignals
from corral._types import FloatArray, IntArray
from corral.errors import ConvergenceWarning, InfeasibleWarning, SignalsWarning
from corral.rates import FromLabels
from repro.baselines import draw_votes, program_labels
from repro.minimax import MinimaxEntropy

KNOWN = 100
"""Labelled examples that the column "100 labels" may look at."""

PUBLISHED = Adagrad.paper()
"""The published code: 300 steps from one random start, which entries without votes keep.

The text of the paper says three starts and 200 steps.
"""

Method = Callable[[WeakSignals, Any, int], FloatArray]
"""From signals, error rates and a seed to labels (n, k)."""


def published_labeler(rates: Any, seed: int, **changes: Any) -> ConstrainedLabeler:
    """The published CLL, or with other options of its solver."""
    solver = replace(PUBLISHED, **changes)
    return ConstrainedLabeler(rates, solver=solver, random_state=seed)


def _variant(**changes: Any) -> Method:
    return lambda signals, rates, seed: (
        published_labeler(rates, seed, **changes).fit(signals).labels_
    )


def _solved(solver: Literal["adagrad", "entropy"]) -> Method:
    return lambda signals, rates, _: (
        ConstrainedLabeler(rates, solver=solver).fit(signals).labels_
    )


PAPER: dict[str, Method] = {
    "CLL": _variant(),
    "MMCE": lambda signals, _, __: (
        MinimaxEntropy(items=False, exact=False).fit(signals).labels_
    ),
    "DP": lambda signals, _, __: program_labels(signals),
    "MV": lambda signals, _, seed: draw_votes(signals, seed),
    "AVG": lambda signals, _, __: Averaging().fit(signals).labels_,
}
"""Methods of the paper."""

OURS: dict[str, Method] = {
    "expected": _solved("adagrad"),
    "entropy": _solved("entropy"),
    "auto": lambda signals, _, __: ConstrainedLabeler().fit(signals).labels_,
}
"""What corral adds, without any label."""

VARIANTS: dict[str, Method] = {
    "200 steps": _variant(iterations=200),
    "three starts": _variant(starts=3),
    "shared entries": _variant(uncovered_entries="share"),
    "raw rows": _variant(rows="raw"),
    "undamped": _variant(scale_free=True),
    "exact MMCE": lambda signals, _, __: MinimaxEntropy().fit(signals).labels_,
    "plurality": lambda signals, _, __: MajorityVote().fit(signals).labels_,
}
"""The published code with one thing changed at a time."""

LABELLED = "100 labels"
"""What corral adds, with rates from this many labels that are drawn at random."""


def make_labels(
    method: str, signals: WeakSignals, truth: IntArray, rates: Any, seed: int
) -> FloatArray:
    """Soft labels (n, k) of a method.

    Parameters
    ----------
    method : str
        In `PAPER`, `OURS` or `VARIANTS`, or `LABELLED`.
    signals : WeakSignals
    truth : (n,) array of int
        Positions of the true classes; only `LABELLED` looks at them, at `KNOWN` of them.
    rates : float or array
        Error rates for the methods that are given them.
    seed : int
    """
    with quiet():
        if method == LABELLED:
            known = FromLabels(_draw_known(signals, truth, seed))
            return ConstrainedLabeler(known).fit(signals).labels_
        return (PAPER | OURS | VARIANTS)[method](signals, rates, seed)


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings of signals such as the paper's; the tables show the effect."""
    with warnings.catch_warnings():
        for expected in (SignalsWarning, ConvergenceWarning, InfeasibleWarning):
            warnings.simplefilter("ignore", expected)
        yield


def find_positions(labels: NDArray[Any], classes: NDArray[Any]) -> IntArray:
    """(n,) the position of every label among the classes."""
    place = {value: at for at, value in enumerate(classes.tolist())}
    return np.array([place[label] for label in labels.tolist()])


def accuracy(labels: FloatArray, truth: IntArray) -> float:
    """Share of examples whose likeliest class is right; the first of tied ones."""
    return float((labels.argmax(axis=1) == truth).mean())


def _draw_known(signals: WeakSignals, truth: IntArray, seed: int) -> Any:
    """(n,) true classes of `KNOWN` examples, and None for all others."""
    rows = np.random.default_rng(seed).choice(len(truth), min(KNOWN, len(truth)), False)
    known = np.full(len(truth), None)
    known[rows] = signals.classes[truth[rows]]
    return known
