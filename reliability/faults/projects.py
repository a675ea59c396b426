"""What must be true of a project of the workbench after a fault."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from reliability.faults.checks import Bench
from reliability.faults.children import beside, contents, end, start
from reliability.faults.jobs import PROJECT
from reliability.faults.python_jobs import EDITS, edit_project, undo_and_redo


@dataclass
class ProjectBench(Bench):
    """A project that is edited: what was acknowledged is in it, and at most one act more.

    Attributes
    ----------
    versions : list of bytes
        The file after so many edits.
    begun : int or None
        The version that was there before; None: no file.
    """

    versions: list[bytes] = field(default_factory=list)
    begun: int | None = None

    def learn(self) -> None:
        """Edit the project undisturbed, and keep every version."""
        kept = beside(self.folder, "versions")
        kept.mkdir()
        job = replace(self.job, call=partial(edit_project, kept))
        assert end(start(job, self.folder)) == 0, self.said
        self.versions = [(kept / str(n)).read_bytes() for n in range(EDITS + 1)]
        self.reset(old=False)
        super().learn()

    def reset(self, *, old: bool) -> None:
        """Put the folder back, with half of the edits done if asked for."""
        super().reset(old=False)
        self.begun = EDITS // 2 if old else None
        if old:
            (self.folder / PROJECT).write_bytes(self.versions[EDITS // 2])

    @property
    def acknowledged(self) -> int | None:
        """The last version that was said to be saved; None: not even an empty one."""
        notes = beside(self.folder, "acts")
        lines = notes.read_text().split() if notes.exists() else []
        return int(lines[-1]) if lines else self.begun

    def _version_found(self) -> int | None:
        """The version that is in the file; None if there is none."""
        path = self.folder / PROJECT
        if not path.exists():
            return None
        data = path.read_bytes()
        assert data in self.versions, "the project is none of its versions"
        return self.versions.index(data)

    def check_files(self, *, tidy: bool) -> None:
        """Every edit that was acknowledged is there, and at most the one under way."""
        self._check_inputs()
        found, known = self._version_found(), self.acknowledged
        if known is None:
            assert found in (None, 0, 1), f"version {found} of nothing"
        else:
            assert found in (known, known + 1), f"version {found}, not {known}"
        if tidy:
            self.check_nothing_left()

    def check_refused(self) -> None:
        """An act that was refused is not in the file."""
        found, known = self._version_found(), self.acknowledged
        allowed = (None, 0) if known is None else (known,)
        assert found in allowed, f"version {found}, not {known}, was refused"

    def check_act_refused(self) -> None:
        """An act that was refused is not in the file."""
        self.check_refused()

    def check_again(self) -> None:
        """Its last act can be undone; the next run goes on, and tidies up."""
        self._check_undo()
        super().check_again()

    def check_done(self) -> None:
        """It has its last version."""
        self._check_inputs()
        assert self._version_found() == EDITS
        self.check_nothing_left()

    def _check_inputs(self) -> None:
        assert contents(self.folder, self.job.inputs) == self.inputs, "an input changed"

    def _check_undo(self) -> None:
        if not self._version_found():
            return
        copy = Path(f"{self.folder}-undo")
        copy.mkdir()
        try:
            for name in ("texts.csv", PROJECT):
                shutil.copy(self.folder / name, copy / name)
            beside(copy, "tmp").mkdir(exist_ok=True)
            job = replace(self.job, call=undo_and_redo)
            code = end(start(job, copy))
            said = beside(copy, "stderr").read_text(errors="replace")
            assert code == 0, f"undo: {said}"
        finally:
            shutil.rmtree(copy)
