"""A few faults of every kind; `make faults COUNT=500` injects many more."""

import json
import multiprocessing
import sys

import pytest

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="limits and signals of Linux"
)


def inject(folder):
    """In a process of its own: children are forked, which threads of others forbid."""
    import os

    os.environ["CORRAL_RELIABILITY_RESULTS"] = str(folder)
    from reliability.faults.run import run_faults

    if not run_faults(1, seed=1, rows=3_000):
        raise SystemExit(1)


def test_files_survive(tmp_path, capfd):
    pytest.importorskip("uvicorn", reason="jobs of the workbench need the extra serve")
    from reliability.faults.kinds import FAULTS

    own = multiprocessing.get_context("spawn")
    process = own.Process(target=inject, args=(tmp_path,))
    process.start()
    process.join()
    assert process.exitcode == 0, capfd.readouterr().out
    found = json.loads((tmp_path / "faults.json").read_text())
    assert found["faults"].keys() == FAULTS.keys()
    for kind, one in found["faults"].items():
        wanted = 0 if "why none" in one else 1
        assert one["survived"] == one["injected"] == wanted, kind


def test_rows_that_are_missing_are_found(tmp_path):
    from reliability.faults.by_inputs import check_rows

    given, output = tmp_path / "given.csv", tmp_path / "output.csv"
    given.write_text("id,a\n1,x\n2,y")
    output.write_text("id,a,label\n1,x,x\n2,y,y\n")
    check_rows(output, given)
    output.write_text("id,a,label\n1,x,x\n")
    with pytest.raises(AssertionError, match="1 rows of 2"):
        check_rows(output, given)
    output.write_text("id,a,label\n1,x,x\n3,y,y\n")
    with pytest.raises(AssertionError, match="other ids"):
        check_rows(output, given)


def test_outputs_of_two_versions_are_found():
    from reliability.faults.checks import is_version

    first, second = ({"a.csv": n, "b.csv": n, "cache/c": n} for n in (b"1", b"2"))
    assert is_version({"a.csv": b"1", "b.csv": b"1"}, first)
    assert not is_version({"a.csv": b"1"}, first)
    mixed = {"a.csv": b"1", "b.csv": b"2"}
    assert not is_version(mixed, first)
    assert not is_version(mixed, second)
    assert not is_version(first, {})
