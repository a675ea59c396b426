"""Items that are not connected are named."""

import numpy as np
import pytest

import corral
from corral.errors import SignalsError

SPLIT = [("x", "y"), ("y", "x"), ("y", "z"), ("z", "y"), ("u", "v"), ("v", "u")]


def test_groups_are_refused_by_name():
    with pytest.raises(SignalsError, match=r"\{x, y, z\} and \{u, v\}"):
        corral.preferences(SPLIT)


def test_groups_may_be_ranked_by_themselves():
    found = corral.preferences([*SPLIT, ("u", "v")], unconnected="separate")
    group = dict(zip(found.items, found.group.tolist(), strict=True))
    assert group == {"x": 0, "y": 0, "z": 0, "u": 1, "v": 1}
    for number in (0, 1):
        assert found.strengths[found.group == number].sum() == pytest.approx(0)
    assert found.preference("u", "v")[0] > 0.5
    with pytest.raises(corral.errors.ParameterError, match="never compared"):
        found.preference("x", "u")


def test_items_that_always_win_need_a_prior():
    rows = [("best", "x"), ("best", "y"), ("x", "y"), ("y", "x")]
    with pytest.raises(SignalsError, match=r"infinite.*\{x, y\} and \{best\}"):
        corral.preferences(rows, prior=np.inf)
    found = corral.preferences(rows)
    assert found.items[0] == "best"
    assert "rests on the prior" in found.notes[0]
    assert np.isfinite(found.strengths).all()


def test_a_tie_bounds_strengths_on_both_sides():
    rows = [("best", "x", "best"), ("best", "x", "tie")] * 3
    found = corral.preferences(rows, prior=np.inf, first=None)
    assert not found.notes
    assert found.strengths[0] > 0


def test_long_lists_of_items_are_cut():
    rows = [(f"item {i}", f"item {i + 1}") for i in range(0, 40, 2)]
    with pytest.raises(SignalsError, match=r"20 groups.*and 15 more"):
        corral.preferences(rows)
