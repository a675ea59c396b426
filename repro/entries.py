"""Labels entry by entry, as the published code has them.

corral's labels of an example add up to one. In the published code there is one number per
(example, class), whatever they add up to, and networks with one sigmoid per class learn
every entry for itself.
"""

from __future__ import annotations

import numpy as np

from corral import WeakSignals
from corral._types import FloatArray
from repro.baselines import program_labels, vote_balance
from repro.methods import PAPER, published_labeler, quiet


def make_entries(
    method: str, signals: WeakSignals, rate: float, seed: int
) -> FloatArray:
    """(n, k) labels of one-vs-rest signals, not divided by their sum.

    Parameters
    ----------
    method : "CLL", "MMCE", "DP" or "MV"
        CLL: as the solver leaves them. MMCE: one for the likeliest class. DP: the
        probability of each class against the rest. MV: one where a signal says "yes", and
        where none votes, 0 or 1 at random.
    signals : WeakSignals
    rate : float
        Error rate of all signals, for CLL.
    seed : int
    """
    k = signals.n_classes
    with quiet():
        if method == "CLL":
            labeler = published_labeler(rate, seed).fit(signals)
            return np.asarray(labeler.solution_.labels)  # by example
        if method == "MMCE":
            labels = PAPER["MMCE"](signals, rate, seed)
            return np.asarray(np.eye(k)[labels.argmax(axis=1)])
        if method == "DP":
            each = [program_labels(signals.for_class(c)) for c in signals.classes]
            return np.column_stack([labels[:, 1] for labels in each])
    balance = vote_balance(signals)
    drawn = np.random.default_rng(seed).integers(0, 2, balance.shape)
    return np.where(balance == 0, drawn, balance > 0).astype(float)
