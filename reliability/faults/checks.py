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

from reliability.faults.children import beside, clear, contents, end, marks_of, start
from reliability.faults.inputs import OTHERS
from reliability.faults.jobs import Job


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
    others : dict
        Other good files that may come in place of an input.
    seconds : float
        What that run took.
    """

    job: Job
    folder: Path
    inputs: dict[str, bytes] = field(default_factory=dict)
    old: dict[str, bytes] = field(default_factory=dict)
    new: dict[str, bytes] = field(default_factory=dict)
    seconds: float = 0.0
    others: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def make(cls, job: Job, source: Path, folder: Path) -> Bench:
        """Copy the inputs, run the job once to learn what is right."""
        folder.mkdir()
        beside(folder, "tmp").mkdir()
        for name in job.inputs:
            shutil.copy(source / name, folder / name)
        bench = cls(job, folder, contents(folder, job.inputs))
        bench.others = contents(source / OTHERS, job.inputs)
        bench.learn()
        return bench

    def learn(self) -> None:
        """Run the job undisturbed."""
        began = time.monotonic()
        code = end(start(self.job, self.folder))
        self.seconds = time.monotonic() - began
        assert code == 0, f"{self.job.name}: {self.said}"
        self.new = contents(self.folder, self.job.outputs)

    def reset(self, *, old: bool) -> None:
        """Put the folder back: inputs, and older outputs if asked for."""
        clear(self.folder)
        clear(beside(self.folder, "tmp"))
        for what in ("heard", "ready", "acts"):
            beside(self.folder, what).unlink(missing_ok=True)
        for name, data in self.inputs.items():
            (self.folder / name).write_bytes(data)
        self.old = {}
        for name in self.job.outputs if old else ():
            if "." in name and name != self.job.journal:
                self.old[name] = b"an older file\n"
                (self.folder / name).write_bytes(self.old[name])

    def check_files(self, *, tidy: bool) -> None:
        """Inputs untouched; every output old or new, whole; `tidy`: nothing else."""
        assert contents(self.folder, self.job.inputs) == self.inputs, "an input changed"
        found = contents(self.folder, self.job.outputs)
        for name, data in found.items():
            if Path(name).name.startswith(".corral-") and not tidy:
                continue
            whole = self.new.get(name)
            if name == self.job.journal and whole is not None:
                assert whole.startswith(data), f"{name} is broken"
                # A line that was cut off is removed by the next run.
                assert not tidy or data[-1:] in (b"", b"\n"), f"{name} has half a line"
                continue
            same = data == self.old.get(name) or (
                whole is not None and plain(name, data) == plain(name, whole)
            )
            assert same, f"{name} is neither old nor new: {_apart(data, whole)}"
        for name in self.old:
            assert name in found, f"{name} is gone"
        if tidy:
            self.check_nothing_left()

    def check_one_version(self, name: str, changed: bytes | None) -> None:
        """All outputs are there, and of one version: the input as it was, or as it became.

        Parameters
        ----------
        name : str
            The input that changed during a run that succeeded.
        changed : bytes or None
            What it became; None: it was deleted.
        """
        found = contents(self.folder, self.job.outputs)
        versions = [self.new]
        if changed is not None:
            versions.append(self._outputs_of(name, changed))
        assert any(is_version(found, version) for version in versions), (
            f"outputs are of no version of {name}, or of two"
        )
        self.check_nothing_left()

    def _outputs_of(self, name: str, changed: bytes) -> dict[str, bytes]:
        """Outputs of an undisturbed run on another input; none if it is refused."""
        copy = Path(f"{self.folder}-other")
        beside(copy, "tmp").mkdir(exist_ok=True)
        copy.mkdir()
        try:
            for file, data in (self.inputs | {name: changed}).items():
                (copy / file).write_bytes(data)
            code = end(start(self.job, copy))
            return {} if code else contents(copy, self.job.outputs)
        finally:
            shutil.rmtree(copy)

    def check_nothing_left(self) -> None:
        """Only inputs and outputs are in the folder, and nothing in that for drafts."""
        known = {*self.job.inputs, *self.job.outputs, *self.job.beside}
        left = {path.name for path in self.folder.iterdir()} - known
        assert not left, f"left behind: {sorted(left)}"
        for path in self.folder.rglob(".corral-*"):
            raise AssertionError(f"left behind: {path.name}")
        for path in beside(self.folder, "tmp").iterdir():
            raise AssertionError(f"left behind in the temporary folder: {path.name}")

    def check_act_refused(self) -> None:
        """What one job did in one step, and was refused, is not there."""

    def check_refused(self) -> None:
        """What was refused has changed no output that was there."""
        for name, text in self.old.items():
            assert (self.folder / name).read_bytes() == text, f"{name} changed"

    def check_again(self) -> None:
        """A run that is not disturbed succeeds, is right, and tidies up."""
        clear(beside(self.folder, "tmp"))  # what a killed process left, nobody sweeps
        code = end(start(self.job, self.folder))
        assert code == 0, f"the next run ended with {code}: {self.said}"
        self.check_done()

    def check_done(self) -> None:
        """All outputs are those of an undisturbed run."""
        self.old = {}
        self.check_files(tidy=True)
        found = contents(self.folder, self.job.outputs)
        assert found.keys() >= self.new.keys(), "an output is missing"
        assert self.job.journal == "" or (
            found[self.job.journal] == self.new[self.job.journal]
        ), "answers are missing"

    def check_was_done(self) -> None:
        """Exit code 0 after Ctrl-C: Python never heard of it, or all was done by then."""
        heard = beside(self.folder, "heard")
        if heard.exists():
            before = json.loads(heard.read_text())
            same = before == marks_of(self.job, self.folder)
            assert same, f"Ctrl-C was swallowed: {self.said}"
        self.check_done()

    @property
    def is_drafting(self) -> bool:
        """Whether a file is being written, or was when the writer was killed."""
        return any(self.folder.rglob(".corral-*"))

    @property
    def said(self) -> str:
        """What the last run said on standard error."""
        return beside(self.folder, "stderr").read_text(errors="replace")

    def check_message(self, *words: str) -> None:
        """One clean line says why."""
        said = self.said
        for bad in ("Traceback", "fault of corral", "Exception ignored"):
            assert bad not in said, said
        assert not words or any(re.search(word, said) for word in words), said


def is_version(found: dict[str, bytes], version: dict[str, bytes]) -> bool:
    """Whether outputs are those of a run; what it keeps in a folder is not asked for."""
    names = {name for name in version if "/" not in name}
    return names != set() and all(
        name in found and plain(name, found[name]) == plain(name, version[name])
        for name in names
    )


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
