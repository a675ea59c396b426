"""Agreement with people: counted where all is known, in intervals that cover elsewhere."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score, precision_score
from tests.panels.made_panels import find_judge, fit_panel, hide, holds, make_votes

import corral
from corral.decisions import winner_shares
from corral.panels.agreement import find_agreement
from corral.panels.judges import choose_labels, find_hits


@pytest.mark.parametrize("ordered", [False, True])
def test_with_every_label_measures_are_those_of_scikit_learn(ordered):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 400)
    votes = np.clip(truth[:, None] + rng.integers(-1, 2, (400, 2)), 0, 3)
    judge = find_judge(fit_panel(votes, truth), 1, ordered=ordered)
    weights = "quadratic" if ordered else None
    want = cohen_kappa_score(truth, votes[:, 1], weights=weights)
    assert judge.kappa.three == pytest.approx((want, want, want), abs=1e-6)
    precision = precision_score(truth, votes[:, 1], average=None)
    np.testing.assert_allclose(judge.precision.value, precision)
    if ordered:
        want = spearmanr(truth, votes[:, 1]).statistic
        assert judge.rank_correlation.value == pytest.approx(want)
    else:
        assert judge.rank_correlation is None


def test_intervals_of_judges_and_of_the_labels_cover():
    judges, labels, shares, rates = [], [], [], []
    for world in range(6):
        votes, truth = make_votes(1500, own=(0.1, 0.15, 0.2), seed=world)
        want = [cohen_kappa_score(truth, votes[:, i]) for i in range(3)]
        right = (votes == truth[:, None]).mean(axis=0)
        says = [(votes[truth == c, 1] == c).mean() for c in (0, 1)]
        for seed in range(10):
            estimator = fit_panel(votes, hide(truth, 120, 10 * world + seed))
            found = [find_judge(estimator, i) for i in range(3)]
            judges += [holds(a.kappa, k) for a, k in zip(found, want, strict=True)]
            shares += [holds(a.accuracy, r) for a, r in zip(found, right, strict=True)]
            rates += holds(found[1].recall, says).tolist()
            hits = find_hits(estimator, np.random.default_rng(0))
            made, _ = choose_labels(estimator, hits, ("a", "b", "c"))
            labelled = find_agreement(estimator, "labels", winner_shares(made))
            said = made[estimator.panel.inverse].argmax(axis=1)
            labels.append(holds(labelled.accuracy, (said == truth).mean()))
    assert 0.82 <= np.mean(judges) <= 0.97  # 180 intervals of 90%
    assert 0.83 <= np.mean(shares) <= 0.97
    assert 0.83 <= np.mean(rates) <= 0.99
    assert 0.8 <= np.mean(labels) <= 0.99  # 60 of them


def test_grades_have_a_mean():
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, 500)
    votes = np.clip(truth[:, None] + rng.integers(-1, 2, (500, 3)), 1, 5)
    gold = np.where(np.arange(500) % 5 == 0, truth, -1)
    found = corral.panel(votes, gold=gold, ordered=True)
    _, low, high = found.grade.three
    assert low < truth.mean() < high < low + 0.5
    assert found.judges[0].rank_correlation.low > 0.5
    assert corral.panel(votes, gold=gold).grade is None
