import numpy as np
import pytest
from repro.random_tasks import independent_task

from corral import WeakSignals, signal_errors
from corral.datasets import random_votes
from corral.errors import SignalsError
from corral.rates import Agreement


def test_the_papers_independent_signals():
    task = independent_task()
    signals = WeakSignals.from_votes(task.votes)
    rates = Agreement().estimate(signals)
    truth = signal_errors(signals, task.labels)
    assert np.abs(rates.error_rates - truth).mean() < 0.02
    assert (rates.standard_errors < 0.05).all()


def test_exact_agreement_gives_exact_rates():
    # Errors 0.1, 0.2, 0.3: agreement 0.74, 0.66, 0.62 (independent errors, by hand).
    patterns = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    rates = np.array([0.1, 0.2, 0.3])
    given_one = np.where(patterns == 1, 1 - rates, rates).prod(axis=1)
    given_zero = np.where(patterns == 0, 1 - rates, rates).prod(axis=1)
    counts = np.rint(500_000 * (given_one + given_zero))
    signals = WeakSignals.from_votes(patterns, counts=counts)
    found = Agreement().estimate(signals).error_rates
    np.testing.assert_allclose(found, rates, atol=1e-4)


def test_several_classes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 50_000)
    truth = np.array([0.1, 0.3, 0.5, 0.6])
    wrong = rng.random((len(y), 4)) < truth
    votes = np.where(
        wrong, (y[:, None] + rng.integers(1, 4, wrong.shape)) % 4, y[:, None]
    )
    found = Agreement().estimate(WeakSignals.from_votes(votes)).error_rates
    np.testing.assert_allclose(found, truth, atol=0.02)


def test_a_signal_that_is_mostly_wrong_is_found():
    votes, _ = random_votes(50_000, [0.8, 0.8, 0.7, 0.3], coverage=0.8)
    rates = Agreement().estimate(WeakSignals.from_votes(votes))
    assert rates.error_rates[3] == pytest.approx(0.7, abs=0.03)
    assert "worse than guessing: s3" in rates.note


def test_signals_that_meet_nobody_get_the_mean():
    votes, _ = random_votes(20_000, [0.9, 0.8, 0.7, 0.6], coverage=0.8)
    votes = votes.copy()
    votes[:10_000, 3] = -1
    votes[10_000:, :3] = -1
    rates = Agreement().estimate(WeakSignals.from_votes(votes))
    assert "mean rate, for s3" in rates.note
    assert rates.error_rates[3] == pytest.approx(rates.error_rates[:3].mean(), abs=0.01)
    assert rates.standard_errors[3] > rates.standard_errors[:3].max()


def test_components_are_signed_on_their_own():
    votes, _ = random_votes(40_000, [0.9, 0.8, 0.7] * 2, coverage=0.9)
    votes = votes.copy()
    votes[:20_000, 3:] = -1
    votes[20_000:, :3] = -1
    found = Agreement().estimate(WeakSignals.from_votes(votes)).error_rates
    np.testing.assert_allclose(found, [0.1, 0.2, 0.3] * 2, atol=0.02)


def test_one_sided_signals_are_refused():
    votes, _ = random_votes(1000, coverage=0.5)
    votes = votes.copy()
    votes[votes[:, 0] == 0, 0] = -1
    with pytest.raises(SignalsError, match=r"one class only \(s0\).*by construction"):
        Agreement().estimate(WeakSignals.from_votes(votes))


def test_too_little_overlap_is_refused():
    votes = np.array([[0, 1, -1], [1, 0, -1], [-1, 0, 1], [-1, 1, 0]])
    with pytest.raises(SignalsError, match="no three signals"):
        Agreement().estimate(WeakSignals.from_votes(votes))


@pytest.mark.parametrize("seed", [0, 6, 40])
def test_the_order_of_signals_does_not_choose_among_optima(seed):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(12, 60), rng.integers(3, 9)
    votes, order = rng.integers(-1, 2, (n, m)), rng.permutation(m)
    rates = Agreement().estimate(WeakSignals.from_votes(votes, classes=[0, 1]))
    other = Agreement().estimate(
        WeakSignals.from_votes(votes[:, order], classes=[0, 1])
    )
    np.testing.assert_allclose(rates.error_rates[order], other.error_rates, atol=1e-6)
