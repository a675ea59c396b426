"""The columns of the tables: labelers by name, with the paper's settings and ours."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral import (
    Adagrad,
    Averaging,
    ConstrainedLabeler,
    DataProgramming,
    MajorityVote,
    MinimaxEntropy,
    WeakSignals,
)
from corral._types import FloatArray, IntArray
from corral.error_rates import FromLabels
from corral.errors import ConvergenceWarning, InfeasibleWarning, SignalsWarning

KNOWN = 100
"""Labelled examples that the column "100 labels" may look at."""

PUBLISHED = Adagrad.paper()
"""The published code: 300 steps from one random start, which entries without votes keep.

The text of the paper says three starts and 200 steps.
"""

LabelerFactory = Callable[[Any, int], Any]
"""Takes error rates and a seed; gives a labeler."""


def _variant(**changes: Any) -> LabelerFactory:
    """The published CLL with other options of its solver."""
    return lambda rates, seed: ConstrainedLabeler(
        rates, solver=replace(PUBLISHED, **changes), random_state=seed
    )


PAPER: dict[str, LabelerFactory] = {
    "CLL": _variant(),
    "MMCE": lambda _, __: MinimaxEntropy(),
    # The log-linear form that the paper's authors ran, stopped after a few steps.
    "DP": lambda _, __: DataProgramming("gradient"),
    "MV": lambda _, seed: MajorityVote("paper", random_state=seed),
    "AVG": lambda _, __: Averaging(),
}
"""Methods of the paper."""

OURS: dict[str, LabelerFactory] = {
    "expected": lambda rates, _: ConstrainedLabeler(rates, solver="adagrad"),
    "entropy": lambda rates, _: ConstrainedLabeler(rates, solver="entropy"),
    "auto": lambda _, __: ConstrainedLabeler(),
}
"""What corral adds, without any label."""

VARIANTS: dict[str, LabelerFactory] = {
    "200 steps": _variant(iterations=200),
    "three starts": _variant(starts=3),
    "shared entries": _variant(uncovered_entries="share"),
    "raw rows": _variant(rows="raw"),
    "undamped": _variant(scale_free=True),
    "plurality": lambda _, __: MajorityVote(),
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
    if method == LABELLED:
        labeler = ConstrainedLabeler(FromLabels(_draw_known(signals, truth, seed)))
    else:
        labeler = (PAPER | OURS | VARIANTS)[method](rates, seed)
    with quiet():
        labels: FloatArray = labeler.fit(signals).labels_
    return labels


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
