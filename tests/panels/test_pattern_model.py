"""The model of the labels: it is the maximum, and leaves rows out as a refit would."""

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.panels.made_panels import make_votes

from corral import WeakSignals
from corral.panels import pattern_model
from corral.panels.inputs import Sample, read_panel
from corral.panels.pattern_model import fit_patterns


def fit(panel, rows, truth, weights=None):
    ones = np.ones(len(rows))
    sample = Sample(rows, truth, ones if weights is None else weights, ones)
    return fit_patterns(panel, sample)


def some_panel(k=2, n=300, size=40, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    votes = np.where(
        rng.random((n, 4)) < 0.6, truth[:, None], rng.integers(0, k, (n, 4))
    )
    votes[rng.random((n, 4)) < 0.1] = -1
    panel = read_panel(WeakSignals.from_votes(votes, classes=range(k)))
    rows = rng.choice(n, size, replace=False)
    return panel, rows, truth[rows]


@pytest.mark.parametrize("k", [2, 3])
def test_labels_are_those_of_a_plain_optimiser(k):
    panel, rows, truth = some_panel(k)
    weights = np.random.default_rng(1).uniform(0.5, 1.5, len(rows))
    m = panel.shape[1]
    sizes = (3, k, m, m * k)
    penalty = np.repeat([4.0, 1.0, 16.0, 16.0], sizes)
    start = np.repeat([1 / 3, 0.0, 0.0, 0.0], sizes)

    def scores(theta, said, logs):
        scale, balance, judge, vote = np.split(theta, np.cumsum(sizes)[:-1])
        out = logs @ scale + balance
        for j in range(m):
            for c in range(k):
                out[:, c] += said[:, j, c] * (judge[j] + vote.reshape(m, k)[j, c])
        return out

    def loss(theta):
        at = panel.inverse[rows]
        s = scores(theta, panel.said[at], panel.logs[at])
        logs = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
        fit = -(weights * logs[np.arange(len(rows)), truth]).sum()
        return fit + (penalty * (theta - start) ** 2).sum() / 2

    best = minimize(loss, start, method="BFGS", options={"gtol": 1e-7}).x
    s = scores(best, panel.said, panel.logs)
    want = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    found, _ = fit(panel, rows, truth, weights)
    np.testing.assert_allclose(found, want, atol=1e-4)


@pytest.mark.parametrize("k", [2, 3])
def test_rows_left_out_are_as_after_a_refit(k):
    panel, rows, truth = some_panel(k, size=60)
    _, found = fit(panel, rows, truth)
    for i in range(0, 60, 7):
        rest = np.arange(60) != i
        refit, _ = fit(panel, rows[rest], truth[rest])
        np.testing.assert_allclose(found[i], refit[panel.inverse[rows[i]]], atol=0.01)


def test_many_judges_have_one_weight_each(monkeypatch):
    panel, rows, truth = some_panel(3)
    full, _ = fit(panel, rows, truth)
    monkeypatch.setattr(pattern_model, "MAX_VOTE_WEIGHTS", 5)
    few, _ = fit(panel, rows, truth)
    assert few.shape == full.shape
    assert 0 < np.abs(few - full).max() < 0.5


def test_labels_take_independence_away_where_judges_fail_together():
    """With 8% of failures in common no pattern is surer than 92%, labels or not many."""
    votes, truth = make_votes(4000, own=(0.05,) * 5, shared=0.08)
    panel = read_panel(WeakSignals.from_votes(votes))
    rows = np.random.default_rng(0).choice(4000, 200, replace=False)
    labels, _ = fit(panel, rows, truth[rows])
    unanimous = labels[panel.inverse[(votes == 1).all(axis=1)]][0]
    assert 0.75 < unanimous[1] < 0.97
