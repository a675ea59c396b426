"""Votes that are sets of classes, and one class of them at a time."""

import numpy as np
import pytest

from corral import WeakSignals
from corral.errors import SignalsError
from corral.votes.label_sets import parse_set


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("film; song", ("film", "song")),
        ("film;film;", ("film",)),
        (" film ", ("film",)),
        (";", ()),
        ([], ()),
        ({"x"}, ("x",)),
        (np.array(["x", "y"]), ("x", "y")),
        (3, (3,)),
        (None, None),
        ("", None),
        ("N/A", None),
        (float("nan"), None),
    ],
)
def test_cells(cell, found):
    assert parse_set(cell, ";") == found


def test_a_set_says_yes_and_no():
    votes = [[["a", "b"], None], [[], ["c"]]]
    signals = WeakSignals.from_label_sets(votes, names=["x", "y"])
    assert signals.classes.tolist() == ["a", "b", "c"]
    assert signals.for_class("a").votes.tolist() == [[1, -1], [0, 0]]
    assert signals.for_class("c").votes.tolist() == [[0, -1], [0, 1]]
    named = WeakSignals.from_label_sets(votes, classes=["c", "b", "a", "d"])
    assert named.for_class("d").votes.tolist() == [[0, -1], [0, 0]]


@pytest.mark.parametrize(
    ("votes", "options", "said"),
    [
        ([[["a"]], [["a"], ["b"]]], {}, "rows of equal length"),
        ([[["a"]]], {}, "at least two"),
        ([[["a", 1]]], {}, "all text or all numbers"),
        ([[["a", "b"]]], {"classes": ["a", "c"]}, "'b' is not among"),
    ],
)
def test_what_is_refused(votes, options, said):
    with pytest.raises(SignalsError, match=said):
        WeakSignals.from_label_sets(votes, **options)


def test_one_class_of_soft_signals():
    rng = np.random.default_rng(0)
    w = rng.random((3, 20, 2))
    w[0, :, 1] = np.nan  # the first signal never speaks of the second class
    w[:, 3] = np.nan
    signals = WeakSignals.from_one_vs_rest(w, classes=["a", "b"])
    view = signals.for_class("b")
    assert view.names == ("s1", "s2")
    assert view.classes.tolist() == ["no", "yes"]
    said = view.probabilities[view.row_of, :, 1]
    np.testing.assert_allclose(said, w[1:, :, 1].T, atol=1e-12)
    with pytest.raises(SignalsError, match="classes"):
        signals.for_class("c")
    with pytest.raises(SignalsError, match="one task"):
        WeakSignals.from_votes([[0, 1]]).for_class(0)


def test_lists_as_text_are_lists():
    signals = WeakSignals.from_label_sets([['["x", "y"]', "[]"], ["x", '["y"]']])
    assert signals.classes.tolist() == ["x", "y"]
