"""``corral inspect``: what signals do, before anything is labelled."""

import json

import pytest

import corral
from corral.datasets import random_votes


@pytest.fixture
def votes(tmp_path):
    table, truth = random_votes(300, [0.9, 0.7, 0.6], coverage=0.7)
    rows = [
        f"{i}," + ",".join("" if v < 0 else str(v) for v in (*line, true))
        for i, (line, true) in enumerate(zip(table.tolist(), truth, strict=True))
    ]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["id,a,b,c,y", *rows]) + "\n")
    return path


def signals():
    table, truth = random_votes(300, [0.9, 0.7, 0.6], coverage=0.7)
    return corral.WeakSignals.from_votes(table, names=["a", "b", "c"]), truth


def test_the_table_is_that_of_the_library(run, votes):
    ran = run("inspect", votes, "--id", "id,y")
    read, truth = signals()
    assert str(corral.analyse(read)) in ran.stdout
    assert "read as: empty = no vote; classes 0, 1" in ran.stderr
    assert "disagree" not in ran.stdout
    ran = run("inspect", votes, "--id", "id", "--gold", "y")
    assert str(corral.analyse(read, y=truth)) in ran.stdout
    assert "disagree" in ran.stdout


@pytest.mark.parametrize("gold", [[], ["--gold", "y"]])
def test_clashes_are_counted(run, votes, gold):
    ids = ["--id", "id" if gold else "id,y"]
    found = json.loads(run("inspect", votes, *ids, *gold, "--json").stdout)
    table, _ = random_votes(300, [0.9, 0.7, 0.6], coverage=0.7)
    assert found["n_rows"] == 300
    assert found["n_patterns"] == len({tuple(row) for row in table.tolist()})
    assert len(found["clashes"]) == 3
    for pair in found["clashes"]:
        first, second = ("abc".index(pair[side]) for side in ("first", "second"))
        common = table[(table[:, first] >= 0) & (table[:, second] >= 0)]
        assert pair["n_common"] == len(common)
        assert pair["n_contradicting"] == (common[:, first] != common[:, second]).sum()
    assert (found["analysis"]["gold"] is not None) == bool(gold)


def test_warnings_and_refusals(run, refused, votes, tmp_path):
    doubtful = tmp_path / "d.csv"
    doubtful.write_text("a,b\n" + "0,0\n" * 12 + "1,2\n2,1\n")
    assert "warning: 0 was read as a class" in run("inspect", doubtful).stderr
    assert "which --gold says" in refused("inspect", votes, "--gold", "z")
