"""Accuracy and confusion of judges; who errs with whom."""

import numpy as np
import pytest
from tests.panels.made_panels import find_judge, fit_panel, hide, holds, make_votes

from corral.panels.judges import find_dependence


def test_with_every_label_judges_are_counted():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 300)
    votes = np.where(
        rng.random((300, 2)) < 0.7, truth[:, None], rng.integers(0, 3, (300, 2))
    )
    votes[:30, 1] = -1
    judge = find_judge(fit_panel(votes, truth), 1)
    said, true = votes[30:, 1], truth[30:]
    assert judge.coverage == pytest.approx(0.9)
    assert judge.accuracy.value == pytest.approx((said == true).mean())
    for c in range(3):
        for v in range(3):
            want = (said[true == c] == v).mean()
            assert judge.confusion.value[c, v] == pytest.approx(want, abs=1e-9)
    np.testing.assert_allclose(judge.recall.value, np.diag(judge.confusion.value))
    np.testing.assert_allclose(judge.confusion.low, judge.confusion.value)


def test_a_judge_who_was_never_wrong_is_not_known_to_be_perfect():
    """Of some samples no row shows the errors that good judges share."""
    votes, truth = make_votes(1500, own=(0.02,) * 3, shared=0.03, share=0.4, seed=2)
    right = (votes == truth[:, None]).mean(axis=0)
    found = [
        find_judge(fit_panel(votes, hide(truth, 60, seed)), i).accuracy
        for seed in range(60)
        for i in range(3)
    ]
    held = [holds(each, right[i % 3]) for i, each in enumerate(found)]
    assert np.mean(held) > 0.85
    assert min(each.low for each in found) > 0.75


def test_a_judge_without_votes_has_no_accuracy():
    votes, truth = make_votes(300)
    votes[:, 2] = -1
    judge = find_judge(fit_panel(votes, hide(truth, 60)), 2)
    assert np.isnan(judge.accuracy.value)
    assert judge.accuracy.three[1:] == (0, 1)
    assert judge.hits == 0


def depend(votes, known):
    return find_dependence(fit_panel(votes, known), np.random.default_rng(0))


def test_correlations_are_those_of_errors():
    votes, truth = make_votes(3000, own=(0.1, 0.2, 0.2), shared=0.1)
    found = depend(votes, truth)
    want = np.corrcoef((votes != truth[:, None]).T)
    np.testing.assert_allclose(found.correlation, want, atol=0.02)
    mean = want[~np.eye(3, dtype=bool)].mean()
    assert found.effective == pytest.approx(3 / (1 + 2 * mean), abs=0.05)


def test_a_hundred_labels_tell_about_as_much():
    votes, truth = make_votes(3000, own=(0.1,) * 5, shared=0.1)
    want = depend(votes, truth).effective
    found = depend(votes, hide(truth, 100))
    assert found.effective_interval[0] - 0.3 < want < found.effective_interval[1] + 0.3
    assert found.effective < 3.5


def test_copies_count_once():
    votes, truth = make_votes(2000, own=(0.2, 0.2), shared=0)
    copies = votes[:, :1].repeat(3, axis=1)
    found = depend(copies, hide(truth, 150))
    assert found.effective == pytest.approx(1, abs=0.01)
    found = depend(np.column_stack([copies, votes[:, 1]]), hide(truth, 150))
    assert found.find_nearest(0) in (1, 2)


def test_one_judge_counts_as_one():
    votes, truth = make_votes(200, own=(0.2,))
    found = depend(votes, hide(truth, 50))
    assert found.effective == 1
    assert found.find_nearest(0) is None


def test_labels_without_any_error_leave_it_open():
    votes, truth = make_votes(500, own=(0.03,) * 5, shared=0)
    known = np.full(500, -1)
    rows = np.flatnonzero((votes == truth[:, None]).all(axis=1))[::10]
    known[rows] = truth[rows]
    found = depend(votes, known)
    assert found.effective > 4.5
    assert found.effective_interval[0] < 2.5
