"""Random signals of every kind, on which products and solvers are tried."""

import numpy as np
from scipy.sparse import csr_array

from corral import WeakSignals


def make_signals(n=300):
    """Signals by kind: hard and soft, dense and sparse, of classes and one-vs-rest."""
    rng = np.random.default_rng(0)

    def soft(*shape):
        w = rng.random(shape)
        w[rng.random(shape) < 0.3] = np.nan
        return w

    rests = rng.integers(-1, 2, (4, n, 3)).astype(float)
    rests[1, :, 2] = -1  # a pair that never votes
    p = rng.dirichlet(np.ones(4), (n, 5))
    p[rng.random((n, 5)) < 0.3] = np.nan
    stored = np.where(rng.random((n, 40)) < 0.05, rng.integers(1, 4, (n, 40)), 0)
    stored[:5] = 0
    return {
        "binary": WeakSignals.from_votes(rng.integers(-1, 2, (n, 7))),
        "classes": WeakSignals.from_votes(rng.integers(-1, 4, (n, 5))),
        "many classes": WeakSignals.from_votes(rng.integers(-1, 20, (n, 4))),
        "sparse": WeakSignals.from_votes(csr_array(stored), classes=[1, 2, 3]),
        "one-vs-rest": WeakSignals.from_one_vs_rest(rests),
        "soft one-vs-rest": WeakSignals.from_one_vs_rest(soft(4, n, 3)),
        "binary probabilities": WeakSignals.from_probabilities(soft(n, 6)),
        "probabilities": WeakSignals.from_probabilities(p),
    }
