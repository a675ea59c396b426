"""Label models of other libraries, unchanged: from signals to labels.

They take votes for classes, one example per row, and are not given examples without a vote,
which get even probabilities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from corral import WeakSignals

Array = Any


def _fill(signals: WeakSignals, infer: Callable[[Array, int], Array]) -> Array:
    """(n, k) labels: what a library infers from the votes of the covered examples."""
    hard, k = signals.harden(), len(signals.classes)
    covered = hard.covered
    labels = np.full((len(signals), k), 1 / k)
    found = np.zeros((covered.sum(), k))
    given = np.asarray(infer(np.asarray(hard.votes)[covered], k), float)
    found[:, : given.shape[1]] = given  # HyperLM has no columns after the last vote
    labels[covered] = found / found.sum(axis=1, keepdims=True)
    return labels


def snorkel(signals: WeakSignals, seed: int = 0, epochs: int = 100) -> Array:
    """Snorkel's label model."""
    from snorkel.labeling.model import LabelModel

    def infer(votes: Array, k: int) -> Array:
        model = LabelModel(cardinality=k, verbose=False)
        model.fit(votes, n_epochs=epochs, seed=seed, progress_bar=False)
        return model.predict_proba(votes)

    return _fill(signals, infer)


def hyperlm(signals: WeakSignals) -> Array:
    """The hyper label model of Wu et al. (ICLR 2023), a graph network."""
    from hyperlm import HyperLabelModel
    from torch.serialization import safe_globals

    # Its file of weights holds numbers of NumPy under their old name.
    number = np.float64(0).__reduce__()[0], "numpy.core.multiarray.scalar"
    kinds: list[Any] = [number, np.dtype, type(np.dtype(float))]
    with safe_globals(kinds):
        model = HyperLabelModel()
    return _fill(signals, lambda votes, _: model.infer(votes, return_probs=True))
