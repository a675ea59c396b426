"""Labels that give way; whom to drop, whom to add."""

from dataclasses import replace

import numpy as np
import pytest
from tests.panels.made_panels import fit_panel, hide, make_votes

from corral import WeakSignals
from corral.decisions import winner_shares
from corral.panels import judges
from corral.panels.judges import (
    MAX_ACCURACY_LOSS,
    ablate_judges,
    choose_labels,
    find_gain,
    find_hits,
)


def test_bonett_and_price_by_hand():
    """100 rows, 12 won, 4 lost: (13 - 5) / 102, and its standard error."""
    votes, truth = make_votes(100_000, own=(0.2,))
    estimator = fit_panel(votes, hide(truth, 100))
    hits, others = np.ones(100), np.ones(100)
    others[:12], hits[12:16] = 0, 0
    gain = find_gain(estimator, hits, others)
    a, b = 13 / 102, 5 / 102
    reach = 1.6449 * np.sqrt((a + b - (a - b) ** 2) / 102 * 0.999)
    assert gain.value == pytest.approx(0.08)
    assert gain.low == pytest.approx(a - b - reach, abs=1e-4)
    assert gain.high == pytest.approx(a - b + reach, abs=1e-4)
    same = find_gain(estimator, hits, hits)
    assert same.low < 0 < same.high


def test_choosing_the_best_judge_does_not_flatter_it():
    """Ten judges that guess: the best of fifty rows seems far better than it is."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 2000)
    votes = rng.integers(0, 2, (2000, 10))
    naive, found = [], []
    for seed in range(30):
        estimator = fit_panel(votes, hide(truth, 50, seed))
        hits = find_hits(estimator, np.random.default_rng(seed))
        naive.append(hits.judges.mean(axis=0).max())
        found.append(hits.best.mean())
    assert np.mean(naive) > 0.58
    assert abs(np.mean(found) - 0.5) < 0.025


@pytest.mark.parametrize("seed", range(4))
def test_labels_give_way_as_far_as_needed(seed):
    """A model that is wrong on purpose: labels are as good as the vote by the sample."""
    votes, truth = make_votes(500, own=(0.1, 0.2, 0.3), seed=seed)
    good = fit_panel(votes, hide(truth, 80, seed))
    wrong = replace(good, labels=good.labels[:, ::-1])
    hits = find_hits(wrong, np.random.default_rng(0))
    labels, by = choose_labels(wrong, hits, ("a", "b", "c"))
    assert by in ("vote", "a", "b", "c")
    accuracy = winner_shares(labels)[wrong.at, wrong.sample.truth].mean()
    best = max(hits.vote.mean(), hits.best.mean())
    assert accuracy >= best - MAX_ACCURACY_LOSS - 0.02
    np.testing.assert_allclose(labels.sum(axis=1), 1)
    kept, by = choose_labels(good, replace(hits, panel=np.ones(80)), ("a", "b", "c"))
    assert by == "panel"
    assert kept is good.labels


def test_a_copy_is_needless_and_a_good_judge_is_not(monkeypatch):
    votes, truth = make_votes(2000, own=(0.05, 0.3, 0.3), shared=0)
    votes = np.column_stack([votes, votes[:, 1]])
    estimator = fit_panel(votes, hide(truth, 150))
    signals = WeakSignals.from_votes(votes)
    good, _, _, copy = ablate_judges(estimator, signals)
    assert good.loss > 0.1
    assert not good.is_needless
    assert abs(copy.loss) < 0.02
    assert copy.low < copy.loss < copy.high
    monkeypatch.setattr(judges, "MAX_ABLATED_JUDGES", 2)
    assert ablate_judges(estimator, signals) == ()
