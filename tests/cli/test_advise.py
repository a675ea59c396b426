"""``corral advise``: the library's answers as text."""

import pytest
from typer.testing import CliRunner

import corral
from corral.cli.app import app
from corral.datasets import random_votes


@pytest.fixture
def votes(tmp_path):
    table, _ = random_votes(200, [0.9, 0.7, 0.6], coverage=0.7)
    lines = [
        f"{row}," + ",".join("" if v < 0 else str(v) for v in line)
        for row, line in enumerate(table.tolist())
    ]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["id,a,b,c", *lines]) + "\n")
    return path


def advise(*arguments):
    return CliRunner().invoke(app, ["advise", *map(str, arguments)])


def test_the_answers_are_those_of_the_library(votes):
    ran = advise(votes, "--id", "id", "--error-rate", "0.3", "--change", "0.1")
    assert ran.exit_code == 0, ran.output
    table, _ = random_votes(200, [0.9, 0.7, 0.6], coverage=0.7)
    signals = corral.WeakSignals.from_votes(table, names=["a", "b", "c"])
    labeler = corral.ConstrainedLabeler(0.3).fit(signals)
    assert str(corral.sensitivity(labeler, signals, change=0.1)) in ran.stdout
    assert str(corral.redundancy(signals)) in ran.stdout
    assert str(corral.value_of_signal(labeler, signals)) in ran.stdout
    assert "label by hand" not in ran.stdout


def test_rows_to_label(votes):
    ran = advise(votes, "--signals", "a", "--signals", "b", "--suggest", 7)
    assert ran.exit_code == 0, ran.output
    shown = ran.stdout.split("Rows to label by hand")[1].strip().splitlines()
    assert shown[0].split()[-2:] == ["label", "of"]
    assert sum(int(line.split()[-2]) for line in shown[1:]) == 7
    assert all("a=" in line or "b=" in line for line in shown[1:])


def test_one_vote_a_row(tmp_path):
    table, _ = random_votes(100, [0.9, 0.7, 0.6], coverage=0.7)
    said = zip(*(table >= 0).nonzero(), strict=True)
    rows = [f"{i},w{j},{table[i, j]}" for i, j in said]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["item,worker,label", *rows]))
    ran = advise(path, "--task", "item", "--suggest", 3)
    assert ran.exit_code == 0, ran.output
    covered = table[(table >= 0).any(axis=1)]
    signals = corral.WeakSignals.from_votes(covered, names=["w0", "w1", "w2"])
    assert str(corral.redundancy(signals)) in ran.stdout
    assert "w0=" in ran.stdout.split("label by hand")[1]


def test_probabilities(tmp_path):
    table, _ = random_votes(200, [0.9, 0.7, 0.6], coverage=1)
    soft = (0.8 * table + 0.1).round(2)
    path = tmp_path / "soft.csv"
    path.write_text("\n".join(["a,b,c", *(",".join(map(str, row)) for row in soft)]))
    ran = advise(path, "--probabilities", "--bins", 10, "--suggest", 2)
    assert ran.exit_code == 0, ran.output
    signals = corral.WeakSignals.from_probabilities(soft, names=list("abc"), bins=10)
    assert str(corral.redundancy(signals)) in ran.stdout
    assert "a=1 0." in ran.stdout.split("label by hand")[1]


def test_what_cannot_be_worked_with(votes):
    for wrong in (["--suggest", 1000], ["--change", 2], ["--error-rate", "low"]):
        ran = advise(votes, "--id", "id", *wrong)
        assert isinstance(ran.exception, corral.errors.ParameterError)
        assert ran.stdout == ""
    assert advise(votes, "--suggest", 0).exit_code == 2
