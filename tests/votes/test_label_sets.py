"""Votes that are sets of classes, and one class of them at a time."""

import numpy as np
import pytest
from corral.votes.vote_matrix import choose_votes
from scipy.sparse import csr_array

from corral import WeakSignals
from corral.errors import SignalsError
from corral.votes.label_sets import parse_set


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("film; song", ("film", "song")),
        ("film;film;", ("film",)),
        (" film ", ("film",)),
        ('["a; b", "c"]', ("a; b", "c")),
        ("[a", ("[a",)),
        ("[a]", ("[a]",)),
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
    assert signals.about("a").votes.tolist() == [[1, -1], [0, 0]]
    assert signals.about("c").votes.tolist() == [[0, -1], [0, 1]]
    named = WeakSignals.from_label_sets(votes, classes=["c", "b", "a", "d"])
    assert named.about("d").votes.tolist() == [[0, -1], [0, 0]]


@pytest.mark.parametrize(
    ("votes", "options", "said"),
    [
        ([[["a"]], [["a"], ["b"]]], {}, "rows of equal length"),
        ([[["a"]]], {}, "at least two classes"),
        ([[["a", 1]]], {}, "all text or all numbers"),
        ([[["a", "b"]]], {"classes": ["a", "c"]}, "name 'b', which is not among"),
    ],
)
def test_what_is_refused(votes, options, said):
    with pytest.raises(SignalsError, match=said):
        WeakSignals.from_label_sets(votes, **options)


def test_one_class_of_soft_binned_and_sparse_signals():
    rng = np.random.default_rng(0)
    w = rng.random((3, 20, 2))
    w[0, :, 1] = np.nan  # the first signal never speaks of the second class
    w[:, 3] = np.nan
    soft = WeakSignals.from_one_vs_rest(w, classes=["a", "b"])
    view = soft.about("b")
    assert view.names == ("s1", "s2")
    assert view.classes.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(view.values[0], w[1:, :, 1])
    every = soft.about("b", [0, 1, 2])
    np.testing.assert_array_equal(every.values[0], w[:, :, 1])
    binned = WeakSignals.from_one_vs_rest(w, classes=["a", "b"], bins=10).about("b")
    np.testing.assert_allclose(binned.values[0], np.round(w[1:, :, 1], 1), atol=1e-9)
    codes = np.where(rng.random((9, 4)) < 0.4, rng.integers(0, 2, (9, 4)), -1)
    at = np.array([2, -1, 0])
    sparse = choose_votes(csr_array(codes + 1), at).toarray() - 1
    np.testing.assert_array_equal(sparse, choose_votes(codes, at))
