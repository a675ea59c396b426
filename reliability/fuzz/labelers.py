"""Strategies for labelers: every method, with the options that change what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from corral import (
    Adagrad,
    Agreement,
    Auto,
    Averaging,
    ConstrainedLabeler,
    DataProgramming,
    DawidSkene,
    Entropy,
    Firing,
    MajorityVote,
    MeTaL,
    MinimaxEntropy,
    OneCoinDawidSkene,
    Projection,
    WeightedVote,
)
from corral.labelers import Labeler

LABELERS: dict[str, Callable[[], Labeler]] = {
    "default": ConstrainedLabeler,
    "given rate": lambda: ConstrainedLabeler(0.2, Adagrad(iterations=60)),
    "raw rows": lambda: ConstrainedLabeler(0.3, Adagrad(rows="raw", iterations=50)),
    "scale-free": lambda: ConstrainedLabeler(
        0.1, Adagrad(iterations=60, scale_free=True)
    ),
    "entropy": lambda: ConstrainedLabeler(0.2, Entropy()),
    "projection": lambda: ConstrainedLabeler(0.2, Projection()),
    "uniform projection": lambda: ConstrainedLabeler(0.1, Projection("uniform")),
    "default, entropy": lambda: ConstrainedLabeler(Auto(), "entropy"),
    "agreement": lambda: ConstrainedLabeler(Agreement()),
    "firing": lambda: ConstrainedLabeler(Firing()),
    "majority vote": MajorityVote,
    "averaging": Averaging,
    "weighted vote": lambda: WeightedVote(accuracies=0.7),
    "data programming": DataProgramming,
    "data programming, gradient": lambda: DataProgramming("gradient"),
    "MeTaL": MeTaL,
    "Dawid-Skene": DawidSkene,
    "one-coin Dawid-Skene": OneCoinDawidSkene,
    "minimax entropy": MinimaxEntropy,
    "minimax entropy, items": lambda: MinimaxEntropy(items=True),
}
"""Labelers that draw nothing at random, by name; Adagrad takes fewer steps than it
would by default, which are the same steps."""

INCREMENTAL = ("default", "given rate", "entropy", "projection", "uniform projection")
"""Those with `partial_fit` whose answer depends on counts alone."""

names: st.SearchStrategy[str] = st.sampled_from(sorted(LABELERS))


def fit(name: str, signals: Any, **options: Any) -> Labeler:
    """A labeler of that name, fitted."""
    return LABELERS[name]().set_params(**options).fit(signals)
