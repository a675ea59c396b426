import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral import WeakSignals, signal_errors
from corral.constraints import label_matrix, label_space, row_rates
from corral.errors import ParameterError, SignalsError


def test_example_a1_matrix_and_residual():
    """METHODS a1: two signals, four examples, every example its own pattern."""
    signals = WeakSignals.from_votes([[1, -1], [1, 1], [0, 0], [-1, 0]])
    space = label_space(signals, np.array([0.25, 0.25]))
    by_example = space.matrix()[:, signals.patterns.inverse]
    expected = np.array([[-1, -1, 1, 0], [0, -1, 1, 1]]) / 3
    np.testing.assert_allclose(by_example, expected)
    np.testing.assert_allclose(space.c, [-5 / 12, -1 / 12])
    start = np.array([[0.2], [0.4], [0.6], [0.8]])
    residual = space.residual(space.design.by_pattern(start))
    np.testing.assert_allclose(residual, [5 / 12, 5 / 12])
    np.testing.assert_allclose(residual @ residual, 0.3472222, atol=1e-7)


def test_example_a3_error_of_a_soft_signal():
    signals = WeakSignals.from_probabilities(np.array([[0.9], [0.2], [0.6]]))
    np.testing.assert_allclose(signal_errors(signals, [1, 0, 0]), [0.3])


@given(st.integers(0, 10_000), st.integers(2, 5))
def test_error_of_class_votes_is_the_share_of_wrong_votes(seed, k):
    rng = np.random.default_rng(seed)
    votes = rng.integers(-1, k, (30, 4))
    y = rng.integers(0, k, 30)
    votes[0] = 0  # every signal votes
    signals = WeakSignals.from_votes(votes, classes=range(k))
    expected = [(votes[:, i] != y)[votes[:, i] >= 0].mean() for i in range(4)]
    np.testing.assert_allclose(signal_errors(signals, y), expected)
    soft = rng.dirichlet(np.ones(k), 30)
    expected = [
        1 - soft[votes[:, i] >= 0, votes[votes[:, i] >= 0, i]].mean() for i in range(4)
    ]
    np.testing.assert_allclose(signal_errors(signals, soft), expected)


def test_error_of_one_vs_rest_signals_is_by_class_and_nan_where_silent():
    w = np.full((2, 3, 2), np.nan)
    w[0, :, 0] = [1, 1, 0]
    w[1, :2, 1] = [0.2, 0.9]
    errors = signal_errors(WeakSignals.from_one_vs_rest(w), [0, 1, 0])
    np.testing.assert_allclose(errors[0], [2 / 3, np.nan])
    np.testing.assert_allclose(errors[1], [np.nan, (0.2 + 0.1) / 2])


@given(st.integers(0, 10_000), st.integers(3, 5))
def test_row_rates_are_the_true_row_errors_when_errors_spread_evenly(seed, k):
    """Each wrong vote goes to another class: the m rates add up to the m K rates."""
    rng = np.random.default_rng(seed)
    signals = WeakSignals.from_votes(rng.integers(0, k, (40, 3)), classes=range(k))
    rows = label_space(signals).rows
    rates = rng.random(3)
    by_row = row_rates(signals, rows, rates)
    for i in range(3):
        np.testing.assert_allclose(by_row[rows.signal == i].sum(), 2 * rates[i])


def test_row_rates_by_class_and_for_two_classes_are_taken_as_they_are():
    signals = WeakSignals.from_votes([[0, 1], [1, 1], [0, 0]])
    rows = label_space(signals).rows
    assert row_rates(signals, rows, np.array([0.1, 0.3])).tolist() == [0.1, 0.3]
    w = np.ones((1, 2, 3))
    one = WeakSignals.from_one_vs_rest(w)
    table = np.array([[0.1, 0.2, 0.3]])
    assert row_rates(one, label_space(one).rows, table).tolist() == [0.1, 0.2, 0.3]


def test_a_signal_that_never_votes_has_no_row():
    signals = WeakSignals.from_votes([[0, -1], [1, -1]], names=["good", "mute"])
    assert label_space(signals).rows.signal.tolist() == [0]
    with pytest.raises(SignalsError, match="WeakSignals were expected"):
        label_space([[0, 1]])


def test_errors_can_be_weighted():
    signals = WeakSignals.from_votes([[1], [1], [0]])
    errors = signal_errors(signals, [1, 0, 0], np.array([1.0, 3.0, 0.0]))
    np.testing.assert_allclose(errors, [0.75])


def test_names_of_rows():
    votes = WeakSignals.from_votes([["a", "b"], ["c", "a"]], names=["x", "y"])
    assert label_space(votes).rows.names(votes)[:3] == ["x[a]", "y[a]", "x[b]"]
    binary = WeakSignals.from_votes([[0, 1], [1, 1]], names=["x", "y"])
    assert label_space(binary).rows.names(binary) == ["x", "y"]


def test_label_matrix_refuses_what_it_does_not_know():
    classes = np.array(["a", "b"])
    assert label_matrix(["b", "a"], classes).tolist() == [[0, 1], [1, 0]]
    with pytest.raises(ParameterError, match="'z' is not one of the classes"):
        label_matrix(["a", "z"], classes)
    with pytest.raises(ParameterError, match="3 columns for 2 classes"):
        label_matrix(np.ones((2, 3)), classes)
    with pytest.raises(ParameterError, match="2 labels were given for 3 examples"):
        signal_errors(WeakSignals.from_votes([[0], [1], [1]]), [0, 1])
