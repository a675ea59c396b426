"""Methods compared on multi-label tasks."""

import numpy as np
import pytest

import corral
from corral import ConstrainedLabeler, MajorityVote, WeakSignals
from corral.errors import ParameterError


@pytest.fixture(scope="module")
def task():
    rng = np.random.default_rng(0)
    truth = (rng.random((200, 3)) < 0.4).astype(float)
    right = np.array([0.95, 0.8, 0.7, 0.6])[:, None, None]
    votes = np.where(rng.random((4, 200, 3)) < right, truth, 1 - truth)
    votes[:, :5] = np.nan
    return WeakSignals.from_one_vs_rest(votes), truth


def test_entries_are_scored(task):
    signals, truth = task
    truth = truth.copy()
    truth[:50, 1] = np.nan
    found = corral.compare(signals, truth, ["majority-vote", "constrained"])
    for i, labeler in enumerate((MajorityVote(), ConstrainedLabeler())):
        p = labeler.set_params(multilabel=True).fit(signals).labels_
        known = ~np.isnan(truth) & signals.covered[:, None]
        p, y = p[known], truth[known]
        said = np.where(np.abs(p - 0.5) < 1e-9, 0.5, p > 0.5)
        hits = (said * y).sum()
        assert found.accuracy[i] == pytest.approx((1 - np.abs(said - y)).mean())
        assert found.f1[i] == pytest.approx(2 * hits / (said.sum() + y.sum()))
        assert found.brier[i] == pytest.approx(2 * ((p - y) ** 2).mean())
    assert found.n_scored == known.sum()
    assert "entries, one per example and class" in str(found)


def test_all_methods_that_can(task):
    found = corral.compare(*task)
    assert "constrained" in found.methods
    assert not found.refused
    assert "dawid-skene" not in found.methods  # it learns one class per example


def test_what_is_refused(task):
    signals, truth = task
    with pytest.raises(ParameterError, match="gold must"):
        corral.compare(signals, [["a"], ["a", "b"]] * 100)
    with pytest.raises(ParameterError, match="one class"):
        corral.compare(signals, truth, ["ordinal"])
    with pytest.raises(ParameterError, match="from_one_vs_rest"):
        corral.compare([[0, 1, 1], [1, 0, 1]], truth[:2])
    with pytest.raises(ParameterError, match="scored"):
        corral.compare(signals, np.full((200, 3), np.nan))
