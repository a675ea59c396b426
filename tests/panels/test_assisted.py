"""Means with intervals: they cover, whatever judges have in common."""

from dataclasses import replace

import numpy as np
import pytest
from tests.panels.made_panels import find_evidence, hide, make_votes

from corral.panels.assisted import bound
from corral.panels.shares import find_shares


@pytest.mark.parametrize(
    ("own", "shared", "share"),
    [
        ((0.1, 0.15, 0.2), 0.15, 0.3),  # judges fail together
        ((0.02, 0.03), 0.0, 0.05),  # a rare class, good judges
        ((0.5, 0.5, 0.5), 0.0, 0.3),  # judges say nothing
    ],
)
def test_intervals_cover_and_estimates_are_right_on_average(own, shared, share):
    votes, truth = make_votes(800, own=own, shared=shared, share=share)
    true = truth.mean()
    held, errors = [], []
    for seed in range(150):
        found = find_shares(find_evidence(votes, hide(truth, 60, seed)))
        held.append(found.low[1] <= true <= found.high[1])
        errors.append(found.value[1] - true)
    # 150 draws of 90%: 84% to 96% is three standard errors and a bit.
    assert 0.82 <= np.mean(held) <= 0.985
    assert abs(np.mean(errors)) < 3.5 * np.std(errors) / np.sqrt(150) + 0.002


def test_few_errors_of_a_good_panel_leave_room_for_more():
    held = []
    for world in range(20):
        votes, truth = make_votes(2000, own=(0.1,) * 6, shared=0, seed=world)
        for seed in range(10):
            found = find_shares(
                find_evidence(votes, hide(truth, 200, 10 * world + seed))
            )
            held.append(found.low[1] <= truth.mean() <= found.high[1])
    assert np.mean(held) >= 0.87  # of 200


def test_few_rows_of_large_weight_do_not_close_the_interval():
    """Contested rows are drawn at 30%, others at 1%; judges fail together on 5%."""
    held = []
    for world in range(10):
        votes, truth = make_votes(2000, own=(0.05,) * 3, shared=0.05, seed=world)
        drawn = np.where(np.ptp(votes, axis=1) > 0, 0.3, 0.01)
        for seed in range(10):
            chosen = np.random.default_rng([world, seed]).random(2000) < drawn
            known = np.where(chosen, truth, -1)
            found = find_shares(find_evidence(votes, known, sampling=drawn))
            held.append(found.low[1] <= truth.mean() <= found.high[1])
    assert np.mean(held) >= 0.87  # of 100


def test_a_lenient_panel_does_not_bias_the_share():
    """All judges pass what people fail: no votes tell, a hundred labels do."""
    rng = np.random.default_rng(0)
    truth = (rng.random(3000) < 0.4).astype(int)
    lenient = rng.random((3000, 1)) < 0.5
    votes = np.where(lenient | (truth[:, None] == 1), 1, 0).repeat(4, axis=1)
    found = find_shares(find_evidence(votes, hide(truth, 100)))
    assert votes.mean() > 0.65
    assert found.low[1] <= truth.mean() <= found.high[1]
    assert found.high[1] < 0.55


def test_with_every_label_nothing_is_open():
    votes, truth = make_votes(200)
    found = find_shares(find_evidence(votes, truth))
    for end in (found.value, found.low, found.high):
        np.testing.assert_allclose(end, [1 - truth.mean(), truth.mean()], atol=1e-9)


@pytest.mark.parametrize("level", [1e-300, 1 - 1e-16])
def test_levels_that_are_rounded_to_nothing_or_all(level):
    votes, truth = make_votes(200)
    evidence = replace(find_evidence(votes, hide(truth, 40)), level=level)
    found = find_shares(evidence)
    assert np.isfinite(evidence.widening)
    assert ((found.low >= 0) & (found.high <= 1) & (found.low <= found.high)).all()


def test_samples_with_other_probabilities_are_weighed():
    votes, truth = make_votes(3000, shared=0.15)
    drawn = np.where(votes[:, 0] == 1, 0.08, 0.02)
    errors, plain = [], []
    for seed in range(60):
        chosen = np.random.default_rng(seed).random(3000) < drawn
        known = np.where(chosen, truth, -1)
        found = find_shares(find_evidence(votes, known, sampling=drawn))
        errors.append(found.value[1] - truth.mean())
        plain.append(truth[chosen].mean() - truth.mean())
    assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(60) + 0.003
    assert abs(np.mean(plain)) > 0.02  # so it mattered


def test_a_known_balance_is_kept_and_helps():
    votes, truth = make_votes(800)
    known = hide(truth, 60)
    balance = [1 - truth.mean(), truth.mean()]
    evidence = find_evidence(votes, known, balance=balance)
    found = find_shares(evidence)
    assert found.value.tolist() == found.low.tolist() == balance
    mean = evidence.panel.mean(evidence.labels)
    np.testing.assert_allclose(mean, balance, atol=1e-6)


def test_bounds_are_those_of_jeffreys():
    """5 of 50 plain labels: Jeffreys' 90% interval is 0.0453 to 0.1867 (by tables)."""
    value = np.array([0.1])
    found = bound(value, value * (1 - value) / 50, 0.9)
    from scipy.stats import beta

    assert found.low[0] == pytest.approx(beta(5.5, 45.5).ppf(0.05))
    assert found.high[0] == pytest.approx(beta(5.5, 45.5).ppf(0.95))
    sure = bound(np.array([0.2]), np.array([0.0]), 0.9)
    assert (sure.low[0], sure.high[0]) == (0.2, 0.2)
    none = bound(np.array([-0.01]), np.array([0.001]), 0.9)
    assert none.value[0] == none.low[0] == 0 < none.high[0]
    # None of 50, with half a label for the variance.
    near = 0.5 / 51
    none = bound(np.array([0.0]), np.array([near * (1 - near) / 50]), 0.9)
    assert none.high[0] == pytest.approx(beta(0.5, 50.5).ppf(0.95), rel=1e-3)
