"""Runs that are killed, interrupted or starved: every file is the old one or the new."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fuzz.properties import CASES

pytest.importorskip("uvicorn", reason="jobs of the workbench need the extra serve")
if not sys.platform.startswith("linux"):
    pytest.skip("signals and limits are those of Linux", allow_module_level=True)

from tests.faults.jobs import (
    OUTPUTS,
    PROJECT,
    plan_edit,
    run,
    write_inputs,
)

from corral.workbench import Workbench

OLD = b"an older file\n"
TIMES = max(1, CASES // 100)
"""How often each job is disturbed in each way."""


class Bench:
    """A job in a folder of its own, and what its files hold after an undisturbed run."""

    def __init__(self, name: str, folder: Path, process: Any) -> None:
        self.name, self.folder, self.process = name, folder, process
        self.outputs = OUTPUTS[name]
        folder.mkdir()
        write_inputs(folder)
        if name == "exports":  # of a project that is there
            self.start("project").join()
        self.inputs = self.files()
        began = time.monotonic()
        assert self.end(self.start()) == 0, self.said
        self.seconds = time.monotonic() - began
        self.new = {name: self.files()[name] for name in self.outputs}

    def start(self, name: str = "", most: int | None = None) -> Any:
        """Run the job in a process of its own, with all imports done already."""
        for beside in (".acts", ".begun", ".stderr", ".stdout"):
            self.folder.with_suffix(beside).unlink(missing_ok=True)
        arguments = (name or self.name, self.folder, most)
        process = self.process(target=run, args=arguments)
        process.start()
        return process

    def end(self, process: Any) -> int:
        process.join(60)
        if process.exitcode is None:
            process.kill()
            raise AssertionError("it hung")
        return int(process.exitcode)

    @property
    def said(self) -> str:
        return self.folder.with_suffix(".stderr").read_text(errors="replace")

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def reset(self, old: bool) -> None:
        """Put the folder back: inputs, and older outputs if asked for."""
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        kept = dict.fromkeys(self.outputs, OLD) if old else {}
        self.old = {} if self.name == "project" else kept
        for name, data in (self.inputs | self.old).items():
            (self.folder / name).write_bytes(data)

    def is_writing(self) -> bool:
        """Whether a draft of an output is there, or an output just came."""
        known = {*self.inputs, *self.old}
        return any(p.name not in known for p in self.folder.iterdir())

    def wait(self, process: Any, rng: np.random.Generator) -> None:
        """Wait for a moment of the run; of three, two while a file is being written."""
        while process.is_alive() and not self.folder.with_suffix(".begun").exists():
            time.sleep(0.001)
        until = time.monotonic() + rng.uniform(0, self.seconds)
        aims = rng.random() < 2 / 3
        while process.is_alive() and (aims or time.monotonic() < until):
            if aims and self.is_writing():
                time.sleep(rng.exponential(0.002))
                return
            time.sleep(0.001)

    def check(self, tidy: bool) -> None:
        """Inputs as they were; every output old or new, whole; `tidy`: nothing else."""
        found = self.files()
        assert self.inputs.items() <= found.items(), "an input changed"
        assert self.old.keys() <= found.keys(), "an output is gone"
        if tidy:
            assert found.keys() <= {*self.inputs, *self.outputs}, "a draft is left"
        if self.name == "project":
            self.check_project()
            return
        for name in {*self.outputs} & found.keys():
            known = (self.old.get(name), self.new[name])
            assert found[name] in known, f"{name} is neither old nor new"

    def check_project(self) -> None:
        """Every edit that was acknowledged is there, and at most the one under way."""
        notes = self.folder.with_suffix(".acts")
        noted = notes.read_text().split() if notes.exists() else []
        known = int(noted[-1]) if noted else 0
        if not (self.folder / PROJECT).exists():
            assert known == 0
            return
        found = Workbench.open(self.folder / "texts.csv", text="text")
        version = found.state()["version"]
        assert version in (known, known + 1), (version, known)
        if version and plan_edit(version - 1)["what"] != "undo":
            found.act({"what": "undo"}, version)
            found.act({"what": "redo"}, version + 1)
        found.close()

    def check_again(self) -> None:
        """The next run succeeds, and its files are whole."""
        if self.name != "project":
            assert self.end(self.start()) == 0, self.said
            self.old = {}
            self.check(tidy=False)
            assert {*self.outputs} <= self.files().keys()


@pytest.fixture(scope="module")
def process() -> Any:
    """Makes processes that begin with corral imported, and without threads."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.jobs"])
    return context.Process


@pytest.fixture(scope="module", params=OUTPUTS)
def bench(request: Any, tmp_path_factory: Any, process: Any) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("faults") / request.param
    yield Bench(request.param, folder, process)
    shutil.rmtree(folder.parent)


@pytest.mark.parametrize("seed", range(TIMES))
def test_killed(bench: Bench, seed: int) -> None:
    rng = np.random.default_rng(seed)
    bench.reset(old=seed % 2 == 0)
    running = bench.start()
    bench.wait(running, rng)
    running.kill()
    assert bench.end(running) in (0, -signal.SIGKILL), bench.said
    bench.check(tidy=False)
    bench.check_again()


@pytest.mark.parametrize("seed", range(TIMES))
def test_interrupted(bench: Bench, seed: int) -> None:
    rng = np.random.default_rng(seed)
    bench.reset(old=seed % 2 == 0)
    running = bench.start()
    bench.wait(running, rng)
    if running.is_alive():
        os.kill(running.pid, signal.SIGINT)
    # Python gives the signal back to the system at its very end.
    assert bench.end(running) in (0, 130, -signal.SIGINT), bench.said
    bench.check(tidy=True)


@pytest.mark.parametrize("seed", range(TIMES))
def test_no_room(bench: Bench, seed: int) -> None:
    """A limit on the size of files, as on a full disk: a message."""
    rng = np.random.default_rng(seed)
    bench.reset(old=seed % 2 == 0)
    room = int(rng.uniform(0, 0.9) * max(map(len, bench.new.values())))
    code = bench.end(bench.start(most=room))
    assert code in (0, 1, 2), bench.said
    if code:
        assert bench.said.strip()
        assert "Traceback" not in bench.said
    bench.check(tidy=True)
