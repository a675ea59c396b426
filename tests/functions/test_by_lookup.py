"""Known values and their classes."""

import pytest

import corral
from corral.errors import (
    FunctionError,
    FunctionWarning,
    ParameterError,
    SignalsWarning,
)
from corral.functions import lookup


def test_lookup_of_values_and_of_a_set():
    both = lookup("place", {"Oslo": "city", "Elbe": "river"})
    rows = [{"place": place} for place in ("Elbe", "oslo", None)]
    assert both.apply(rows).to_list() == ["river", None, None]
    cities = lookup(None, ["OSLO"], "city", lowercase=True)
    assert cities.apply(["oslo", "Oslo", 3]).to_list() == ["city", "city", None]


def test_lookup_options():
    with pytest.raises(ParameterError, match="a set of values needs label="):
        lookup(None, {"a"})
    with pytest.raises(ParameterError, match="leave out label="):
        lookup(None, {"a": 1}, 1)
    with pytest.raises(ParameterError, match="a mapping from values"):
        lookup(None, "abc", 1)
    with pytest.raises(ParameterError, match="empty"):
        lookup(None, {})
    with pytest.raises(ParameterError, match="'oslo' stands for 'a' and, in another"):
        lookup(None, {"Oslo": "a", "oslo": "b"}, lowercase=True)
    lookup(None, {"Oslo": "a", "oslo": "a"}, lowercase=True)


def test_what_cannot_be_looked_up():
    known, data = lookup(None, {"a": "x", "b": "y"}), ["a", ["b"]]
    with pytest.raises(FunctionError, match=r"row 1: .* text or a number was expected"):
        known.apply(data)
    with pytest.warns(FunctionWarning, match="1 rows, first row 1"):
        signals = corral.apply(known, data, on_error="abstain")
    assert signals.votes.tolist() == [[0], [-1]]


def test_a_table_of_another_type():
    with pytest.warns(SignalsWarning, match="table holds str, the data hold int"):
        lookup(None, {"1": "x"}).apply([1, 2])
