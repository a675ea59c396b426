"""Accuracy and confusion of judges."""

import numpy as np
import pytest
from tests.panels.made_panels import find_evidence, hide, make_votes

from corral.panels.judges import find_accuracies, find_judges


def test_with_every_label_they_are_counts():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 300)
    votes = np.where(
        rng.random((300, 2)) < 0.7, truth[:, None], rng.integers(0, 3, (300, 2))
    )
    votes[:30, 1] = -1
    judge = find_judges(find_evidence(votes, truth), ("a", "b"))[1]
    said, true = votes[30:, 1], truth[30:]
    assert judge.coverage == pytest.approx(0.9)
    assert judge.accuracy == pytest.approx((said == true).mean())
    for c in range(3):
        for v in range(3):
            want = (said[true == c] == v).mean()
            assert judge.confusion[c, v] == pytest.approx(want, abs=1e-9)
        assert judge.specificity[c] == pytest.approx((said[true != c] != c).mean())
    np.testing.assert_allclose(judge.sensitivity, np.diag(judge.confusion))
    np.testing.assert_allclose(judge.confusion_low, judge.confusion)


def test_intervals_cover():
    votes, truth = make_votes(1000, own=(0.05, 0.2, 0.3), shared=0.1)
    right = (votes == truth[:, None]).mean(axis=0)
    says = [(votes[truth == c, 1] == c).mean() for c in (0, 1)]
    held, rates = [], []
    for seed in range(60):
        evidence = find_evidence(votes, hide(truth, 100, seed))
        found = find_accuracies(evidence)
        held += ((found.low <= right) & (right <= found.high)).tolist()
        judge = find_judges(evidence, ("a", "b", "c"))[1]
        low, high = np.diag(judge.confusion_low), np.diag(judge.confusion_high)
        rates += ((low <= says) & (says <= high)).tolist()
    assert 0.83 <= np.mean(held) <= 0.97
    assert 0.83 <= np.mean(rates) <= 0.99


def test_a_judge_who_was_never_wrong_is_not_known_to_be_perfect():
    """Of some samples no row shows the errors that good judges share."""
    votes, truth = make_votes(1500, own=(0.02,) * 3, shared=0.03, share=0.4, seed=2)
    right = (votes == truth[:, None]).mean(axis=0)
    held, least = [], []
    for seed in range(60):
        found = find_accuracies(find_evidence(votes, hide(truth, 60, seed)))
        held += ((found.low <= right) & (right <= found.high)).tolist()
        least.append(found.low.min())
    assert np.mean(held) > 0.85
    assert min(least) > 0.75


def test_a_judge_without_votes_has_no_accuracy():
    votes, truth = make_votes(300)
    votes[:, 2] = -1
    judge = find_judges(find_evidence(votes, hide(truth, 60)), ("a", "b", "c"))[2]
    assert np.isnan(judge.accuracy)
    assert judge.accuracy_interval == (0, 1)
    assert judge.hits == 0
