"""Dataclasses as settings and arrays, and back."""

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

from corral._types import BoolArray, FloatArray, IntArray
from corral.storage.dataclass_encoding import decode, encode


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Leaf:
    numbers: FloatArray
    flags: BoolArray | None = None


@dataclass(frozen=True)
class Tree:
    leaf: Leaf
    positions: IntArray
    words: NDArray[Any]
    cells: csr_array
    colour: Colour
    names: tuple[str, ...]
    size: float
    steps: int
    mode: Literal["one", "two"]
    free: Any = None


KNOWN = {"Leaf": Leaf, "Tree": Tree}
TREE = Tree(
    Leaf(np.array([0.5, np.nan])),
    np.arange(3),
    np.array(["a", "bc"]),
    csr_array(np.eye(2)),
    Colour.BLUE,
    ("x", "y"),
    2,
    np.int64(7),
    "two",
    {"nested": [1, ("a", None), {0.5: np.float64(0.25)}], "a/b": Leaf(np.zeros(0))},
)


def written(value):
    arrays = {}
    return json.loads(json.dumps(encode(value, arrays, KNOWN, "it"))), arrays


def test_what_is_written_comes_back():
    settings, arrays = written(TREE)
    again = decode(settings, arrays, KNOWN, "it", Tree)
    assert "it.leaf.numbers" in arrays
    np.testing.assert_array_equal(again.leaf.numbers, TREE.leaf.numbers)
    assert again.leaf.flags is None
    np.testing.assert_array_equal(again.words, TREE.words)
    np.testing.assert_array_equal(again.cells.toarray(), np.eye(2))
    assert again.colour is Colour.BLUE
    assert again.names == ("x", "y")
    assert (again.size, again.steps, again.mode) == (2, 7, "two")
    assert again.free["nested"] == [1, ("a", None), {0.5: 0.25}]
    assert isinstance(again.free["a/b"], Leaf)


def test_a_series_is_an_array():
    pandas = pytest.importorskip("pandas")
    settings, arrays = written({"rates": pandas.Series([0.1, 0.2])})
    assert decode(settings, arrays, KNOWN, "it")["rates"].tolist() == [0.1, 0.2]


@pytest.mark.parametrize("value", [object(), lambda: 0, {1, 2}, Leaf, np.random])
def test_what_is_nothing_for_a_file(value):
    with pytest.raises(TypeError, match="nothing that a file can hold"):
        encode([value], {}, KNOWN, "it")


def test_only_known_classes_are_made():
    settings, arrays = written(TREE.leaf)
    with pytest.raises(ValueError, match="something that corral wrote"):
        decode(settings, arrays, {}, "it")
    with pytest.raises(TypeError, match="nothing that a file can hold"):
        encode(TREE.leaf, {}, {"Leaf": Tree}, "it")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("positions", np.zeros(3), "other numbers in it.positions, not float64"),
        ("leaf", Leaf(np.arange(2)), "float32 or float64 in it.leaf.numbers, not int"),
        ("leaf", Leaf(np.zeros(2, "f2")), "float32 or float64 in .*, not float16"),
        ("leaf", Leaf(np.zeros(1), np.zeros(1)), "in it.leaf.flags"),
        ("leaf", None, "Leaf in it.leaf, not NoneType"),
        ("colour", "green", "'green' is not a valid Colour"),
        ("names", ("x", 1), "in it.names, not tuple"),
        ("size", True, "a number in it.size, not bool"),
        ("steps", 1.5, "a whole number in it.steps, not float"),
        ("mode", "three", "in it.mode, not str"),
    ],
)
def test_fields_must_be_what_their_class_says(field, value, message):
    settings, arrays = written(replace(TREE, **{field: value}))
    with pytest.raises(ValueError, match=message):
        decode(settings, arrays, KNOWN, "it", Tree)


def test_fields_and_arrays_must_be_there():
    settings, arrays = written(TREE)
    with pytest.raises(ValueError, match="the fields of Tree"):
        decode(settings | {"more": 1}, arrays, KNOWN, "it")
    del arrays["it.positions"]
    with pytest.raises(KeyError, match=r"it\.positions"):
        decode(settings, arrays, KNOWN, "it")


def test_a_sparse_array_is_checked():
    settings, arrays = written(TREE)
    arrays["it.cells.indices"] = np.array([0, 9])
    with pytest.raises(ValueError, match=r"indices|column index"):
        decode(settings, arrays, KNOWN, "it")
