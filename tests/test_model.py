import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corral import WeakSignals
from corral.model import MIN_SUM, LogLinear, lean, share_out
from corral.rates import Auto

MODEL = LogLinear(
    np.array([[1.0, 0.0], [0.0, 2.0], [7.0, 0.0], [0.0, 0.5]]),
    np.array([0.5, 0.0]),
    np.array([0.9, 0.1]),
    voice=np.array([1.0, 1.0, 0.0, 1.0]),
)
"""Signal 1 never voted 0 when the model was made, so that this vote says nothing."""


def logistic(x):
    return 1 / (1 + np.exp(-np.asarray(x)))


def test_scores_add_up_and_votes_that_were_never_seen_say_nothing():
    signals = WeakSignals.from_votes([[0, 1], [1, 1], [1, 0], [-1, -1], [-1, 0]])
    labels = MODEL.labels(signals)
    np.testing.assert_allclose(labels[:3, 1], logistic([0.5 - 1.5, 2.5 - 0.5, 2 - 0.5]))
    np.testing.assert_array_equal(labels[3:], [[0.9, 0.1]] * 2)
    assert MODEL.covered(signals).tolist() == [True, True, True, False, False]


def test_soft_votes_add_in_proportion_to_their_probabilities():
    signals = WeakSignals.from_probabilities([[0.25, np.nan], [0.6, 0.6], [0.5, 0.5]])
    expected = [0.25 * 2 - 0.75 - 0.5, 0.6 * 2.5 - 0.4 - 0.5, 0.5 * 2.5 - 0.5 - 0.5]
    np.testing.assert_allclose(MODEL.labels(signals)[:, 1], logistic(expected))


def test_what_is_above_chance_is_a_vote():
    said = [[[0.6, 0.2, 0.2], [0.5, 0.5, 0]], [[1 / 3] * 3, [1, 0, 0]]]
    found = lean(WeakSignals.from_probabilities(said)).F.toarray()
    expected = [[0.4, 0, 0, 0.25, 0.25, 0], [0, 0, 0, 1, 0, 0]]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_one_vs_rest_signals_that_fall_silent_about_a_class():
    rng = np.random.default_rng(0)
    said = np.where(rng.random((3, 200, 3)) < 0.3, 1.0, -1.0)
    whole = WeakSignals.from_one_vs_rest(said)
    model = Auto().estimate(whole).model
    silent = said.copy()
    silent[:, :, 0] = -1
    part = WeakSignals.from_one_vs_rest(silent)
    row = np.flatnonzero((said[:, :, 0] < 0).all(axis=0))
    np.testing.assert_allclose(model.labels(part)[row], model.labels(whole)[row])


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_rows_sum_to_one_and_covered_entries_keep_their_order(seed, k):
    rng = np.random.default_rng(seed)
    labels, kept = rng.random((20, k)), rng.random((20, k)) < 0.6
    shares = share_out(labels, kept, np.full(k, 1 / k))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    for row, label, own in zip(shares, labels, kept, strict=True):
        if own.any() and label[own].sum() <= 1 and not own.all():
            np.testing.assert_allclose(row[own], label[own])
        assert (np.argsort(row[own], kind="stable") == np.argsort(label[own])).all()


def test_all_zero_is_uniform_and_over_one_is_divided():
    every = np.ones((2, 3), bool)
    labels = np.array([[0, 0, 0], [1, 1, 0.5]])
    shares = share_out(labels, every, np.full(3, 1 / 3))
    np.testing.assert_allclose(shares, [[1 / 3] * 3, [0.4, 0.4, 0.2]])


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_a_rounding_error_does_not_decide(seed, k):
    """Labels 0 and 4e-17 are undecided; nearly so are nearly such labels."""
    rng = np.random.default_rng(seed)
    every, prior = np.ones((20, k), bool), np.full(k, 1 / k)
    labels = rng.random((20, k)) * 10.0 ** rng.uniform(-18, 0, (20, 1))
    labels[rng.random((20, k)) < 0.3] = 0
    shares = share_out(labels, every, prior)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    tiny = labels.sum(axis=1) < 1e-15
    np.testing.assert_allclose(shares[tiny], 1 / k, atol=1e-9)
    clear = labels.sum(axis=1) > MIN_SUM
    ours = labels[clear] / labels[clear].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares[clear], ours, rtol=1e-12)
    # A change of labels by a rounding error changes no probability by more than 1e-9.
    moved = labels + 1e-16 * rng.random((20, k))
    again = share_out(moved, every, prior)
    np.testing.assert_allclose(again, shares, atol=1e-9)
