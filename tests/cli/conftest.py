"""How all tests of the command line call it."""

import sys
from dataclasses import dataclass

import pytest

from corral.cli import main
from corral.datasets import random_votes


@dataclass
class Ran:
    """What a call printed."""

    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command as its script does, in this process."""

    def call(*arguments, code=0):
        monkeypatch.setattr(sys, "argv", ["corral", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        shown = capsys.readouterr()
        assert (left.value.code or 0) == code, shown.err
        return Ran(shown.out, shown.err)

    return call


@pytest.fixture
def refused(run):
    """The one line on standard error of a call that cannot be worked with."""

    def call(*arguments):
        ran = run(*arguments, code=2)
        assert ran.stdout == ""
        said = ran.stderr.splitlines()
        lines = [line for line in said if not line.startswith("read as: ")]
        assert len(lines) == 1, ran.stderr
        assert lines[0].startswith("error: ")
        return lines[0]

    return call


@pytest.fixture
def votes(tmp_path):
    """A file of 200 rows: id, three signals with gaps, and true labels y."""
    table, truth = random_votes(200, [0.9, 0.7, 0.6], coverage=0.7)
    rows = [
        f"{i}," + ",".join("" if v < 0 else str(v) for v in (*line, true))
        for i, (line, true) in enumerate(zip(table.tolist(), truth, strict=True))
    ]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["id,a,b,c,y", *rows]) + "\n")
    return path
