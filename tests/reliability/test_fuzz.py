"""A budget of the fuzzing: a few cases of every property, the same each time.

`make fuzz CASES=1000000` runs many more, and stores what it counted.
"""

import pytest

pytest.importorskip("pyarrow", reason="tables need pyarrow: make test EXTRAS=all")

from reliability.fuzz.properties import (
    PROPERTIES,
    Property,
    Tally,
    run_cases,
)
from reliability.fuzz.run import load_properties, quotas

load_properties()
BUDGET = 400
"""Cases of all properties; about 20 s."""


@pytest.mark.parametrize("name", sorted(PROPERTIES))
def test_what_must_hold_holds(name):
    tally = Tally()
    run_cases(PROPERTIES[name], quotas(BUDGET)[name], 2**31, tally)
    shown = [f"{f['case']}\n{f['why']}" for f in tally.failures.values()]
    assert not shown, shown[0]
    assert tally.cases


def test_a_property_that_does_not_hold_is_found():
    from hypothesis import strategies as st

    from corral.errors import ParameterError

    def check(number):
        if number == 1:
            raise ParameterError("one is refused.")
        assert number < 5

    tally = Tally()
    run_cases(Property("small", "", st.integers(0, 9), check, 1), 200, 0, tally)
    assert tally.held
    assert tally.refused
    assert len(tally.failures) == 1
    assert tally.cases >= 10


def test_every_property_says_what_must_hold():
    assert all(prop.says.endswith(".") for prop in PROPERTIES.values())
