"""The published rule of penalties, when item terms cannot matter, cross-validation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corral import WeakSignals
from corral.error_rates.vote_features import vote_features
from corral.labelers.minimax.crowd import Crowd
from corral.labelers.minimax.penalties import (
    GAMMAS,
    NEGLIGIBLE,
    PenaltyRule,
    cross_validate,
    negligible,
)
from corral.labelers.minimax.terms import Penalties, find_terms, posterior

RUN = {"max_iter": 50, "tolerance": 1e-3, "inner_tolerance": 1e-6}


def crowd_of(votes, counts=None):
    signals = WeakSignals.from_votes(votes, classes=[0, 1, 2], counts=counts)
    return Crowd.of(vote_features(signals))


def noisy(n, m, right, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    wrong = rng.integers(0, 3, (n, m))
    return np.where(rng.random((n, m)) < right, truth[:, None], wrong)


def find(crowd, penalties):
    return find_terms(crowd, penalties, np.full(3, 1 / 3), **RUN)


def test_the_published_rule():
    votes = noisy(20, 4, 0.6)
    votes[0] = -1  # an example without votes is no item
    votes[:, 3] = -1  # nor is a silent signal a worker
    rule = PenaltyRule(True, None, None)
    assert rule.penalties(crowd_of(votes), 0.25) == Penalties(2.25, 2.25 * 19 / 3)
    counts = np.full(20, 5)
    assert rule.penalties(crowd_of(votes, counts), 1.0) == Penalties(9, 9 * 95 / 3)


def test_penalties_that_are_given():
    crowd = crowd_of(noisy(20, 4, 0.6))
    assert PenaltyRule(True, 0.1, 0.2).penalties(crowd, 1.0) == Penalties(0.1, 0.2)
    assert PenaltyRule(True, 0.1, None).penalties(crowd, 1.0) == Penalties(0.1, 0.5)
    assert PenaltyRule(False, None, None).penalties(crowd, 1.0) == Penalties(9, None)
    few, many = noisy(20, 4, 0.6), np.full(20, 1_000)
    automatic = PenaltyRule("auto", None, None)
    assert automatic.penalties(crowd_of(few), 1.0).items is not None
    assert automatic.penalties(crowd_of(few, many), 1.0).items is None


@settings(max_examples=20)
@given(st.integers(1, 6), st.floats(0.3, 1), st.integers(0, 1_000))
def test_what_is_negligible_moves_no_label_much(m, right, seed):
    crowd = crowd_of(noisy(30, m, right, seed))
    penalty = m**2 / (2 * NEGLIGIBLE)
    assert negligible(crowd, penalty)
    assert not negligible(crowd, 0.99 * penalty)
    found = find(crowd, Penalties(0.5, penalty))
    without, _ = posterior(crowd, found.workers, None, np.full(3, 1 / 3))
    assert np.abs(found.labels - without).max() <= NEGLIGIBLE


@pytest.mark.parametrize(("right", "best"), [(0.0, max(GAMMAS)), (0.9, min(GAMMAS))])
def test_held_out_votes_choose_the_penalty(right, best):
    """Workers that guess want a strong one, good ones a weak one."""
    crowd = crowd_of(noisy(80, 5, right))
    rule = PenaltyRule(True, None, None)
    scores = cross_validate(crowd, rule, find, np.random.default_rng(0))
    assert max(scores, key=scores.__getitem__) == best
    assert tuple(scores) == GAMMAS
    assert all(score < 0 for score in scores.values())
    if right == 0:
        assert scores[best] == pytest.approx(np.log(1 / 3), abs=0.02)
