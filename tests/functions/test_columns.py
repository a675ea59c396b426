"""Known values, limits and crowds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corral
from corral.errors import (
    FunctionError,
    FunctionWarning,
    ParameterError,
    SignalsError,
    SignalsWarning,
)
from corral.functions import lookup, threshold


def test_lookup_of_values_and_of_a_set():
    both = lookup("place", {"Oslo": "city", "Elbe": "river"})
    rows = [{"place": place} for place in ("Elbe", "oslo", None)]
    assert both.apply(rows).to_list() == ["river", None, None]
    cities = lookup(None, ["OSLO"], "city", lowercase=True)
    assert cities.apply(["oslo", "Oslo", 3]).to_list() == ["city", "city", None]


def test_lookup_options():
    for wrong in (({"a"},), ({"a": 1}, 1), ("abc", 1), ({},)):
        with pytest.raises(ParameterError, match=r"label|mapping|empty"):
            lookup(None, *wrong)
    with pytest.raises(ParameterError, match="spelling"):
        lookup(None, {"Oslo": "a", "oslo": "b"}, lowercase=True)
    lookup(None, {"Oslo": "a", "oslo": "a"}, lowercase=True)


def test_what_cannot_be_looked_up():
    known, data = lookup(None, {"a": "x", "b": "y"}), ["a", ["b"]]
    with pytest.raises(FunctionError, match=r"row 2: .* text or a number was expected"):
        known.apply(data)
    with pytest.warns(FunctionWarning, match="1 rows, first row 2"):
        signals = corral.apply(known, data, on_error="abstain")
    assert signals.votes.tolist() == [[0], [-1]]


def test_a_table_of_another_type():
    with pytest.warns(SignalsWarning, match="table holds str, the data hold int"):
        lookup(None, {"1": "x"}).apply([1, 2])


@given(st.lists(st.floats() | st.integers(-5, 5) | st.none(), min_size=1))
def test_threshold_is_strict(values):
    def inside(value):
        return value is not None and -2 < value < 3

    said = threshold(None, 1, above=-2, below=3).apply(values).to_list()
    assert said == [1 if inside(value) else None for value in values]


def test_threshold_on_columns_of_arrays():
    array = np.array([[1, 5], [9, 0]])
    assert threshold(1, "x", above=4).apply(array).to_list() == ["x", None]
    with pytest.raises(
        SignalsError, match=r"no column 2 in an array of shape \(2, 2\)"
    ):
        threshold(2, "x", above=4).apply(array)


@pytest.mark.parametrize("value", ["4", [1], {}])
def test_threshold_wants_numbers(value):
    with pytest.raises(FunctionError, match="row 2: TypeError: a number was expected"):
        threshold(None, "x", above=1).apply([2, value])


def test_threshold_options():
    for limits in ({}, {"above": "3"}, {"below": float("nan")}):
        with pytest.raises(ParameterError, match="a number is needed"):
            threshold(None, "x", **limits)
    with pytest.raises(ParameterError, match="nothing is above 3 and below 3"):
        threshold(None, "x", above=3, below=3)
    assert threshold("a", 1, above=0.5, below=2).name == "0.5 < a < 2"
