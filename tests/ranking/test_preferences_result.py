"""What a result says: pairs, tables and text."""

import numpy as np
import pytest

import corral
from corral.datasets import random_comparisons
from corral.errors import ParameterError

STRENGTHS = {"x": 1.0, "y": 0.2, "z": -0.3, "u": -0.9}
JUDGES = {"good": (1.2, 0), "first": (0.9, 0.9)}


@pytest.fixture(scope="module")
def found():
    made = random_comparisons(1500, STRENGTHS, JUDGES)
    return corral.preferences(made, judge="judge")


def test_pairs_lie_between_their_verdicts_and_their_strengths(found):
    pairs = found.pairs
    assert len(pairs.a) == 6
    assert (pairs.wins + pairs.ties + pairs.losses).sum() == 1500
    for i, j, p, (low, high) in zip(
        pairs.a, pairs.b, pairs.preference, pairs.interval, strict=True
    ):
        by_strength, _, _ = found.preference(found.items[i], found.items[j])
        assert low < p < high
        assert p == pytest.approx(by_strength, abs=0.08)


def test_a_circle_of_preferences_stays_one():
    rows = [("x", "y", "x"), ("y", "z", "y"), ("z", "x", "z")] * 60
    rows += [(b, a, w) for a, b, w in rows] + [("x", "y", "y"), ("z", "y", "z")] * 5
    found = corral.preferences(rows)
    assert np.abs(found.strengths).max() < 0.2  # no one is the strongest
    names = np.array(found.items)
    pairs = found.pairs
    won = {
        (names[a], names[b]): p
        for a, b, p in zip(pairs.a, pairs.b, pairs.preference, strict=True)
    }
    won |= {(b, a): 1 - p for (a, b), p in won.items()}
    assert min(won["x", "y"], won["y", "z"], won["z", "x"]) > 0.8
    assert pairs.scale > 1


def test_preference_of_any_two(found):
    middle, low, high = found.preference("x", "u")
    assert low < middle < high
    back = found.preference("u", "x")
    assert back == pytest.approx((1 - middle, 1 - high, 1 - low))
    with pytest.raises(ParameterError, match="no item 'q'"):
        found.preference("x", "q")


def test_a_ranking_is_compared_with_people():
    judges = {"model": (1.2, 0.0), "other": (0.8, 0.0)}
    made = random_comparisons(1500, STRENGTHS, judges)
    rows = list(zip(made["a"], made["b"], made["winner"], made["judge"], strict=True))
    best = [("x", "y", "x", "ann")] * 30 + [("u", "z", "u", "ann")] * 10
    ties = [("x", "z", "tie", "ann")] * 5
    found = corral.preferences(rows + best + ties, people="ann")
    alone = corral.preferences(rows)
    assert found.judges.names == alone.judges.names
    np.testing.assert_allclose(found.strengths, alone.strengths, atol=1e-9)
    share, low, high = found.agreement
    assert share == 30 / 40
    assert low < share < high
    assert "75% of 40" in str(found)
