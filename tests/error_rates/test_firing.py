import numpy as np
import pytest

from corral import WeakSignals, signal_errors
from corral.error_rates import Firing
from corral.errors import ParameterError, SignalsError, SignalsWarning


def fired(n=30_000, seed=0):
    """Rules of both classes, independent given the class, of different precision."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    columns = []
    for c in (0, 1):
        for precision in (0.95, 0.8, 0.65, 0.55):
            p = np.where(y == c, 2 * precision * 0.3, 2 * (1 - precision) * 0.3)
            columns.append(np.where(rng.random(n) < p, c, -1))
    return np.column_stack(columns), y


def test_precision_is_found_from_fires():
    votes, y = fired()
    signals = WeakSignals.from_votes(votes)
    rates = Firing().estimate(signals)
    truth = signal_errors(signals, y)
    # Silence is not evidence in this model, which costs a little.
    assert np.corrcoef(rates.error_rates, truth)[0, 1] > 0.95
    assert np.abs(rates.error_rates - truth).mean() < 0.08
    assert (rates.model.labels(signals).argmax(axis=1) == y).mean() > 0.7


def test_one_round_by_hand():
    # With one signal the labels stay at what the vote and the prior say.
    signals = WeakSignals.from_votes([[1]] * 80, classes=[0, 1])
    with pytest.warns(SignalsWarning, match="hardly identified"):
        rates = Firing(prior_fires=1e9).estimate(signals)
    assert rates.error_rates == pytest.approx([0.3])


def test_few_conflicts_are_warned_of():
    votes = np.full((100, 2), -1)
    votes[:50, 0], votes[50:, 1] = 0, 1
    with pytest.warns(SignalsWarning, match=r"0\.0% of the examples"):
        Firing().estimate(WeakSignals.from_votes(votes))


def test_one_vs_rest_signals_have_a_rate_a_class():
    rng = np.random.default_rng(0)
    said = np.where(rng.random((3, 300, 4)) < 0.3, 1.0, -1.0)
    rates = Firing().estimate(WeakSignals.from_one_vs_rest(said))
    assert rates.error_rates.shape == (3, 4)
    assert ((rates.error_rates > 0) & (rates.error_rates < 1)).all()


def test_signals_that_say_no_are_refused():
    with pytest.raises(SignalsError, match="not this class"):
        Firing().estimate(WeakSignals.from_one_vs_rest(np.eye(3)[None]))


@pytest.mark.parametrize(
    "options",
    [{"prior_fires": 0}, {"class_balance": [1.0]}, {"class_balance": [1.0, 0.0]}],
)
def test_bad_options_are_refused(options):
    votes, _ = fired(100)
    with pytest.raises(ParameterError):
        Firing(**options).estimate(WeakSignals.from_votes(votes))


@pytest.mark.data
def test_imdb(data):
    stored = np.load(data / "imdb" / "weak_signals.npz")
    signals = WeakSignals.from_votes(stored["signals"])
    rates = Firing().estimate(signals)
    truth = signal_errors(signals, stored["labels"])
    # METHODS g.6: mean absolute error 0.049, correlation 0.97.
    assert np.abs(rates.error_rates - truth).mean() == pytest.approx(0.049, abs=0.002)
    assert np.corrcoef(rates.error_rates, truth)[0, 1] == pytest.approx(0.97, abs=0.01)
