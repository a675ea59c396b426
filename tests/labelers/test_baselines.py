"""Majority vote and averaging: worked examples and public sets."""

import numpy as np
import pytest

from corral import Averaging, MajorityVote, WeakSignals, metrics


def test_example_b1():
    votes = [[1, 1, 0], [1, 0, -1], [-1, -1, -1]]
    labeler = MajorityVote().fit(votes)
    np.testing.assert_allclose(labeler.labels_, [[0, 1], [0.5, 0.5], [0.5, 0.5]])
    soft = WeakSignals.from_probabilities(
        np.array([[np.nan], [0], [0.4], [0.5], [0.51], [1]])
    )
    assert soft.harden().votes.ravel().tolist() == [-1, 0, 0, -1, 1, 1]


def test_one_vs_rest_votes_against_a_class_count():
    w = np.full((3, 2, 3), np.nan)
    w[:, 0, 0] = [1, 0, 0]
    w[0, 0, 1] = 1
    w[:, 1, 2] = [0, 0, 1]
    labels = MajorityVote().fit(WeakSignals.from_one_vs_rest(w)).labels_
    assert labels[0].tolist() == [0, 1, 0]
    assert labels[1].tolist() == [0.5, 0.5, 0]


def accuracy(labeler, signals, truth):
    """Of the answers, by the policies for ties and examples without votes."""
    return metrics.accuracy(truth, labeler.fit(signals).predict(signals))


@pytest.mark.data
def test_trec(data):
    stored = np.load(data / "trec" / "weak_signals.npz")
    truth = stored["labels"]
    truth = truth.argmax(axis=1) if truth.ndim == 2 else truth
    signals = WeakSignals.from_one_vs_rest(stored["signals"])

    def mean(seeds, **options):
        return np.mean(
            [
                accuracy(MajorityVote(random_state=s, **options), signals, truth)
                for s in range(seeds)
            ]
        )

    assert mean(10, ties="random") == pytest.approx(0.8926, abs=0.003)
    assert mean(1) == pytest.approx(0.8842, abs=1e-4)
    assert accuracy(Averaging(), signals, truth) == pytest.approx(0.8815, abs=1e-4)


@pytest.mark.data
def test_sst2(data):
    votes = np.load(data / "sst-2" / "weak_signals.npy")
    truth = np.load(data / "sst-2" / "data_labels.npy").ravel()
    score = accuracy(MajorityVote(), votes, truth)
    assert score == pytest.approx(0.6688, abs=1e-4)


@pytest.mark.data
def test_imdb_by_policy(data):
    """16% of the rows are tied, so the policy for ties is worth seven points."""
    stored = np.load(data / "imdb" / "weak_signals.npz")
    votes, truth = stored["signals"], stored["labels"]

    def score(**options):
        return accuracy(MajorityVote(random_state=0, **options), votes, truth)

    assert score(ties="first") == pytest.approx(0.7361, abs=1e-4)
    assert score(ties="random") == pytest.approx(0.7008, abs=0.003)


def test_averaging_leaves_out_abstains():
    p = np.array([[[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]], [[1, 0, 0], [np.nan] * 3]])
    labels = Averaging().fit(WeakSignals.from_probabilities(p)).labels_
    np.testing.assert_allclose(labels, [[0.4, 0.25, 0.35], [1, 0, 0]])


def test_ties_of_no_covered_example():
    """Soft signals that find both classes as likely say nothing."""
    signals = WeakSignals.from_probabilities([[0.5], [0.5]])
    assert np.isnan(MajorityVote().fit(signals).tie_share_)
