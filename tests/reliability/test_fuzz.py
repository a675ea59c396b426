"""A budget of the fuzzing: a few cases of every property, the same each time.

`make fuzz CASES=1000000` runs many more, and stores what it counted.
"""

import subprocess

import pytest

pytest.importorskip("pyarrow", reason="tables need pyarrow: make test EXTRAS=all")
pytest.importorskip("uvicorn", reason="the workbench needs the extra serve")

from reliability.fuzz.properties import (
    PROPERTIES,
    Property,
    Tally,
    must_work,
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


def test_what_is_refused_after_it_was_accepted_is_a_failure():
    from hypothesis import strategies as st

    from corral.errors import ParameterError, StorageError

    def check(number):
        if number == 1:
            raise ParameterError("one is refused.")
        with must_work():
            raise StorageError("cannot be read back.")

    tally = Tally()
    run_cases(Property("lost", "", st.integers(0, 2), check, 1), 50, 0, tally)
    assert tally.refused
    assert not tally.held
    ((kind, failure),) = tally.failures.items()
    assert kind.startswith("StorageError in reliability/test_fuzz.py")
    assert "refused after it was accepted: StorageError: cannot" in failure["why"]


def test_a_model_that_cannot_be_loaded_is_a_failure(monkeypatch):
    from corral.errors import StorageError
    from corral.labelers import Labeler

    def refuse(path):
        raise StorageError(f"{path} is damaged.")

    monkeypatch.setattr(Labeler, "load", refuse)
    tally = Tally()
    run_cases(PROPERTIES["saved labelers"], 30, 0, tally)
    assert tally.failures
    assert not tally.held


@pytest.mark.parametrize("name", ["workbench acts", "project files"])
def test_a_workbench_that_cannot_be_opened_again_is_a_failure(monkeypatch, name):
    from reliability.fuzz.on_workbench import empty_project, written_project

    from corral.errors import StorageError
    from corral.workbench import Workbench

    written_project(), empty_project()  # made once, before openings are counted
    open_workbench, folders = Workbench.open, set()

    def refuse_again(path, **options):
        if path in folders:
            raise StorageError(f"{path} is damaged.")
        folders.add(path)
        return open_workbench(path, **options)

    monkeypatch.setattr(Workbench, "open", refuse_again)
    tally = Tally()
    run_cases(PROPERTIES[name], 12, 0, tally)
    assert tally.failures
    assert not tally.held


def ended(code, said):
    """What a process of libFuzzer leaves."""
    return subprocess.CompletedProcess([], code, "", said)


STATISTICS = "#2 INITED cov: 7\n#9 DONE cov: 8\nstat::number_of_executed_units: 9\n"


@pytest.mark.parametrize(
    ("done", "failures"),
    [
        (ended(0, STATISTICS), 0),
        (ended(77, f"ERROR: libFuzzer: deadly signal\n{STATISTICS}"), 1),
        (ended(0, f"ERROR: libFuzzer: timeout after 60 s\n{STATISTICS}"), 1),
        (ended(-9, STATISTICS), 1),
        (ended(0, "no statistics"), 1),
    ],
)
def test_a_guided_reader_that_crashes_is_a_failure(monkeypatch, done, failures):
    from reliability.fuzz import guided

    monkeypatch.setattr(guided.subprocess, "run", lambda *_, **__: done)
    found = guided._run_reader("options", READERS["options"], 1)
    assert len(found["failures"]) == failures
    assert all(one["why"] == done.stderr for one in found["failures"])


def test_counts_are_added_and_no_round_is_run_twice(monkeypatch):
    from reliability.fuzz import run

    stored, begun = {}, []

    def rounds(sizes, first, jobs):
        begun.append(first)
        failed = {"times": 2, "case": "", "why": ""}
        for number in range(first, first + len(sizes)):
            yield number, {"printed": Tally(held=3, failures={"here": {**failed}})}
        yield first + len(sizes), None  # its process died

    monkeypatch.setattr(run, "_run_rounds", rounds)
    monkeypatch.setattr(run, "store", stored.__setitem__)
    monkeypatch.setattr(run, "load", stored.__getitem__)
    assert not run.run_fuzz(2 * run.ROUND)
    assert not run.run_fuzz(run.ROUND, more=True)
    found = stored["fuzz"]
    assert begun == [0, 3]
    assert found["cases"] == 15
    assert found["properties"]["printed"]["failed"] == 6
    assert [run["failed"] for run in found["runs"]] == [5, 3]
    kinds = [(one["kind"], one["times"]) for one in found["failures"]]
    assert kinds == [("here", 6), ("round 2", 1), ("round 4", 1)]


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
