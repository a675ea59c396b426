"""The table against hand calculations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral import reliability
from corral.errors import ParameterError

SEEDS = st.integers(0, 10_000)


def honest(seed, n=300, k=3):
    """Labels (n, k), and classes drawn from them."""
    rng = np.random.default_rng(seed)
    labels = rng.dirichlet(np.ones(k), n)
    return labels, (labels.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)


def test_by_hand():
    labels = [[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.4, 0.6]]
    table = reliability(labels, [0, 0, 1, 1])
    np.testing.assert_allclose(table.counts, [1, 3])
    np.testing.assert_allclose(table.confidence, [0.6, 0.9])
    np.testing.assert_allclose(table.accuracy, [1, 2 / 3])
    np.testing.assert_allclose(table.ranges, [[0.6, 0.6], [0.9, 0.9]])
    assert table.calibration_error == pytest.approx((1 * 0.4 + 3 * (0.9 - 2 / 3)) / 4)
    # Wilson's interval of 2 in 3, with z = 1.644854
    z2 = 1.644854**2
    half = np.sqrt(z2 * 2 / 9 / 3 + z2**2 / 36)
    ends = (2 / 3 + z2 / 6 + np.array([-half, half])) / (1 + z2 / 3)
    np.testing.assert_allclose(table.intervals[1], ends, rtol=1e-6)
    logs = np.log([0.9, 0.9, 0.1, 0.6])
    assert table.log_loss == pytest.approx(-logs.mean())
    assert table.brier == pytest.approx(2 * (0.01 + 0.01 + 0.81 + 0.16) / 4)


def test_ties_are_the_answer_in_equal_parts():
    table = reliability([[0.4, 0.4, 0.2]] * 4, [0, 1, 2, 0])
    assert table.accuracy.tolist() == [3 / 8]


@given(SEEDS, st.integers(1, 20))
def test_bins_hold_equally_many_and_equal_confidences_stay_together(seed, bins):
    labels, y = honest(seed)
    table = reliability(labels, y, bins=bins)
    assert len(table.counts) == bins
    assert np.ptp(table.counts) <= 2
    coarse = np.round(labels[:, :1] * 4) / 4
    table = reliability(np.hstack([coarse, 1 - coarse]), y > 0, bins=bins)
    assert (table.ranges[1:, 0] > table.ranges[:-1, 1]).all()
    assert table.counts.sum() == len(y)


def test_confidences_that_differ_by_rounding_stay_together():
    """The machine used to decide which of them were in which bin."""
    p = np.repeat([0.6, 0.7, 0.8], [5, 10, 5])
    noisy = p + np.linspace(-2e-16, 2e-16, 20)
    y = np.arange(20) % 2
    exact = reliability(np.column_stack([p, 1 - p]), y, bins=2)
    found = reliability(np.column_stack([noisy, 1 - noisy]), y, bins=2)
    assert found.counts.tolist() == exact.counts.tolist() == [5, 15]


@given(SEEDS)
def test_weights_are_repeats_and_order_does_not_matter(seed):
    labels, y = honest(seed, 60)
    rng = np.random.default_rng(seed)
    times = rng.integers(0, 4, 60)
    rows = rng.permutation(np.repeat(np.arange(60), times))
    a = reliability(labels, y, sample_weight=times, bins=4)
    b = reliability(labels[rows], y[rows], bins=4)
    for name in ("ranges", "counts", "confidence", "accuracy", "intervals"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name))
    for name in ("calibration_error", "noise", "log_loss", "brier"):
        assert getattr(a, name) == pytest.approx(getattr(b, name))


def test_the_noise_is_the_error_of_honest_labels():
    tables = [reliability(*honest(seed)) for seed in range(200)]
    seen = np.mean([t.calibration_error for t in tables])
    assert seen == pytest.approx(np.mean([t.noise for t in tables]), rel=0.05)


@pytest.mark.parametrize("bins", [0, "quantile"])
def test_bad_bins(bins):
    with pytest.raises(ParameterError, match="bins"):
        reliability([[0.5, 0.5], [0.2, 0.8]], [0, 1], bins=bins)
