"""Means with intervals: they cover, whatever judges have in common."""

import numpy as np
import pytest
from scipy.stats import beta
from tests.panels.made_panels import fit_panel, hide, holds, make_votes

from corral.panels.difference_estimator import find_slices, jeffreys_interval


@pytest.mark.parametrize(
    ("n", "own", "shared", "share", "labels", "worlds", "draws"),
    [
        (800, (0.1, 0.15, 0.2), 0.15, 0.3, 60, 1, 150),  # judges fail together
        (800, (0.02, 0.03), 0.0, 0.05, 60, 1, 150),  # a rare class, good judges
        (800, (0.5, 0.5, 0.5), 0.0, 0.3, 60, 1, 150),  # judges say nothing
        (2000, (0.1,) * 6, 0.0, 0.3, 200, 20, 10),  # few errors leave room for more
        # Contested rows are sampled at 30%, others at 1%: few rows of large weight.
        (2000, (0.05,) * 3, 0.05, 0.3, (0.01, 0.3), 10, 10),
    ],
)
def test_intervals_cover_and_estimates_are_right_on_average(
    n, own, shared, share, labels, worlds, draws
):
    held, errors = [], []
    for world in range(worlds):
        votes, truth = make_votes(n, own, shared, share, seed=world)
        for seed in range(draws):
            if isinstance(labels, int):
                known, drawn = hide(truth, labels, draws * world + seed), None
            else:
                drawn = np.where(np.ptp(votes, axis=1) > 0, labels[1], labels[0])
                chosen = np.random.default_rng([world, seed]).random(n) < drawn
                known = np.where(chosen, truth, -1)
            found = fit_panel(votes, known, sampling=drawn).shares()
            held.append(holds(found, [1 - truth.mean(), truth.mean()])[1])
            errors.append(found.value[1] - truth.mean())
    # 150 draws of 90%: 84% to 96% is three standard errors and a bit.
    assert (0.82 if worlds == 1 else 0.87) <= np.mean(held) <= 0.985
    assert abs(np.mean(errors)) < 3.5 * np.std(errors) / np.sqrt(len(held)) + 0.002


def test_a_lenient_panel_does_not_bias_the_share():
    """All judges pass what people fail: no votes tell, a hundred labels do."""
    rng = np.random.default_rng(0)
    truth = (rng.random(3000) < 0.4).astype(int)
    lenient = rng.random((3000, 1)) < 0.5
    votes = np.where(lenient | (truth[:, None] == 1), 1, 0).repeat(4, axis=1)
    found = fit_panel(votes, hide(truth, 100)).shares()
    assert votes.mean() > 0.65
    assert found.low[1] <= truth.mean() <= found.high[1] < 0.55


def test_with_every_label_nothing_is_open():
    votes, truth = make_votes(200)
    found = fit_panel(votes, truth).shares()
    for end in (found.value, found.low, found.high):
        np.testing.assert_allclose(end, [1 - truth.mean(), truth.mean()], atol=1e-9)


def test_intervals_are_those_of_jeffreys():
    value = np.array([0.1])
    found = jeffreys_interval(value, value * (1 - value) / 50, 0.9)
    assert found.low[0] == pytest.approx(beta(5.5, 45.5).ppf(0.05))
    assert found.high[0] == pytest.approx(beta(5.5, 45.5).ppf(0.95))
    sure = jeffreys_interval(np.array([0.2]), np.array([0.0]), 0.9)
    assert (sure.low[0], sure.high[0]) == (0.2, 0.2)
    below = jeffreys_interval(np.array([-0.01]), np.array([0.001]), 0.9)
    assert below.value[0] == below.low[0] == 0 < below.high[0]
    # None of 50, with half a label for the variance.
    near = 0.5 / 51
    none = jeffreys_interval(np.array([0.0]), np.array([near * (1 - near) / 50]), 0.9)
    assert none.high[0] == pytest.approx(beta(0.5, 50.5).ppf(0.95), rel=1e-3)


def test_labels_alone_are_counted():
    """A class that no label has: Jeffreys' interval of 60, widened by Student's t."""
    votes, truth = make_votes(30_000, share=0.3)
    votes[0], truth[0] = 2, 2
    known = hide(truth, 60)
    known[0] = -1
    found = fit_panel(votes, known).labels_alone()
    assert found.value[1] == pytest.approx(truth[known >= 0].mean())
    assert found.low[1] < found.value[1] < found.high[1]
    assert found.value[2] == found.low[2] == 0
    assert found.high[2] == pytest.approx(beta(0.5, 60.5).ppf(0.95), rel=0.03)


def slices_of(votes, known, codes):
    names = np.arange(codes.max() + 1)
    return find_slices(fit_panel(votes, known), "by", codes, names)


def test_slices_cover():
    """Rows of three slices; in the last, judges pass what people fail."""
    held, codes = [], np.arange(1200) % 3
    for seed in range(60):
        votes, truth = make_votes(1200, own=(0.1, 0.1), shared=0, seed=seed)
        lenient = np.random.default_rng([seed, 5]).random(1200) < 0.25
        votes[(codes == 2) & lenient] = 1
        found = slices_of(votes, hide(truth, 120, seed), codes)
        true = [truth[codes == i].mean() for i in range(3)]
        held += [s.low[1] <= t <= s.high[1] for s, t in zip(found, true, strict=True)]
    assert 0.82 <= np.mean(held) <= 0.97  # 180 intervals


@pytest.mark.parametrize(("slices", "size", "wrong"), [(20, 100, 1.0), (10, 100, 0.5)])
def test_a_slice_where_judges_fail_is_told_by_its_own_labels(slices, size, wrong):
    """Judges are 85% right; in one slice, nearly all of it no, they all say yes."""
    held, alike = [], []
    for world in range(6):
        rng = np.random.default_rng(world)
        codes = rng.integers(slices, size=2000)
        truth = (rng.random(2000) < np.where(codes == 0, 0.05, 0.4)).astype(int)
        right = rng.random((2000, 4)) < 0.85
        votes = np.where(right, truth[:, None], 1 - truth[:, None])
        votes[(codes == 0) & (rng.random(2000) < wrong)] = 1
        for seed in range(10):
            known = hide(truth, size, 10 * world + seed)
            bad, *others = slices_of(votes, known, codes)
            held.append(bad.low[1] <= truth[codes == 0].mean() <= bad.high[1])
            alike += [each.high[1] - each.low[1] for each in others]
    assert np.mean(held) >= 0.8  # of 60; 0 to 0.2 when all slices were held alike
    assert np.mean(alike) < 0.35  # 5 or 10 labels alone: 0.6 or 0.45


@pytest.mark.parametrize("labelled", [0, 3])
def test_slices_with_few_labels_are_held_near_all_rows(labelled):
    votes, truth = make_votes(1000, seed=2)
    known = hide(truth, 100)
    rows = np.flatnonzero(known >= 0)[:labelled]
    codes = np.ones(1000, int)
    codes[np.r_[rows, np.flatnonzero(known < 0)[:200]]] = 0
    few, many = slices_of(votes, known, codes)
    assert (few.n_rows, few.n_labelled) == (200 + labelled, labelled)
    yes = truth[rows].sum()
    alone = np.ptp(beta(yes + 0.5, labelled - yes + 0.5).ppf([0.05, 0.95]))
    assert many.high[1] - many.low[1] < few.high[1] - few.low[1] < 0.75 * alone
    np.testing.assert_allclose(few.share.sum(), 1)


def test_rows_of_no_slice_are_left_out():
    votes, truth = make_votes(300)
    codes = np.where(np.arange(300) < 100, -1, 0)
    (found,) = slices_of(votes, hide(truth, 50), codes)
    assert found.n_rows == 200
    assert found.vote[1] == pytest.approx(np.mean(votes[100:].sum(axis=1) >= 2))


def test_a_slice_with_all_labels_is_known():
    votes, truth = make_votes(400, seed=4)
    known = hide(truth, 60)
    rows = np.flatnonzero(known >= 0)[:25]
    codes = np.ones(400, int)
    codes[rows] = 0
    found, _ = slices_of(votes, known, codes)
    for end in (found.share, found.low, found.high):
        assert end[1] == pytest.approx(truth[rows].mean(), abs=1e-3)
