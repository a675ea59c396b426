"""Shares by slice: they cover, and borrow from each other."""

import numpy as np
import pytest
from scipy.stats import beta
from tests.panels.made_panels import find_evidence, hide, make_votes

from corral.panels.slices import find_slices


def make_slices(seed, off=0.25, n=1200):
    """Rows of three slices; in the last, judges pass what people fail."""
    votes, truth = make_votes(n, own=(0.1, 0.1), shared=0, seed=seed)
    codes = np.arange(n) % 3
    lenient = (codes == 2) & (np.random.default_rng([seed, 5]).random(n) < off)
    votes[lenient] = 1
    return votes, truth, codes


def test_slices_cover():
    held = []
    for seed in range(60):
        votes, truth, codes = make_slices(seed)
        evidence = find_evidence(votes, hide(truth, 120, seed))
        for i, each in enumerate(find_slices(evidence, "by", codes, np.arange(3))):
            true = truth[codes == i].mean()
            held.append(each.low[1] <= true <= each.high[1])
    assert 0.82 <= np.mean(held) <= 0.97  # 180 intervals


@pytest.mark.parametrize(("slices", "size", "wrong"), [(20, 100, 1.0), (10, 100, 0.5)])
def test_a_slice_where_judges_fail_is_told_by_its_own_labels(slices, size, wrong):
    """Judges are 85% right; in one slice, nearly all of it no, they all say yes."""
    held, alike = [], []
    for world in range(6):
        rng = np.random.default_rng(world)
        codes = rng.integers(slices, size=2000)
        truth = (rng.random(2000) < np.where(codes == 0, 0.05, 0.4)).astype(int)
        votes = np.where(
            rng.random((2000, 4)) < 0.85, truth[:, None], 1 - truth[:, None]
        )
        votes[(codes == 0) & (rng.random(2000) < wrong)] = 1
        for seed in range(10):
            evidence = find_evidence(votes, hide(truth, size, 10 * world + seed))
            bad, *others = find_slices(evidence, "by", codes, np.arange(slices))
            held.append(bad.low[1] <= truth[codes == 0].mean() <= bad.high[1])
            alike += [each.high[1] - each.low[1] for each in others]
    assert np.mean(held) >= 0.8  # of 60; 0 to 0.2 when all slices were held alike
    assert np.mean(alike) < 0.35  # 5 or 10 labels alone: 0.6 or 0.45


def test_slices_with_few_labels_are_held_near_all_rows():
    votes, truth = make_votes(1000, seed=2)
    known = hide(truth, 100)
    labelled = np.flatnonzero(known >= 0)
    codes = np.ones(1000, int)
    codes[np.r_[labelled[:3], np.flatnonzero(known < 0)[:200]]] = 0
    few, many = find_slices(
        find_evidence(votes, known), "by", codes, np.array(["a", "b"])
    )
    assert (few.n_rows, few.n_labelled, many.n_labelled) == (203, 3, 97)
    yes = truth[labelled[:3]].sum()
    alone = np.ptp(beta(yes + 0.5, 3.5 - yes).ppf([0.05, 0.95]))
    assert few.high[1] - few.low[1] < 0.75 * alone
    assert many.high[1] - many.low[1] < few.high[1] - few.low[1]
    np.testing.assert_allclose(few.share.sum(), 1)


def test_a_slice_without_labels_has_an_interval():
    votes, truth = make_votes(1000, seed=3)
    known = hide(truth, 100)
    codes = np.zeros(1000, int)
    codes[np.flatnonzero(known < 0)[:300]] = 1
    seen, unseen = find_slices(
        find_evidence(votes, known), "by", codes, np.array(list("ab"))
    )
    assert unseen.n_labelled == 0
    assert unseen.low[1] < unseen.share[1] < unseen.high[1]
    assert unseen.high[1] - unseen.low[1] > seen.high[1] - seen.low[1]


def test_rows_of_no_slice_are_left_out():
    votes, truth = make_votes(300)
    codes = np.where(np.arange(300) < 100, -1, 0)
    (found,) = find_slices(
        find_evidence(votes, hide(truth, 50)), "by", codes, np.array([1])
    )
    assert found.n_rows == 200
    assert found.vote[1] == pytest.approx(np.mean(votes[100:].sum(axis=1) >= 2))


def test_a_slice_with_all_labels_is_known():
    votes, truth = make_votes(400, seed=4)
    known = hide(truth, 60)
    rows = np.flatnonzero(known >= 0)[:25]
    codes = np.ones(400, int)
    codes[rows] = 0
    found, _ = find_slices(
        find_evidence(votes, known), "by", codes, np.array(["a", "b"])
    )
    for end in (found.share, found.low, found.high):
        assert end[1] == pytest.approx(truth[rows].mean(), abs=1e-3)
