"""Whom to drop, whom to add."""

import numpy as np
import pytest
from tests.panels.made_panels import find_evidence, hide, make_votes

from corral import WeakSignals
from corral.panels import next_steps
from corral.panels.next_steps import find_absences, find_newcomer


def test_a_copy_is_needless_and_a_good_judge_is_not():
    votes, truth = make_votes(2000, own=(0.05, 0.3, 0.3), shared=0)
    votes = np.column_stack([votes, votes[:, 1]])
    evidence = find_evidence(votes, hide(truth, 150))
    names = ("good", "poor", "other", "copy")
    signals = WeakSignals.from_votes(votes, names=names)
    good, _, _, copy = find_absences(evidence, signals, names)
    assert good.loss > 0.1
    assert not good.is_needless
    assert abs(copy.loss) < 0.02
    assert copy.low < copy.loss < copy.high


def test_more_judges_than_that_are_not_left_out(monkeypatch):
    votes, truth = make_votes(100)
    monkeypatch.setattr(next_steps, "MOST_JUDGES", 2)
    evidence = find_evidence(votes, hide(truth, 50))
    assert find_absences(evidence, WeakSignals.from_votes(votes), tuple("abc")) == ()


def test_a_newcomer_is_worth_what_bayes_says():
    """One judge right on 80%, and another as good and independent: simulated."""
    votes, truth = make_votes(40_000, own=(0.2,), shared=0, share=0.4)
    evidence = find_evidence(votes, truth)
    found = find_newcomer(evidence, 0.9)
    rng = np.random.default_rng(1)
    other = np.where(rng.random(40_000) < 0.9, truth, 1 - truth)
    labels = evidence.labels[evidence.panel.inverse, 1]
    odds = labels / (1 - labels) * np.where(other == 1, 9, 1 / 9)
    gain = ((odds > 1) == truth).mean() - ((labels > 0.5) == truth).mean()
    assert found.like_best == pytest.approx(gain, abs=0.006)
    assert 0.5 < found.accuracy < 0.9


def test_a_perfect_panel_needs_nobody():
    truth = np.arange(400) % 2
    votes = truth[:, None].repeat(3, axis=1)
    found = find_newcomer(find_evidence(votes, truth), 0.99)
    assert np.isnan(found.accuracy)
