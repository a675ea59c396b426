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
    options = ["--judge", "judge", "--task", "task", "--by", "judge", "--level", 0.8]
    found = json.loads(run("rank", table, *options, "--json").stdout)
    want = corral.preferences(
        table, judge="judge", task="task", slices="judge", level=0.8
    )
    assert found["strengths"] == pytest.approx(want.strengths)
    assert len(found["slices"]["judge"]["strengths"]) == 2
    assert str(want) in run("rank", table, *options).stdout


def test_order_and_verdicts(run, table):
    table.write_text(table.read_text().replace(",tie,", ",0,"))
    ran = run("rank", table, "--no-order", "--verdict", "0=tie")
    assert "order not known" in ran.stdout


def test_a_drawing_is_written(run, refused, table, tmp_path):
    target = tmp_path / "strengths.svg"
    assert "wrote" in run("rank", table, "-o", target).stderr
    assert target.read_text().startswith("<svg")
    assert 'class="cd-f-paper"' in target.read_text(), "a background, for a dark page"
    assert "exists already" in refused("rank", table, "-o", target)
    run("rank", table, "-o", target, "--overwrite")
    assert ".svg" in refused("rank", table, "-o", tmp_path / "x.png")
    assert "--overwrite goes with" in refused("rank", table, "--overwrite")


def test_what_is_refused_speaks_of_options(refused, table):
    assert "--winner is 'q'" in refused("rank", table, "--winner", "q")
    assert "--by is 'q'" in refused("rank", table, "--by", "q")
    assert "such as 2=b" in refused("rank", table, "--verdict", "x")
    table.write_text(table.read_text().replace(",tie,", ",0,"))
    assert "--verdict 0=a" in refused("rank", table)
    table.write_text("a,b,winner\n" + "x,y,a\n" * 30)
    assert "--no-order" in refused("rank", table)


def test_a_full_disk_leaves_the_old_drawing(run, refused, table, tmp_path, monkeypatch):
    def fill(path, text, *_, **options):
        path.write_bytes(text[:9].encode())
        raise OSError(28, "No space left on device")

    target = tmp_path / "strengths.svg"
    run("rank", table, "-o", target)
    drawn = target.read_bytes()
    monkeypatch.setattr("pathlib.Path.write_text", fill)
    said = refused("rank", table, "-o", target, "--overwrite")
    assert "No space left on device" in said
    assert target.read_bytes() == drawn
    assert {path.name for path in tmp_path.iterdir()} == {"votes.csv", target.name}
