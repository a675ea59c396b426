"""What must be true of a folder after a fault."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reliability.faults.jobs import Job, contents, end, start


def plain(name: str, data: bytes) -> Any:
    """Content without what may differ between two runs: seconds, dates, packing."""
    if name.endswith(".gz"):
        return gzip.decompress(data)
    if name.endswith(".html"):
        return re.sub(rb"<td>[\d.]+|<time>[^<]*", b"", data)
    return data


@dataclass
class Bench:
    """A job in a folder of its own, and what its files hold before and after it.

    Attributes
    ----------
    job : Job
    folder : Path
    inputs, old, new : dict
        Files read, outputs that were there before, and outputs of an undisturbed run.
    seconds : float
        What that run took.
    """

    job: Job
    folder: Path
    inputs: dict[str, bytes] = field(default_factory=dict)
    old: dict[str, bytes] = field(default_factory=dict)
    new: dict[str, bytes] = field(default_factory=dict)
    seconds: float = 0.0

    @classmethod
    def make(cls, job: Job, source: Path, folder: Path) -> Bench:
        """Copy the inputs, run the job once to learn what is right."""
        folder.mkdir()
        for name in job.inputs:
            shutil.copy(source / name, folder / name)
        bench = cls(job, folder, contents(folder, job.inputs))
        began = time.monotonic()
        code = end(start(job, folder))
        bench.seconds = time.monotonic() - began
        assert code == 0, bench.said
        bench.new = contents(folder, job.outputs)
        return bench

    def reset(self, *, old: bool) -> None:
        """Put the folder back: inputs, and older outputs if asked for."""
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        for name, data in self.inputs.items():
            (self.folder / name).write_bytes(data)
        self.old = {}
        for name in self.job.outputs if old else ():
            if "." in name:
                self.old[name] = b"an older file\n"
                (self.folder / name).write_bytes(self.old[name])

    def check_files(self, *, tidy: bool) -> None:
        """Inputs untouched; every output old or new, whole; `tidy`: nothing else."""
        assert contents(self.folder, self.job.inputs) == self.inputs, "an input changed"
        found = contents(self.folder, self.job.outputs)
        for name, data in found.items():
            if Path(name).name.startswith(".corral-") and not tidy:
                continue
            same = data == self.old.get(name) or (
                name in self.new and plain(name, data) == plain(name, self.new[name])
            )
            assert same, (
                f"{name} is neither old nor new: {_apart(data, self.new.get(name))}"
            )
        for name in self.old:
            assert name in found, f"{name} is gone"
        if tidy:
            self.check_nothing_left()

    def check_nothing_left(self) -> None:
        """Only inputs and outputs are in the folder."""
        known = {*self.job.inputs, *self.job.outputs}
        left = {path.name for path in self.folder.iterdir()} - known
        assert not left, f"left behind: {sorted(left)}"
        for path in self.folder.rglob(".corral-*"):
            raise AssertionError(f"left behind: {path.name}")

    def check_again(self) -> None:
        """A run that is not disturbed succeeds, is right, and tidies up."""
        code = end(start(self.job, self.folder))
        assert code == 0, f"the next run ended with {code}: {self.said}"
        self.old = {}
        self.check_files(tidy=True)
        assert contents(self.folder, self.job.outputs).keys() >= self.new.keys()

    @property
    def said(self) -> str:
        """What the last run said on standard error."""
        return Path(f"{self.folder}.stderr").read_text(errors="replace")

    def check_message(self, *words: str) -> None:
        """One clean line says why."""
        said = self.said
        assert "Traceback" not in said, said
        assert "fault of corral" not in said, said
        assert not words or any(re.search(word, said) for word in words), said


def _apart(found: bytes, expected: bytes | None) -> str:
    """Where two contents begin to differ."""
    if expected is None:
        return "it was not expected"
    pairs = zip(found, expected, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), -1)
    near = slice(max(0, at - 60), at + 60)
    return (
        f"{len(found)} and {len(expected)} bytes, {found[near]!r}, {expected[near]!r}"
    )


def as_line(error: BaseException) -> str:
    """An error in one line, for what is stored."""
    return json.dumps(str(error))[1:300]
