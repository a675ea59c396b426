from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from corral import ConstrainedLabeler, WeakSignals
from corral.datasets import random_votes
from corral.model import softmax
from corral.rates import Auto, VoteModel

MODEL = VoteModel(
    signal=np.array([0, 0, 1]),
    label=np.array([-1, -1, -1]),
    vote=np.array([0, 1, 1]),
    weights=np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.5]]),
    bias=np.array([0.5, 0.0]),
    group=np.array([0, 0, 1]),
)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def test_scores_add_up():
    signals = WeakSignals.from_votes([[0, 1], [1, 1], [-1, -1], [1, 0]])
    p = MODEL.labels(signals)[:, 1]
    # Signal 1 never voted 0 when the model was made, so that vote says nothing.
    by_hand = logistic(np.array([0.5 - 1.5, 2.5 - 0.5, -0.5, 2 - 0.5]))
    np.testing.assert_allclose(p, by_hand)


def test_soft_signals_mix_the_weights_of_their_votes():
    signals = WeakSignals.from_probabilities([[0.25, np.nan], [0.6, 0.6], [0.5, 0.5]])
    p = MODEL.labels(signals)[:, 1]
    first = (0.25 * 2) - (0.75 * 1 + 0.5)
    second = (0.6 * 2 + 0.6 * 0.5) - (0.4 * 1 + 0.5)
    third = -0.5  # one half adds nothing
    np.testing.assert_allclose(p, logistic(np.array([first, second, third])))


@pytest.mark.parametrize(
    "one",
    [
        WeakSignals.from_votes([[0, 1]]),
        WeakSignals.from_probabilities([[0.25, 0.5]]),
    ],
)
def test_contributions_add_up_to_the_score(one):
    found = MODEL.contributions(one)
    assert found.others == ("class balance",)
    moved = found.moves
    score = moved.sum(axis=0) @ [-1, 1]
    assert MODEL.labels(one)[0, 1] == pytest.approx(logistic(score))
    np.testing.assert_allclose(moved.sum(axis=1), 0, atol=1e-12)


def test_new_one_vs_rest_signals_are_matched_by_signal_and_class():
    rng = np.random.default_rng(0)
    said = np.where(rng.random((3, 200, 3)) < 0.3, 1.0, -1.0)
    whole = WeakSignals.from_one_vs_rest(said)
    model = Auto().estimate(whole).model
    silent = said.copy()
    silent[:, :, 0] = -1  # the columns of the first class are gone
    part = WeakSignals.from_one_vs_rest(silent)
    row = np.flatnonzero((said[:, :, 0] < 0).all(axis=0) & (said > 0).any(axis=(0, 2)))
    np.testing.assert_allclose(model.labels(part)[row], model.labels(whole)[row])


def test_binned_probabilities():
    """Units are patterns of bins."""
    p = np.random.default_rng(1).choice([0.1, 0.5, 0.9, np.nan], (40, 3))
    model = Auto().estimate(WeakSignals.from_probabilities(p)).model
    expected = model.labels(WeakSignals.from_probabilities(p))
    binned = WeakSignals.from_probabilities(p, bins=10)
    assert len(model.pattern_labels(binned)) == len(binned.patterns) < 40
    np.testing.assert_allclose(model.labels(binned), expected, atol=1e-12)


def test_a_group_has_one_vote_the_commonest_of_its_signals():
    group = VoteModel(
        signal=np.arange(6) // 2,
        label=np.full(6, -1),
        vote=np.arange(6) % 2,
        weights=np.tile([[1.0, 0.0], [0.0, 2.0]], (3, 1)),
        bias=np.zeros(2),
        group=np.zeros(6, int),
    )
    votes = [[1, 1, 0], [1, -1, -1], [1, 0, -1], [0, 1, 0]]
    signals = WeakSignals.from_votes(votes)
    # 1 wins twice, a tie says nothing, 0 wins.
    by_hand = logistic(np.array([2.0, 2.0, 0.0, -1.0]))
    np.testing.assert_allclose(group.labels(signals)[:, 1], by_hand)
    # Those who cast the winning vote share it, less the mean over the classes.
    moves = group.contributions(signals.take(slice(0, 1))).moves
    np.testing.assert_allclose(moves[:3], [[-0.5, 0.5], [-0.5, 0.5], [0, 0]])
    soft = WeakSignals.from_probabilities([[1.0, 0.5, 0.0]])
    np.testing.assert_allclose(group.labels(soft)[:, 1], logistic(0.5))


def test_silent_copies_take_nothing_from_those_who_speak():
    votes, _ = random_votes(400, [0.9, 0.7, 0.6, 0.8], coverage=0.8)
    soft = np.where(votes < 0, np.nan, votes * 0.8 + 0.1)
    copied = np.column_stack([soft, *[soft[:, 0]] * 9])
    alone = Auto().estimate(WeakSignals.from_probabilities(soft)).model
    among = Auto().estimate(WeakSignals.from_probabilities(copied)).model
    one = np.full((1, 13), np.nan)
    one[0, 0] = 0.9
    expected = alone.labels(WeakSignals.from_probabilities(one[:, :4]))
    found = among.labels(WeakSignals.from_probabilities(one))
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize(
    "kind", ["votes", "sparse", "copies", "soft", "binned", "rests"]
)
def test_parts_of_votes_give_the_scores(kind):
    votes, _ = random_votes(200, [0.9, 0.7, 0.6, 0.8], coverage=0.6)
    soft = np.where(votes < 0, np.nan, votes * 0.8 + 0.1)
    said = np.full((4, 200, 2), -1.0)
    said[:, :, 1], said[:, :, 0] = votes.T, np.where(votes.T == 0, 1, -1)
    signals = {
        "votes": lambda: WeakSignals.from_votes(votes),
        "sparse": lambda: WeakSignals.from_votes(csr_array(votes + 1), classes=[1, 2]),
        "copies": lambda: WeakSignals.from_votes(np.hstack([votes, votes[:, :1]])),
        "soft": lambda: WeakSignals.from_probabilities(soft),
        "binned": lambda: WeakSignals.from_probabilities(soft, bins=10),
        "rests": lambda: WeakSignals.from_one_vs_rest(said),
    }[kind]()
    model = Auto().estimate(signals).model
    parts = model.feature_shares(signals)
    found = model.probabilities(
        parts @ model.weights + model.bias, parts @ model.vote_sizes
    )
    np.testing.assert_allclose(found, model.pattern_labels(signals), atol=1e-12)


@pytest.mark.parametrize("soft", [False, True])
def test_signals_without_weights_are_not_heard(soft):
    votes = np.array([[0, -1], [-1, 1], [-1, -1]])
    signals = WeakSignals.from_votes(votes, classes=[0, 1])
    if soft:
        w = np.where(votes < 0, np.nan, 0.5)  # heard, though it says nothing
        signals = WeakSignals.from_probabilities(w)
    model = VoteModel(
        signal=np.zeros(2, int),
        label=np.full(2, -1),
        vote=np.arange(2),
        weights=np.array([[1.0, 0.0], [0.0, 2.0]]),
        bias=np.array([0.0, 0.3]),
        group=np.zeros(2, int),
    )
    assert model.covered(signals).tolist() == [True, False, False]
    told = replace(model, silent=np.array([0.9, 0.1]))
    labels = told.labels(signals)
    np.testing.assert_array_equal(labels[0], model.labels(signals)[0])
    np.testing.assert_array_equal(labels[1:], [[0.9, 0.1]] * 2)
    for j in range(3):
        moves = told.contributions(signals.take(slice(j, j + 1))).moves
        np.testing.assert_allclose(softmax(moves.sum(axis=0)[None])[0], labels[j])


def test_votes_not_seen_in_the_fit_cover_nothing():
    votes, _ = random_votes(300, [0.9, 0.9, 0.9], coverage=1.0)
    labeler = ConstrainedLabeler().fit(WeakSignals.from_votes(votes, classes=[0, 1, 2]))
    assert labeler.covers([[2, 2, 2], [2, 1, -1]]).tolist() == [False, True]
    assert labeler.predict([[2, 2, 2]]).tolist() == [-1]
