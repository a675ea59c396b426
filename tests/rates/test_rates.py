import numpy as np
import pytest

from corral import ConstrainedLabeler, WeakSignals
from corral.errors import ParameterError, SignalsWarning
from corral.rates import Rates, read_rates

BINARY = WeakSignals.from_votes([[0, 1], [1, 1], [0, 0]], names=["rule", "crowd"])
CLASSES = WeakSignals.from_votes([["a", "b"], ["c", "a"], ["b", "c"]])
POSITIVE = WeakSignals.from_one_vs_rest(np.ones((2, 3, 4)))
DENSE = WeakSignals.from_one_vs_rest(np.tile([1.0, 0, 0, 0], (2, 3, 1)))


@pytest.mark.parametrize("spec", [0.3, np.float32(0.3)])
def test_one_number_is_for_all(spec):
    np.testing.assert_allclose(read_rates(spec, BINARY), [0.3, 0.3], atol=1e-7)


@pytest.mark.parametrize(
    "spec", [[0.1, 0.3], (0.1, 0.3), np.array([0.1, 0.3]), {"crowd": 0.3, "rule": 0.1}]
)
def test_one_rate_a_signal(spec):
    assert read_rates(spec, BINARY).tolist() == [0.1, 0.3]


def test_one_rate_a_signal_and_class():
    assert read_rates(np.full((2, 4), 0.2), DENSE).shape == (2, 4)
    with pytest.raises(ParameterError, match="shape"):
        read_rates(np.full((2, 3), 0.2), CLASSES)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (-0.1, "between 0 and 1; -0.1"),
        (1.5, "between 0 and 1; 1.5"),
        (np.nan, "between 0 and 1; nan"),
        ([0.1], r"each of the 2 signals.*\(1,\)"),
        ([0.1, 0.2, 0.3], "each of the 2 signals"),
        (np.ones((2, 5)) / 5, "shape"),
        ({"rule": 0.1, "crowd": 0.1, "kb": 0.1}, "unknown: 'kb'"),
        ("low", "must be a number"),
        ("0.1", "must be a number"),
        ([0.1, 0.1j], "must be a number"),
        ([[0.1, 0.2], [0.1, 0.1]], r"the shape \(2,\)"),
        (None, "between 0 and 1|must be a number"),
    ],
)
def test_bad_rates(spec, message):
    with pytest.raises(ParameterError, match=message):
        read_rates(spec, BINARY)


@pytest.mark.parametrize(
    ("signals", "chance"),
    [(BINARY, 1 / 2), (CLASSES, 2 / 3), (POSITIVE, 3 / 4), (DENSE, 1 / 4)],
    ids=["binary", "class votes", "only yes", "yes and no"],
)
def test_a_uniform_rate_above_chance_is_refused(signals, chance):
    assert read_rates(chance, signals)[0] == chance
    with pytest.raises(ParameterError, match="above chance"):
        read_rates(chance + 0.01, signals)


def test_given_rates_above_chance_are_information_and_named():
    with pytest.warns(SignalsWarning, match=r"above chance.*: crowd$"):
        read_rates([0.1, 0.8], BINARY)
    with pytest.warns(SignalsWarning, match="s0"):
        read_rates(np.array([[0.9, 0.1, 0.1, 0.1], [0.1] * 4]), DENSE)


def test_a_signal_known_to_be_wrong_is_turned_around():
    votes = [[0], [0], [1], [1]]
    with pytest.warns(SignalsWarning):
        labeler = ConstrainedLabeler(error_rates=[0.95]).fit(votes)
    assert labeler.predict(votes).tolist() == [1, 1, 0, 0]


def test_intervals_are_normal_and_stay_in_range():
    rates = Rates(np.array([0.5, 0.01, np.nan]), np.array([0.1, 0.1, np.nan]), "")
    low, high = rates.intervals(0.95).T
    assert low[:2] == pytest.approx([0.5 - 0.195996, 0], abs=1e-5)
    assert high[:2] == pytest.approx([0.5 + 0.195996, 0.01 + 0.195996], abs=1e-5)
    assert np.isnan(low[2])


@pytest.mark.parametrize("level", [0, 1, 90])
def test_bad_level_is_refused(level):
    with pytest.raises(ParameterError, match="level"):
        Rates(np.zeros(1), np.zeros(1), "").intervals(level)
