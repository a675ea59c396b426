import numpy as np
import pytest
from repro.entries import make_entries

from corral import WeakSignals


@pytest.fixture
def signals() -> WeakSignals:
    """Two signals say "yes" to class 0 or 1, one also "no"; nothing speaks of class 2."""
    said = np.full((2, 6, 3), np.nan)
    said[0, :3, 0] = 1
    said[1, 2:5, 1] = 1
    said[1, 5, 1] = 0
    said[0, 5, 2] = 1
    return WeakSignals.from_one_vs_rest(said)


def test_entries_of_cll_keep_their_start_where_nothing_votes(
    signals: WeakSignals,
) -> None:
    entries = make_entries("CLL", signals, 0.01, 0)
    assert entries.shape == (6, 3)
    np.testing.assert_allclose(entries[:3, 0], 0.99, atol=1e-3)
    others = [make_entries("CLL", signals, 0.01, seed)[0, 2] for seed in range(3)]
    assert len(set(others)) == 3
    assert abs(entries.sum(axis=1) - 1).max() > 0.1


def test_a_vote_is_one_and_what_has_none_is_drawn(signals: WeakSignals) -> None:
    drawn = np.stack([make_entries("MV", signals, 0.01, seed) for seed in range(40)])
    assert set(np.unique(drawn)) == {0, 1}
    assert (drawn[:, :3, 0] == 1).all()
    assert (drawn[:, 5, 1] == 0).all()
    assert 0.2 < drawn[:, 0, 1].mean() < 0.8
