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
