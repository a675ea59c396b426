"""What judges say, hard or soft, by pattern."""

import numpy as np
import pytest
from tests.panels.made_panels import make_votes

from corral import PatternCounts, WeakSignals
from corral.errors import SignalsError
from corral.panels import panel_votes
from corral.panels.panel_votes import read_panel


def test_rows_have_their_votes_back():
    votes, _ = make_votes()
    votes[::7, 1] = -1
    panel = read_panel(WeakSignals.from_votes(votes, classes=[0, 1]))
    assert (panel.votes[panel.inverse] == votes).all()
    assert panel.counts.sum() == len(votes)
    assert panel.said.sum(axis=2).max() == 1
    np.testing.assert_allclose(panel.logs.mean(axis=1), 0, atol=1e-12)


def test_probabilities_stay_what_they_are():
    given = np.random.default_rng(0).dirichlet([1, 1, 1], (50, 4))
    given[3, 2] = np.nan
    panel = read_panel(WeakSignals.from_probabilities(given))
    np.testing.assert_allclose(panel.said, np.nan_to_num(given), atol=1e-6)
    assert panel.votes[3, 2] == -1
    assert (panel.votes[4] == given[4].argmax(axis=1)).all()
    np.testing.assert_allclose(panel.shares.sum(axis=1), 1)


def test_two_classes_have_one_probability():
    given = np.random.default_rng(0).random((40, 3))
    panel = read_panel(WeakSignals.from_probabilities(given, bins=10))
    rounded = np.floor(given * 10 + 0.5) / 10
    seen = panel.said[panel.inverse, :, 1]
    decided = np.abs(rounded - 0.5) > 1e-6  # one half is no vote
    np.testing.assert_allclose(seen[decided], rounded[decided], atol=1e-6)


def test_rows_without_a_vote_say_nothing():
    votes, _ = make_votes(100)
    votes[0] = -1
    panel = read_panel(WeakSignals.from_votes(votes, classes=[0, 1]))
    assert (panel.logs[panel.inverse[0]] == 0).all()
    assert panel.shares[panel.inverse[0]].tolist() == [0.5, 0.5]


def test_what_is_no_panel(monkeypatch):
    votes, _ = make_votes(50)
    with pytest.raises(SignalsError, match="one class at a time"):
        read_panel(WeakSignals.from_one_vs_rest(np.zeros((2, 50, 3))))
    counted = WeakSignals.from_votes(votes, counts=np.full(50, 2.0))
    with pytest.raises(SignalsError, match="row by row"):
        read_panel(counted)
    assert PatternCounts  # what such signals come from
    monkeypatch.setattr(panel_votes, "MOST_CELLS", 10)
    with pytest.raises(SignalsError, match="do not fit"):
        read_panel(WeakSignals.from_votes(votes, classes=[0, 1]))
