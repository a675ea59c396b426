import numpy as np
import pytest

import corral
from corral import WeakSignals
from corral.datasets import random_votes
from corral.errors import SignalsError


def test_copies_share_a_vote_and_have_nothing_of_their_own():
    votes, _ = random_votes(1000, [0.9, 0.8, 0.7], coverage=0.6)
    found = corral.redundancy(np.column_stack([votes, votes[:, 0], votes[:, 0]]))
    np.testing.assert_allclose(found.share, [1 / 3, 1, 1, 1 / 3, 1 / 3])
    np.testing.assert_allclose(found.own_part[[0, 3, 4]], 0, atol=1e-9)
    assert (found.own_part[1:3] > 0.5).all()
    assert found.nearest[0] == "s3"
    assert found.nearest[3] == found.nearest[4] == "s0"
    np.testing.assert_allclose(found.agreement[[0, 3, 4]], 1)
    assert found.effective == pytest.approx(3)


def test_noisy_copies_are_found_though_no_row_depends_on_the_others():
    votes, _ = random_votes(4000, [0.8, 0.7, 0.6], coverage=0.9)
    copies = np.repeat(votes[:, :1], 5, axis=1)
    flipped = np.random.default_rng(0).random(copies.shape) < 0.05
    copies = np.where(flipped & (copies >= 0), 1 - copies, copies)
    found = corral.redundancy(np.column_stack([votes, copies]))
    assert (found.own_part > 0).all()
    assert found.effective == pytest.approx(3)
    assert set(found.nearest[3:]) == {"s0"}
    assert (found.agreement[3:] > 0.85).all()


def test_a_constraint_that_others_add_up_to():
    votes = np.full((60, 3), -1)
    votes[:30, 0], votes[30:, 1], votes[:, 2] = 1, 1, 1
    signals = WeakSignals.from_votes(votes, classes=[0, 1])
    found = corral.redundancy(signals)
    np.testing.assert_allclose(found.own_part, 0, atol=1e-9)


def test_silent_signals_count_for_nothing():
    votes, _ = random_votes(200, [0.9, 0.8], coverage=0.8)
    votes = np.column_stack([votes, np.full(200, -1)])
    found = corral.redundancy(votes)
    assert found.share.tolist() == [1, 1, 0]
    assert found.own_part[2] == 0
    assert found.nearest[2] == ""
    assert np.isnan(found.agreement[2])


def test_one_vs_rest_signals_are_compared_with_others_not_with_themselves():
    said = np.full((2, 40, 3), -1.0)
    said[0, :20, 0] = said[0, :20, 1] = 1  # its two opinions are the same
    said[1, :20, 0] = 1
    said[1, 20:, 2] = 1
    found = corral.redundancy(WeakSignals.from_one_vs_rest(said))
    assert found.nearest == ("s1", "s0")
    assert found.share.shape == found.own_part.shape == (2,)


def test_soft_signals():
    rng = np.random.default_rng(0)
    w = rng.random((200, 2))
    found = corral.redundancy(WeakSignals.from_probabilities(np.column_stack([w, w])))
    np.testing.assert_allclose(found.share, 0.5)
    np.testing.assert_allclose(found.own_part, 0, atol=1e-9)
    three = rng.dirichlet([1, 1, 1], (200, 2))
    three = WeakSignals.from_probabilities(np.concatenate([three, three], axis=1))
    np.testing.assert_allclose(corral.redundancy(three).share, 0.5)


def test_nothing_to_compare():
    votes = WeakSignals.from_votes([[1, 0], [-1, -1]])
    with pytest.raises(SignalsError, match="votes"):
        corral.redundancy(votes.take([1]))
    even = WeakSignals.from_probabilities(np.full((5, 3), 0.5))
    with pytest.raises(SignalsError, match="votes"):
        corral.redundancy(even)
