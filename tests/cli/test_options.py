"""Messages in the words of the command line: options, no arguments of Python."""

import re

import pytest

from corral.datasets import random_votes

PYTHON = re.compile(r"`|\b[a-z_]+=|\w+_\w+\b|[A-Z]\w+[A-Z]\w*|\bNone\b")


@pytest.fixture
def votes(tmp_path):
    table, truth = random_votes(200, [0.9, 0.7, 0.6], coverage=0.7)
    lines = [
        f"{i},{','.join(map(str, row))},{true}"
        for i, (row, true) in enumerate(zip(table.tolist(), truth, strict=True))
    ]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["id,a,b,c,y", *lines]) + "\n")
    return path


COLUMNS = ["--signals", "[a-c]"]


@pytest.mark.parametrize(
    ("command", "options", "named"),
    [
        ("label", [], "--id"),
        ("label", [*COLUMNS, "--bins", 4], "--bins"),
        ("label", [*COLUMNS, "--classes", "0,0"], "--classes names"),
        ("label", [*COLUMNS, "--classes", "1,2"], "--classes"),
        ("label", [*COLUMNS, "--error-rate", "0.9"], "or one per signal"),
        ("label", [*COLUMNS, "--error-rate", "a=0.2"], "--error-rate must name"),
        ("label", [*COLUMNS, "--memory-limit", "much"], "--memory-limit cannot"),
        (
            "label",
            [*COLUMNS, "--method", "weighted-vote", "--error-rate", 0],
            "above 0",
        ),
        ("advise", [*COLUMNS, "--change", 3], "--change must"),
        ("advise", [*COLUMNS, "--suggest", 999], "999 rows"),
        (
            "compare",
            ["--gold", "y", "--id", "id", "--dev-size", 999],
            "--dev-size must",
        ),
        (
            "compare",
            ["--gold", "y", "--id", "id", "--methods", "best"],
            "--methods must",
        ),
        ("compare", ["--gold", "y", *COLUMNS, "--positive", 7], "--positive must"),
    ],
)
def test_errors_name_options(refused, votes, tmp_path, command, options, named):
    target = ["-o", tmp_path / "labels.csv"] if command == "label" else []
    line = refused(command, votes, *target, *options).removeprefix("error: ")
    assert named in line
    assert not PYTHON.search(line), line


def test_warnings_name_options(run, votes, tmp_path):
    options = ["-o", tmp_path / "labels.csv", *COLUMNS, "--error-rate", 0.2]
    shown = run("label", votes, *options, "--iterations", 2).stderr
    assert "e.g. --iterations 1000, or --scale-free for large data" in shown
