"""Scores against numbers computed by hand, and against scikit-learn."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from corral import decisions, metrics
from corral.errors import ParameterError


def test_strings_and_none():
    truth = ["spam", "ham", "spam", "ham"]
    given = np.array(["spam", None, "ham", "ham"], object)
    assert metrics.accuracy(truth, given) == 0.5
    assert metrics.accuracy(truth, given, rows="answered") == pytest.approx(2 / 3)
    assert metrics.f1(truth, given, positive="ham") == pytest.approx(2 * 1 / (2 + 2))


def test_losses_by_hand():
    p = [[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]]
    y = ["b", "a", "a"]
    expected = -(np.log(0.8) + np.log(0.5) + np.log(1)) / 3
    assert metrics.log_loss(y, p, ["a", "b"]) == pytest.approx(expected)
    # squared distances to the one-hot truth: 0.04 + 0.04, 0.25 + 0.25, 0
    assert metrics.brier(y, p, ["a", "b"]) == pytest.approx((0.08 + 0.5 + 0) / 3)


@pytest.mark.parametrize("score", [metrics.log_loss, metrics.brier])
def test_a_weight_of_two_is_an_example_twice(score):
    p = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
    weighted = score([1, 0, 1], p, [0, 1], np.array([2.0, 0.0, 1.0]))
    assert weighted == pytest.approx(score([1, 1, 1], p[[0, 0, 2]], [0, 1]))


def test_tie_share():
    p = [[0.5, 0.5, 0.0], [0.4, 0.3, 0.3], [1 / 3, 1 / 3, 1 / 3], [0.0, 1e-12, 1.0]]
    assert decisions.tie_share(p) == 0.5


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (lambda: metrics.accuracy([0, 1], [0]), r"\(2,\) and \(1,\)"),
        (lambda: metrics.accuracy([[0, 1]], [[0, 1]]), r"\(1, 2\)"),
        (lambda: metrics.f1([0, 1], [0, 1, 1]), "same length"),
        (lambda: metrics.accuracy([0], [0], rows="some"), "'some' was given"),
        (lambda: metrics.log_loss([0], [[0.5, 0.5]], [0, 1, 2]), r"shape \(1, 3\)"),
        (lambda: metrics.log_loss([5], [[0.5, 0.5]], [0, 1]), "5.* is not one of"),
        (lambda: metrics.brier(["c"], [[0.5, 0.5]], ["a", "b"]), "'c'.* is not one of"),
    ],
)
def test_bad_input(score, message):
    with pytest.raises(ParameterError, match=message):
        score()


labels = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-1, 3)), min_size=1, max_size=30
)


@given(labels)
def test_hard_scores_equal_scikit_learn(pairs):
    y, predicted = np.array(pairs).T
    spoken = predicted >= 0
    assert metrics.accuracy(y, predicted) == pytest.approx(
        sklearn.metrics.accuracy_score(y, predicted)
    )
    if spoken.any():
        assert metrics.accuracy(y, predicted, rows="answered") == pytest.approx(
            sklearn.metrics.accuracy_score(y[spoken], predicted[spoken])
        )
    for k in range(4):
        assert metrics.f1(y, predicted, positive=k) == pytest.approx(
            sklearn.metrics.f1_score(y == k, predicted == k, zero_division=0)
        )


@given(st.integers(2, 5), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_soft_scores_equal_scikit_learn(k, n, seed):
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, k, n), rng.dirichlet(np.ones(k), n)
    assert metrics.log_loss(y, p, range(k)) == pytest.approx(
        sklearn.metrics.log_loss(y, p, labels=range(k))
    )
    assert metrics.brier(y, p, range(k)) == pytest.approx(
        k * sklearn.metrics.mean_squared_error(np.eye(k)[y], p)
    )


def test_class_values_of_unsigned_classes():
    chosen, silent = np.array([0, 1, 1]), np.array([False, False, True])
    small = decisions.class_values(chosen, silent, np.array([3, 5], np.uint8))
    assert small.tolist() == [3, 5, -1]
    large = decisions.class_values(chosen, silent, np.array([3, 2**64 - 1], np.uint64))
    assert large.tolist() == [3, 2**64 - 1, None]
