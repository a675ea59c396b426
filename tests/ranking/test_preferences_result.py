"""What a result says: pairs, slices, tables and text."""

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
    topics = np.where(np.arange(1500) < 1400, "code", "poems")
    return corral.preferences({**made, "topic": topics}, judge="judge", slices="topic")


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


def test_slices_that_say_little_say_what_all_say(found):
    topics = found.slices["topic"]
    assert topics.names == ("code", "poems")
    np.testing.assert_allclose(topics.strengths.sum(axis=1), 0, atol=1e-9)
    code, poems = topics.interval[..., 1] - topics.interval[..., 0]
    assert (poems > code).all()
    np.testing.assert_allclose(topics.strengths[0], found.strengths, atol=0.1)
    np.testing.assert_allclose(topics.strengths[1], found.strengths, atol=0.5)


def test_a_slice_of_which_only_people_spoke_has_no_strengths():
    made = random_comparisons(300, STRENGTHS, JUDGES)
    topics, who = np.full(300, "code"), made["judge"].astype(object)
    topics[:9], who[:9] = "poem", "ann"
    table = {**made, "topic": topics, "judge": who}
    found = corral.preferences(table, judge="judge", people="ann", slices="topic")
    assert found.slices["topic"].names == ("code",)


def test_slices_that_differ_speak_for_themselves():
    one = random_comparisons(1500, {"x": 1.5, "y": 0, "z": -1.5}, {"j": (1, 0)})
    two = random_comparisons(1500, {"x": -1.5, "y": 0, "z": 1.5}, {"j": (1, 0)}, seed=1)
    made = {name: np.concatenate([one[name], two[name]]) for name in one}
    topics = np.repeat(["one", "two"], 1500)
    found = corral.preferences({**made, "topic": topics}, slices=["topic"])
    place = [found.items.index(name) for name in "xyz"]
    for row, want in zip(found.slices["topic"].strengths, (1, -1), strict=True):
        np.testing.assert_allclose(row[place], [1.5 * want, 0, -1.5 * want], atol=0.25)
    assert found.slices["topic"].scale > 0.7


def test_the_prior_bounds_an_item_that_always_wins_in_slices_too():
    """Without it, its strength grew with every round, until a matrix was singular."""
    rows = 3 * [("x", "y", "a")] + 2 * [("y", "z", "a")] + 2 * [("x", "z", "a")]
    columns = dict(zip(("a", "b", "winner"), zip(*rows, strict=True), strict=True))
    table = {name: list(values) for name, values in columns.items()}
    table["topic"] = ["s", "t"] * 3 + ["s"]
    for prior in (0.1, 5.0):
        found = corral.preferences(table, slices="topic", prior=prior)
        of_slices = found.slices["topic"].strengths
        assert np.isfinite(found.slices["topic"].interval).all()
        # Slices are drawn to what is said of all, which has the same prior.
        assert np.abs(of_slices).max() < 1.5 * np.abs(found.strengths).max() + 0.5


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
