"""Which values are classes, which abstain, and what is refused instead of guessed."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from corral import WeakSignals
from corral.errors import SignalsError

nan = np.nan


def read(votes, **options):
    """Codes and classes as lists."""
    signals = WeakSignals.from_votes(votes, **options)
    return signals.votes.tolist(), signals.classes.tolist()


@pytest.mark.parametrize(
    ("votes", "codes", "classes"),
    [
        ([[1, 0], [-1, 2]], [[1, 0], [-1, 2]], [0, 1, 2]),
        ([[5, 3], [-1, 5]], [[1, 0], [-1, 1]], [3, 5]),
        ([[1.0, 0.0], [-1.0, 1.0]], [[1, 0], [-1, 1]], [0, 1]),
        ([[1.0, 0.0], [nan, 1.0]], [[1, 0], [-1, 1]], [0, 1]),
        ([[1, 0], [None, 1]], [[1, 0], [-1, 1]], [0, 1]),
        ([[True, False], [False, False]], [[1, 0], [0, 0]], [0, 1]),
        ([["b", "a"], ["", "b"]], [[1, 0], [-1, 1]], ["a", "b"]),
        ([["b", "a"], [None, "b"]], [[1, 0], [-1, 1]], ["a", "b"]),
        ([["b", "a"], [nan, "b"]], [[1, 0], [-1, 1]], ["a", "b"]),
        ([[None, "a"], ["", "b"]], [[-1, 0], [-1, 1]], ["a", "b"]),
        (((1, 0), (0, 1)), [[1, 0], [0, 1]], [0, 1]),
    ],
)
def test_classes_and_abstains_by_default(votes, codes, classes):
    assert read(votes) == (codes, classes)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, bool])
def test_types_without_a_sign_never_abstain(dtype):
    assert read(np.array([[0, 1], [1, 1]], dtype)) == ([[0, 1], [1, 1]], [0, 1])


@pytest.mark.parametrize("dtype", [int, float, object])
@pytest.mark.parametrize("classes", [None, [-1, 1]])
def test_flying_squid_coding(dtype, classes):
    votes = np.array([[-1, 0], [1, -1]]).astype(dtype)
    assert read(votes, classes=classes, abstain=0) == ([[0, -1], [1, 0]], [-1, 1])


@pytest.mark.parametrize(
    ("votes", "options", "codes", "classes"),
    [
        ([[-1, 1], [1, 1]], {"classes": [-1, 1]}, [[0, 1], [1, 1]], [-1, 1]),
        ([[-1, 1], [1, 1]], {"classes": [0, 1]}, [[-1, 1], [1, 1]], [0, 1]),
        ([[9, 1], [1, 0]], {"abstain": 9.0}, [[-1, 1], [1, 0]], [0, 1]),
        ([[nan, -1], [1, -1]], {"abstain": nan}, [[-1, 0], [1, 0]], [-1, 1]),
        ([[nan, -1], [1, -1]], {"classes": [-1, 1]}, [[-1, 0], [1, 0]], [-1, 1]),
        ([["?", "a"], ["b", "a"]], {"abstain": "?"}, [[-1, 0], [1, 0]], ["a", "b"]),
        ([["a", "b"]], {"classes": ["b", "a"]}, [[1, 0]], ["b", "a"]),
        ([[0, 2]], {"classes": [2, 1, 0]}, [[2, 0]], [2, 1, 0]),
        ([[1, 1], [-1, 1]], {"classes": range(3)}, [[1, 1], [-1, 1]], [0, 1, 2]),
        ([["a", None]], {"classes": ["a", "b"]}, [[0, -1]], ["a", "b"]),
        ([[1, 1]], {"classes": np.array([0, 1])}, [[1, 1]], [0, 1]),
    ],
)
def test_overrides(votes, options, codes, classes):
    assert read(votes, **options) == (codes, classes)


@pytest.mark.parametrize("k", [2, 127, 128, 200, 40_000])
def test_codes_are_small_and_right_for_any_number_of_classes(k):
    votes = np.arange(k).reshape(-1, 1)[::-1]
    signals = WeakSignals.from_votes(votes, classes=range(k))
    assert signals.n_classes == k
    assert signals.votes.itemsize == (1 if k <= 127 else 2 if k < 2**15 else 4)
    np.testing.assert_array_equal(signals.classes[signals.votes], votes)


def test_a_rare_class_late_in_long_data_is_seen():
    votes = np.zeros((20_000, 2), np.int16)
    votes[:, 1] = 40
    votes[-1] = 7, -1
    signals = WeakSignals.from_votes(votes)
    assert signals.classes.tolist() == [0, 7, 40]
    assert signals.votes[-1].tolist() == [1, -1]


matrices = hnp.array_shapes(min_dims=2, max_dims=2, max_side=6)


@given(
    hnp.arrays(np.int64, matrices, elements=st.integers(-1, 4)),
    st.sampled_from(["int8", "float", "nan", "object", "str", "shifted"]),
)
def test_every_writing_of_the_same_votes_is_read_alike(votes, writing):
    if len(np.unique(votes[votes >= 0])) < 2:
        return
    silent = votes < 0
    written, options = {
        "int8": (votes.astype(np.int8), {}),
        "float": (votes.astype(float), {}),
        "nan": (np.where(silent, nan, votes), {}),
        "object": (np.where(silent, None, votes.astype(object)), {}),
        "str": (np.where(silent, "", votes.astype(str)), {}),
        "shifted": (votes * 1000 + 7, {"abstain": -993}),
    }[writing]
    signals = WeakSignals.from_votes(written, **options)
    seen = np.unique(votes[~silent])
    expected = np.where(silent, -1, np.searchsorted(seen, votes))
    np.testing.assert_array_equal(signals.votes, expected)
    # the class values come back as they were written
    np.testing.assert_array_equal(
        signals.classes[signals.votes][~silent], np.asarray(written)[~silent]
    )


BAD = {
    "no rows": (np.zeros((0, 3), int), {}, r"empty: the shape is \(0, 3\)"),
    "no signals": (np.zeros((3, 0), int), {}, r"empty: the shape is \(3, 0\)"),
    "one dimension": ([0, 1, 1], {}, r"2 dimensions.*\(3,\)"),
    "three dimensions": (np.zeros((2, 2, 2), int), {}, r"2 dimensions.*\(2, 2, 2\)"),
    "a scalar": (3, {}, "2 dimensions; 3 was given"),
    "nothing": (None, {}, "2 dimensions; None was given"),
    "ragged": ([[0, 1], [1]], {}, "rectangular.*different lengths"),
    "all abstain": ([[-1, -1], [-1, -1]], {}, "every vote is an abstain"),
    "all NaN": ([[nan, nan]], {}, "every vote is an abstain"),
    "NaN among votes": ([[nan, 1], [0, 9]], {"abstain": 9}, "missing"),
    "None among strings": ([[None, "a"], ["b", "?"]], {"abstain": "?"}, "missing"),
    "both NaN and -1": ([[nan, 1], [0, -1]], {}, "both -1 and missing"),
    "both None and -1": ([[None, 1], [0, -1]], {}, "both -1 and missing"),
    "exactly -1 and 1": ([[-1, 1], [1, 1]], {}, r"exactly -1 and 1.*classes=\[-1, 1\]"),
    "below -1": ([[-2, 1], [0, 1]], {}, "-2 came"),
    "out of range": ([[0, 3], [1, 1]], {"classes": [0, 1, 2]}, "votes for 3.*0, 1, 2"),
    "unknown string": ([["a", "c"]], {"classes": ["a", "b"]}, "votes for 'c'"),
    "one class": ([[2, 2], [2, -1]], {}, "one class, 2;.*`classes=`"),
    "one class named": ([["a", "a"]], {"classes": ["a"]}, "one class, 'a'"),
    "a list as a class": ([[0, 1]], {"classes": [0, [1]]}, "numbers"),
    "classes of another type": ([[0, 1]], {"classes": ["a", "b"]}, "'a', 'b'"),
    "abstain of another type": ([[0, 1]], {"abstain": "skip"}, "abstain='skip'"),
    "fractions": ([[0.2, 1.0]], {}, r"0\.2.*from_probabilities"),
    "infinite": ([[np.inf, 1], [0, 1]], {}, "infinite"),
    "too large": ([[1e300, 1.0]], {}, "1e\\+300"),
    "complex": ([[1j, 1]], {}, "complex"),
    "bytes": (np.array([[b"a", b"b"]]), {}, "numbers or strings"),
    "dates": (np.array([["2024-01-01"]], "M8[D]"), {}, "datetime64"),
    "lists in cells": (
        np.array([[[0], None], [[1, 2], "a"]], object), {}, "object array.*lists",
    ),
    "strings and numbers": (np.array([["a", 1]], object), {}, "int, str"),
    "a masked array": (
        np.ma.array([[0, 1], [1, 0]], mask=[[1, 0], [0, 0]]), {}, "mask",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("votes", "options", "message"), BAD.values(), ids=BAD)
def test_refused(votes, options, message):
    with pytest.raises(SignalsError, match=message) as caught:
        WeakSignals.from_votes(votes, **options)
    assert isinstance(caught.value, ValueError)
    assert not re.search(r"np\.\w+\(", str(caught.value)), "a message for people"
