"""Numbers above or below a limit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.errors import FunctionError, ParameterError, SignalsError
from corral.functions import threshold


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
    with pytest.raises(FunctionError, match="row 1: TypeError: a number was expected"):
        threshold(None, "x", above=1).apply([2, value])


def test_threshold_options():
    for limits in ({}, {"above": "3"}, {"below": float("nan")}, {"above": 10**400}):
        with pytest.raises(ParameterError, match="a number is needed"):
            threshold(None, "x", **limits)
    with pytest.raises(ParameterError, match="nothing is above 3 and below 3"):
        threshold(None, "x", above=3, below=3)
    assert threshold("a", 1, above=0.5, below=2).name == "0.5 < a < 2"


def test_limits_may_be_larger_than_integers_of_arrays():
    votes = threshold(None, "x", above=2, below=10**30).apply([1, 3.5, 1e31]).to_list()
    assert votes == [None, "x", None]
