"""Known values and their classes."""

import pytest

from corral.errors import ParameterError, SignalsError
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
    with pytest.raises(SignalsError, match=r"row 1 holds .* cannot be looked up"):
        lookup(None, {"a": 1}).apply(["a", ["b"]])
