"""Random votes, and random signals of every kind."""

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


def agreeing_votes(n_classes, n=120, m=6):
    """Votes that are right two times in three, one row without any; and the truth."""
    rng = np.random.default_rng(n_classes)
    truth = rng.integers(0, n_classes, n)
    wrong = rng.integers(0, n_classes, (n, m))
    votes = np.where(rng.random((n, m)) < 0.66, truth[:, None], wrong)
    votes[rng.random((n, m)) < 0.3] = -1
    votes[0], votes[1:4] = -1, np.arange(3)[:, None] % n_classes
    return votes, truth
