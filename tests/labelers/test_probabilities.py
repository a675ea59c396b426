import numpy as np
from corral.labelers.probabilities import UNDECIDED, class_probabilities
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_rows_sum_to_one_and_covered_entries_keep_their_order(seed, k):
    rng = np.random.default_rng(seed)
    labels, kept = rng.random((20, k)), rng.random((20, k)) < 0.6
    shares = class_probabilities(labels, kept, kept, np.full(k, 1 / k))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    for row, label, own in zip(shares, labels, kept, strict=True):
        if own.any() and label[own].sum() <= 1 and not own.all():
            np.testing.assert_allclose(row[own], label[own])
        assert (np.argsort(row[own], kind="stable") == np.argsort(label[own])).all()


def test_all_zero_is_uniform_and_over_one_is_divided():
    every = np.ones((2, 3), bool)
    labels = np.array([[0, 0, 0], [1, 1, 0.5]])
    shares = class_probabilities(labels, every, every, np.full(3, 1 / 3))
    np.testing.assert_allclose(shares, [[1 / 3] * 3, [0.4, 0.4, 0.2]])


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_a_rounding_error_does_not_decide(seed, k):
    """Labels 0 and 4e-17 are undecided; nearly so are nearly such labels."""
    rng = np.random.default_rng(seed)
    every, prior = np.ones((20, k), bool), np.full(k, 1 / k)
    labels = rng.random((20, k)) * 10.0 ** rng.uniform(-18, 0, (20, 1))
    labels[rng.random((20, k)) < 0.3] = 0
    shares = class_probabilities(labels, every, every, prior)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    tiny = labels.sum(axis=1) < 1e-15
    np.testing.assert_allclose(shares[tiny], 1 / k, atol=1e-9)
    clear = labels.sum(axis=1) > UNDECIDED
    ours = labels[clear] / labels[clear].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares[clear], ours, rtol=1e-12)
    # A change of labels by a rounding error changes no probability by more than 1e-9.
    moved = labels + 1e-16 * rng.random((20, k))
    again = class_probabilities(moved, every, every, prior)
    np.testing.assert_allclose(again, shares, atol=1e-9)


def test_two_classes_in_one_column():
    shares = class_probabilities(
        np.array([[0.3], [0.5]]),
        np.array([[True], [False]]),
        np.array([[True], [False]]),
        np.array([0.9, 0.1]),
    )
    np.testing.assert_allclose(shares, [[0.7, 0.3], [0.9, 0.1]])
