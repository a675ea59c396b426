"""Messages in the words of the command line: options, no arguments of Python."""

import re

import pytest

from corral.cli.options import in_shell_words

PYTHON = re.compile(r"\b[a-z_]+=")


COLUMNS = ["--signals", "[a-c]"]


@pytest.mark.parametrize(
    ("command", "options", "named"),
    [
        ("label", [], "--signals"),
        ("label", [*COLUMNS, "--classes", "0,0"], "--classes names"),
        ("label", [*COLUMNS, "--classes", "1,2"], "--classes"),
        ("label", [*COLUMNS, "--error-rate", "0.9"], "or one per signal"),
        ("label", [*COLUMNS, "--error-rate", "z=0.2"], "--error-rate must name"),
        (
            "compare",
            ["--gold", "y", "--id", "id", "--methods", "best"],
            "--methods must",
        ),
    ],
)
def test_errors_name_options(refused, votes, tmp_path, command, options, named):
    target = ["-o", tmp_path / "labels.csv"] if command == "label" else []
    line = refused(command, votes, *target, *options).removeprefix("error: ")
    assert named in line
    assert not PYTHON.search(line), line


def test_warnings_name_options(run, votes, tmp_path):
    options = ["-o", tmp_path / "labels.csv", *COLUMNS, "--error-rate", 0.2]
    shown = run("label", votes, *options).stderr
    assert "warning" in shown
    assert not PYTHON.search(shown)


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        ("give `class_balance=`.", "give --class-balance."),
        ("`abstain='x'`", "--abstain x"),
        ("`abstain=['?', 'N/A']`", "--abstain '?,N/A'"),
        ("`classes=[-1, 1]`", "--classes -1,1"),
        ("`probabilities=True`", "--probabilities"),
        ("`label=` and `y=`", "--label and --gold"),
        ("`first=None`", "--no-order"),
        ("`verdicts={'A wins': 'a'}`", "--verdict 'A wins=a'"),
        ("`OrdinalLabeler(order=...)`", "`OrdinalLabeler(order=...)`"),
    ],
)
def test_messages_in_the_words_of_the_shell(python, shell):
    assert in_shell_words(python) == shell
