import numpy as np
import pytest

from corral import ConstrainedLabeler, Uniform, WeakSignals
from corral.constraints import label_space
from corral.errors import ParameterError, SignalsWarning
from corral.rates import RateSource, resolve_rates

BINARY = WeakSignals.from_votes([[0, 1], [1, 1], [0, 0]], names=["rule", "crowd"])
CLASSES = WeakSignals.from_votes([["a", "b"], ["c", "a"], ["b", "c"]])
POSITIVE = WeakSignals.from_one_vs_rest(np.ones((2, 3, 4)))
DENSE = WeakSignals.from_one_vs_rest(np.tile([1.0, 0, 0, 0], (2, 3, 1)))


def resolve(spec, signals=BINARY, **options):
    return resolve_rates(spec, signals, label_space(signals).rows, **options)


@pytest.mark.parametrize("spec", [0.3, Uniform(0.3), np.float32(0.3)])
def test_one_number_is_for_all(spec):
    found = resolve(spec)
    np.testing.assert_allclose(found.rates, [0.3, 0.3], atol=1e-7)
    assert found.source is RateSource.UNIFORM


@pytest.mark.parametrize(
    "spec", [[0.1, 0.3], (0.1, 0.3), np.array([0.1, 0.3]), {"crowd": 0.3, "rule": 0.1}]
)
def test_one_rate_a_signal(spec):
    found = resolve(spec)
    assert found.rates.tolist() == [0.1, 0.3]
    assert found.source is RateSource.GIVEN


def test_one_rate_a_signal_and_class():
    table = np.full((2, 3), 0.2)
    assert resolve(table, CLASSES).rates.shape == (2, 3)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (-0.1, "between 0 and 1; -0.1"),
        (1.5, "between 0 and 1; 1.5"),
        ([0.1, np.nan], "between 0 and 1; nan"),
        ([0.1], r"each of the 2 signals.*\(1,\)"),
        ([0.1, 0.2, 0.3], "each of the 2 signals"),
        (np.ones((2, 5)) / 5, "one per signal and class"),
        ({"rule": 0.1}, "missing: 'crowd'"),
        ({"rule": 0.1, "crowd": 0.1, "kb": 0.1}, "unknown: 'kb'"),
        ("low", "must be a number"),
        ("0.1", "must be a number"),
        ([0.1, 0.1j], "must be a number"),
        (Uniform([0.1, 0.2]), "Uniform takes one rate"),
        ([[0.1, 0.2], [0.1, 0.1]], "the two columns of error_rates differ"),
        (None, "between 0 and 1|must be a number"),
    ],
)
def test_bad_rates(spec, message):
    with pytest.raises(ParameterError, match=message):
        resolve(spec)


@pytest.mark.parametrize(
    ("signals", "chance"),
    [(BINARY, 1 / 2), (CLASSES, 2 / 3), (POSITIVE, 3 / 4), (DENSE, 1 / 4)],
    ids=["binary", "class votes", "only yes", "yes and no"],
)
def test_a_uniform_rate_above_chance_is_refused_unless_allowed(signals, chance):
    assert resolve(chance, signals).rates[0] == chance
    with pytest.raises(ParameterError, match="above chance"):
        resolve(chance + 0.01, signals)
    assert resolve(chance + 0.01, signals, allow_above_chance=True).rates[0] > chance


def test_given_rates_above_chance_are_information_and_named():
    with pytest.warns(SignalsWarning, match=r"above chance.*: crowd$"):
        resolve([0.1, 0.8])
    with pytest.warns(SignalsWarning, match="s0"):
        resolve(np.array([[0.9, 0.1, 0.1], [0.1, 0.1, 0.1]]), CLASSES)


def test_a_signal_known_to_be_wrong_is_turned_around():
    votes = [[0], [0], [1], [1]]
    with pytest.warns(SignalsWarning):
        labeler = ConstrainedLabeler(error_rates=[0.95]).fit(votes)
    assert labeler.predict(votes).tolist() == [1, 1, 0, 0]
