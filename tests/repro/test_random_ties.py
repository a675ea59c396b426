"""Majority vote with drawn ties, its expectation, and data programming by gradient."""

import numpy as np
import pytest
from repro.baselines import draw_votes, program_labels
from repro.random_ties import expect_accuracy

from corral import WeakSignals


def test_a_tie_of_two_classes_is_half_right() -> None:
    votes = WeakSignals.from_votes([[1, 1], [0, 1], [0, 0], [-1, 1]], classes=(0, 1))
    assert expect_accuracy(votes, np.array([1, 1, 1, 1])) == 2.5 / 4


def test_a_single_vote_for_the_fourth_of_six_classes() -> None:
    """Three classes before it must be drawn 0: an eighth."""
    said = np.full((1, 1, 6), np.nan)
    said[0, 0, 3] = 1
    signals = WeakSignals.from_one_vs_rest(said)
    assert expect_accuracy(signals, np.array([3])) == 1 / 8
    # All before the sixth are drawn 0, but the fourth is not.
    assert expect_accuracy(signals, np.array([5])) == 0


@pytest.mark.parametrize("k", [2, 4])
def test_it_is_the_mean_over_draws(k: int) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, k, 40)
    if k == 2:
        votes = rng.integers(-1, 2, (40, 4))
        votes[0] = [0, 1, 0, 1]
        votes[:, 0] = np.maximum(votes[:, 0], 0)
        signals = WeakSignals.from_votes(votes, classes=(0, 1))
    else:
        said = rng.choice([0.0, 1.0, np.nan], (2, 40, k))
        said[0, :, 0] = 1.0
        signals = WeakSignals.from_one_vs_rest(said)
    drawn = [draw_votes(signals, seed).argmax(axis=1) for seed in range(400)]
    mean = np.mean([(one == truth).mean() for one in drawn])
    assert expect_accuracy(signals, truth) == pytest.approx(mean, abs=0.015)


@pytest.mark.data
def test_published_figures(data):
    stored = np.load(data / "trec" / "weak_signals.npz")
    trec, classes = WeakSignals.from_one_vs_rest(stored["signals"]), stored["labels"]
    found = program_labels(trec).argmax(axis=1)
    assert (found == classes).mean() == pytest.approx(0.897, abs=0.002)
    drawn = [(draw_votes(trec, s).argmax(axis=1) == classes).mean() for s in range(10)]
    assert np.mean(drawn) == pytest.approx(0.27362, abs=0.006)
    votes = np.load(data / "sst-2" / "weak_signals.npy")
    truth = np.load(data / "sst-2" / "data_labels.npy").ravel()
    found = program_labels(WeakSignals.from_votes(votes)).argmax(axis=1)
    assert (found == truth).mean() == pytest.approx(0.666, abs=0.002)
