"""Panel, vote and best judge on the same rows; labels that give way."""

from dataclasses import replace

import numpy as np
import pytest
from tests.panels.made_panels import find_evidence, hide, make_votes

from corral.decisions import winner_shares
from corral.panels.comparison import WORSE, choose_labels, compare, find_hits


def accuracy(labels, evidence):
    at, truth = evidence.at, evidence.sample.truth
    return winner_shares(labels)[at, truth].mean()


def test_bonett_and_price_by_hand():
    """100 rows, 12 won, 4 lost: (13 - 5) / 102, and its standard error."""
    votes, truth = make_votes(100_000, own=(0.2,))
    evidence = find_evidence(votes, hide(truth, 100))
    hits, others = np.ones(100), np.ones(100)
    others[:12], hits[12:16] = 0, 0
    gain = compare(evidence, hits, others)
    a, b = 13 / 102, 5 / 102
    reach = 1.6449 * np.sqrt((a + b - (a - b) ** 2) / 102 * 0.999)
    assert gain.value == pytest.approx(0.08)
    assert gain.low == pytest.approx(a - b - reach, abs=1e-4)
    assert gain.high == pytest.approx(a - b + reach, abs=1e-4)
    same = compare(evidence, hits, hits)
    assert same.low < 0 < same.high


def test_choosing_the_best_judge_does_not_flatter_it():
    """Ten judges that guess: the best of fifty rows seems far better than it is."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 2000)
    votes = rng.integers(0, 2, (2000, 10))
    naive, found = [], []
    for seed in range(30):
        evidence = find_evidence(votes, hide(truth, 50, seed))
        hits = find_hits(evidence, np.random.default_rng(seed))
        naive.append(hits.judges.mean(axis=0).max())
        found.append(hits.best.mean())
    assert np.mean(naive) > 0.58
    assert abs(np.mean(found) - 0.5) < 0.025


@pytest.mark.parametrize("seed", range(4))
def test_labels_give_way_as_far_as_needed(seed):
    """A model that is wrong on purpose: labels are as good as the vote by the sample."""
    votes, truth = make_votes(500, own=(0.1, 0.2, 0.3), seed=seed)
    evidence = find_evidence(votes, hide(truth, 80, seed))
    turned = replace(
        evidence, labels=evidence.labels[:, ::-1], left_out=evidence.left_out[:, ::-1]
    )
    hits = find_hits(turned, np.random.default_rng(0))
    labels, by = choose_labels(turned, hits, ("a", "b", "c"))
    assert by in ("vote", "a", "b", "c")
    best = max(hits.vote.mean(), hits.best.mean())
    assert accuracy(labels, turned) >= best - WORSE - 0.02
    np.testing.assert_allclose(labels.sum(axis=1), 1)


def test_good_labels_stay_as_they_are():
    votes, truth = make_votes(500, own=(0.1, 0.2, 0.3, 0.3, 0.4))
    evidence = find_evidence(votes, hide(truth, 100))
    hits = find_hits(evidence, np.random.default_rng(0))
    hits = replace(hits, panel=np.ones(100))
    labels, by = choose_labels(evidence, hits, tuple("abcde"))
    assert by == "panel"
    assert labels is evidence.labels
