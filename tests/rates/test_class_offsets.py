import numpy as np
import pytest
from corral.rates.class_offsets import find_class_offsets
from scipy.special import softmax


@pytest.mark.parametrize("k", [2, 3, 30])
@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0])
def test_the_mean_label_is_the_balance(k, spread):
    rng = np.random.default_rng(k)
    scores = spread * rng.normal(size=(500, k))
    scale, weights = 1 / rng.integers(1, 9, 500) ** 0.5, rng.random(500)
    balance = rng.dirichlet(np.ones(k))
    offsets = find_class_offsets(scores, scale, weights, balance)
    labels = softmax(scale[:, None] * (scores + offsets), axis=1)
    mean = np.average(labels, axis=0, weights=weights)
    np.testing.assert_allclose(mean, balance, atol=3e-6)


def test_what_is_balanced_stays():
    scores = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = find_class_offsets(scores, np.ones(2), np.ones(2), np.array([0.5, 0.5]))
    np.testing.assert_array_equal(found, 0)


def test_a_class_of_share_zero_is_hardly_there():
    scores = np.array([[9.0, 0.0], [0.0, 9.0]])
    found = find_class_offsets(scores, np.ones(2), np.ones(2), np.array([1.0, 0.0]))
    assert softmax(scores + found, axis=1)[:, 1].max() < 1e-5
