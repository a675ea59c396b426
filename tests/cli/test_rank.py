"""``corral rank``: the library's answer, as text, as JSON and as a drawing."""

import json

import pytest

import corral
from corral.datasets import random_comparisons


@pytest.fixture
def table(tmp_path):
    made = random_comparisons(
        400, {"x": 1, "y": 0, "z": -1}, {"j1": (1, 0.4), "j2": (0.6, 0)}
    )
    path = tmp_path / "votes.csv"
    rows = zip(*(values.tolist() for values in made.values()), strict=True)
    lines = [",".join(map(str, row)) for row in [tuple(made), *rows]]
    path.write_text("\n".join(lines))
    return path


def test_the_answer_is_that_of_the_library(run, table):
    options = ["--judge", "judge", "--task", "task", "--level", 0.8]
    found = json.loads(run("rank", table, *options, "--json").stdout)
    want = corral.preferences(table, judge="judge", task="task", level=0.8)
    assert found["strengths"] == pytest.approx(want.strengths)
    assert str(want) in run("rank", table, *options).stdout


def test_order_and_verdicts(run, table):
    table.write_text(table.read_text().replace(",tie,", ",0,"))
    ran = run("rank", table, "--no-order", "--verdict", "0=tie")
    assert "order not known" in ran.stdout


def test_what_is_refused_speaks_of_options(refused, table):
    assert "--winner is 'q'" in refused("rank", table, "--winner", "q")
    assert "such as 2=b" in refused("rank", table, "--verdict", "x")
    table.write_text(table.read_text().replace(",tie,", ",0,"))
    assert "--verdict 0=tie" in refused("rank", table)
    table.write_text("a,b,winner\n" + "x,y,a\n" * 30)
    assert "--no-order" in refused("rank", table)
