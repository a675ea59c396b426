import numpy as np
import pytest

from corral import WeakSignals
from corral.model import LogLinear, lean, softmax
from corral.rates import Auto

MODEL = LogLinear(
    np.array([[1.0, 0.0], [0.0, 2.0], [7.0, 0.0], [0.0, 0.5]]),
    np.array([0.5, 0.0]),
    np.array([0.9, 0.1]),
    seen=np.array([True, True, False, True]),
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


@pytest.mark.parametrize("tempering", [0.0, 0.5])
@pytest.mark.parametrize(
    "signals",
    [
        WeakSignals.from_votes([[0, 1]]),
        WeakSignals.from_votes([[-1, 0]], classes=[0, 1]),
        WeakSignals.from_probabilities([[0.25, 0.5]]),
    ],
    ids=["votes", "unseen", "soft"],
)
def test_contributions_add_up(signals, tempering):
    model = LogLinear(
        MODEL.weights, MODEL.bias, MODEL.prior, tempering=tempering, seen=MODEL.seen
    )
    moves = model.contributions(signals).moves
    np.testing.assert_allclose(moves.sum(axis=1), 0, atol=1e-12)
    found = softmax(moves.sum(axis=0, keepdims=True))
    np.testing.assert_allclose(found, model.labels(signals))


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


def test_rounded_probabilities_share_rows():
    p = np.random.default_rng(1).choice([0.1, 0.5, 0.9, np.nan], (100, 3))
    signals = WeakSignals.from_probabilities(p)
    model = Auto().estimate(signals).model
    binned = WeakSignals.from_probabilities(p, bins=10)
    assert len(model.row_labels(binned)) == binned.n_rows < 100
    expected = model.labels(signals)
    np.testing.assert_allclose(model.labels(binned), expected, atol=1e-12)
