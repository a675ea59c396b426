"""A budget of the fuzzing: a few cases of every property, the same each time.

`make fuzz CASES=1000000` runs many more, and stores what it counted.
"""

import pytest

pytest.importorskip("pyarrow", reason="tables need pyarrow: make test EXTRAS=all")
pytest.importorskip("uvicorn", reason="the workbench needs the extra serve")

from reliability.fuzz.properties import (
    PROPERTIES,
    Property,
    Tally,
    run_cases,
)
from reliability.fuzz.readers import READERS
from reliability.fuzz.run import load_properties, quotas

load_properties()
BUDGET = 1000
"""Cases of all properties; about 20 s. Spark, which starts slowly, has tests of its own in
tests/tables."""


@pytest.mark.parametrize("name", sorted(PROPERTIES.keys() - {"spark agrees"}))
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


def test_properties_with_one_strategy_have_cases_of_their_own():
    from hypothesis import strategies as st

    seen = {}
    for name in ("one", "other"):
        cases = seen[name] = []
        number = st.integers(0, 2**32)
        run_cases(Property(name, "", number, cases.append, 1), 20, 7, Tally())
    assert seen["one"] != seen["other"]


def test_an_edited_document_leaves_the_first_as_it_was():
    from reliability.fuzz.json_edits import Edit, edited

    document = {"a": [1, 2], "b": {"c": None}}
    changes = [Edit("twice", 2, 0, None), Edit("remove", 5, 0, None)]
    assert edited(document, changes) == {"a": [1, 1, 2]}
    assert document == {"a": [1, 2], "b": {"c": None}}


@pytest.mark.parametrize("name", sorted(READERS))
def test_readers_read_what_guided_fuzzing_begins_with(name):
    tally = Tally()
    reader = READERS[name]
    for seed in reader.seeds():
        tally.run(Property(name, reader.says, None, reader.run, 1), seed)
    assert not tally.failures, tally.failures
    assert tally.held


def test_every_property_says_what_must_hold():
    assert all(prop.says.endswith(".") for prop in PROPERTIES.values())
