"""Faults of what is given: inputs that are cut or change, functions that fail."""

from __future__ import annotations

import csv
import io
import os
import shutil
import signal
from pathlib import Path

import numpy as np

from reliability.faults.checks import Bench
from reliability.faults.children import beside, end, start
from reliability.faults.moments import after, wait


def cut_input(bench: Bench, rng: np.random.Generator) -> None:
    """An input ends too early: labelled as far as it goes, or refused with its name."""
    bench.reset(old=bool(rng.random() < 0.7))
    name = bench.job.inputs[-1]
    data = bench.inputs[name]
    (bench.folder / name).write_bytes(data[: int(rng.uniform(0, len(data)))])
    code = wait(start(bench.job, bench.folder))
    assert code in (0, 1), f"exit code {code}: {bench.said}"
    bench.check_message()
    bench.check_nothing_left()
    if code:
        bench.check_message(name.split(".")[0])
        bench.check_refused()
    else:
        # What says how to read a Parquet file is at its end, so that none can be cut.
        assert name.endswith(".csv"), f"{name} was cut, and taken"
        check_rows(bench.folder / bench.job.outputs[0], bench.folder / name)
    (bench.folder / name).write_bytes(data)
    shutil.rmtree(bench.folder / "cache", ignore_errors=True)  # answers to other rows
    bench.check_again()


def check_rows(output: Path, given: Path) -> None:
    """A CSV file has as many rows as another, and the ids of both are the same."""
    found, wanted = (
        [row for row in csv.reader(io.StringIO(path.read_text())) if row]
        for path in (output, given)
    )
    apart = f"{len(found) - 1} rows of {len(wanted) - 1}"
    assert len(found) == len(wanted), f"{output.name} has {apart}"
    assert "id" not in found[0] or (
        [row[found[0].index("id")] for row in found]
        == [row[wanted[0].index("id")] for row in wanted]
    ), f"{output.name} has other ids than {given.name}"


def input_changes(bench: Bench, rng: np.random.Generator) -> None:
    """An input is replaced or cut while it is read: refused, or labels of one version."""
    name = bench.job.inputs[-1]
    path, data = bench.folder / name, bench.inputs[name]
    code: int | None = 0
    while code is not None:  # again, if it ended before
        assert code == 0, f"exit code {code}: {bench.said}"
        bench.reset(old=bool(rng.random() < 0.7))
        child = start(bench.job, bench.folder)
        code = wait(child, after(rng.uniform(0, bench.seconds)))
    how = str(rng.choice(CHANGES))
    at = int(rng.uniform(0, len(data)))
    changed = {
        "cut": data[:at],
        "garbage": data[:at] + b"\0" * 64,
        "delete": None,
    }.get(how, bench.others.get(name))
    if changed is None:
        path.unlink()
    elif how == "replace":
        beside(bench.folder, "other").write_bytes(changed)
        beside(bench.folder, "other").replace(path)
    else:
        path.write_bytes(changed)
    code = wait(child)
    assert code in (0, 1), f"exit code {code}: {bench.said}"
    bench.check_message()
    path.write_bytes(data)
    shutil.rmtree(bench.folder / "cache", ignore_errors=True)
    if code == 0:
        bench.check_one_version(name, changed)
    else:
        bench.check_files(tidy=True)
    bench.check_again()


CHANGES = ("cut", "garbage", "delete", "replace", "overwrite")
"""What becomes of an input: `replace` and `overwrite` put another good file there."""


BAD_RULES = {
    "raise": ("    raise ValueError('no')", r"no.*row|row.*no"),
    "hang": ("    while True: pass", None),
    "hang in another process": (
        "    while os.getpid() != HERE: pass\n    time.sleep(0.02)",
        None,
    ),
    "return a list": ("    return [1, 2]", "slow"),
    "return an object": ("    return object()", "slow"),
    "return NaN of a class": ("    return {'yes': float('nan')}", "slow"),
}
"""Bodies of functions, and what a message must say."""
PATIENCE = 20
"""Seconds in which Ctrl-C must end a function that hangs."""


def bad_function(bench: Bench, rng: np.random.Generator) -> None:
    """A function raises, hangs until one Ctrl-C or returns garbage: a message, files stay.

    It hangs in this process or in one that was started for it.
    """
    bench.reset(old=True)
    body, words = BAD_RULES[str(rng.choice(sorted(BAD_RULES)))]
    rules = bench.inputs["rules.py"].decode()
    kept = rules[: rules.index("    return")] + body + rules[rules.index("\n\nrules") :]
    (bench.folder / "rules.py").write_text(kept)
    child = start(bench.job, bench.folder, jobs=2)
    if words is None:
        code = wait(child, after(rng.uniform(1, 3)))
        assert code is None, f"exit code {code}: {bench.said}"
        os.kill(child, signal.SIGINT)
        code = wait(child, after(PATIENCE))
        if code is None:
            os.kill(child, signal.SIGKILL)
            end(child)
            raise AssertionError("Ctrl-C does not end it")
    else:
        code = wait(child)
    assert code == (130 if words is None else 1), f"exit code {code}: {bench.said}"
    bench.check_message(*([] if words is None else [words]))
    bench.check_refused()
    (bench.folder / "rules.py").write_bytes(bench.inputs["rules.py"])
    shutil.rmtree(bench.folder / "cache", ignore_errors=True)
    bench.check_again()
