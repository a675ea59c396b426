"""Panels made up for tests: judges who fail together, and labelled rows of all."""

from functools import cache

import numpy as np

from corral import WeakSignals
from corral.panels.agreement import find_agreement
from corral.panels.difference_estimator import PanelEstimator
from corral.panels.inputs import read_panel, take_sample


def make_votes(n=600, own=(0.1, 0.15, 0.2), shared=0.08, share=0.3, seed=0):
    """(n, m) votes of judges that err by themselves and, on some rows, together."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < share).astype(int)
    wrong = (rng.random((n, len(own))) < own) | (rng.random((n, 1)) < shared)
    return np.where(wrong, 1 - truth[:, None], truth[:, None]), truth


def hide(truth, size, seed=0):
    """Labels of some rows drawn at random; -1 for all others."""
    known = np.full(len(truth), -1)
    rows = np.random.default_rng([seed, 1]).choice(len(truth), size, replace=False)
    known[rows] = truth[rows]
    return known


@cache
def read_votes(content, shape, k):
    votes = np.frombuffer(content, np.int64).reshape(shape)
    return read_panel(WeakSignals.from_votes(votes, classes=range(k)))


def fit_panel(votes, known, *, sampling=None, level=0.9):
    """The estimator of a panel; votes are read once."""
    k = int(max(votes.max(), known.max())) + 1
    panel = read_votes(votes.astype(np.int64).tobytes(), votes.shape, k)
    return PanelEstimator.fit(panel, take_sample(panel, known, sampling), level)


def find_judge(estimator, i, **options):
    """How far a judge agrees with people."""
    return find_agreement(estimator, str(i), estimator.panel.hard[:, i], **options)


def holds(found, true):
    """Whether intervals hold the true values."""
    return (found.low <= true) & (true <= found.high)
