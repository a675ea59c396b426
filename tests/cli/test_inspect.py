"""``corral inspect``: what signals do, how far they agree, and what to do next."""

import csv
import json

import numpy as np
import pytest

import corral
from corral.datasets import random_votes

TABLE, TRUTH = random_votes(200, [0.9, 0.7, 0.6], coverage=0.7)
SIGNALS = corral.WeakSignals.from_votes(TABLE, names=["a", "b", "c"])
ID = ("--id", "id,y")


@pytest.fixture
def votes(tmp_path):
    rows = [
        f"{i}," + ",".join("" if v < 0 else str(v) for v in (*line, true))
        for i, (line, true) in enumerate(zip(TABLE.tolist(), TRUTH, strict=True))
    ]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["id,a,b,c,y", *rows]) + "\n")
    return path


def test_one_page_has_the_answers_of_the_library(run, votes, tmp_path):
    ran = run("inspect", votes, *ID, "--error-rate", "0.3")
    labeler = corral.ConstrainedLabeler(0.3).fit(SIGNALS)
    for found in (
        corral.analyse(SIGNALS),
        corral.agreement(SIGNALS),
        corral.redundancy(SIGNALS),
        corral.value_of_signal(labeler, SIGNALS),
    ):
        assert str(found) in ran.stdout
    assert "label by hand" not in ran.stdout
    assert "read as: empty = no vote; classes 0, 1" in ran.stderr
    ran = run("inspect", votes, "--id", "id", "--gold", "y")
    assert str(corral.analyse(SIGNALS, y=TRUTH)) in ran.stdout
    run("inspect", votes, *ID, "-o", tmp_path / "page.html")
    assert "alpha" in (tmp_path / "page.html").read_text()


def test_parts_of_it(run, votes):
    options = ["--resamples", 50, "--seed", 3, "--level", 0.8, "--json"]
    found = json.loads(run("inspect", votes, *ID, "--agreement", *options).stdout)
    want = corral.agreement(SIGNALS, resamples=50, random_state=3, level=0.8)
    assert found["agreement"] == json.loads(json.dumps(want.to_dict()))
    assert found["analysis"] is found["values"] is None
    assert found["n_patterns"] == len(np.unique(TABLE, axis=0))
    found = json.loads(run("inspect", votes, *ID, "--advise", "--json").stdout)
    assert found["agreement"] is found["analysis"] is None
    assert found["values"] is not None


def test_what_the_votes_do_not_allow_is_left_out_unless_asked_for(run, refused, votes):
    votes.write_text("a,b\n0,\n,1\n1,\n")
    ran = run("inspect", votes)
    assert "Agreement was left out: no example has two votes" in ran.stdout
    assert "two votes" in refused("inspect", votes, "--agreement")


def test_warnings_and_refusals(run, refused, votes, tmp_path):
    doubtful = tmp_path / "d.csv"
    doubtful.write_text("a,b\n" + "0,0\n" * 12 + "1,2\n2,1\n")
    assert "warning: 0 was read as a class" in run("inspect", doubtful).stderr
    assert "which --gold says" in refused("inspect", votes, "--gold", "z")
    assert "--metric must be one of" in refused("inspect", votes, *ID, "--metric", "x")
    assert "--level must be" in refused("inspect", votes, *ID, "--level", 2)
    from corral.cli.options import METRICS as LISTED
    from corral.study.rater_agreement import METRICS

    assert LISTED == METRICS


def votes_in(text, between):
    return dict(part.split("=") for part in text.split(between))


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_a_file_to_fill_in(run, votes, tmp_path, kind):
    target = tmp_path / f"rows.{kind}"
    ran = run("inspect", votes, *ID, "--suggest", 40, "--suggest-to", target)
    with target.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t" if kind == "tsv" else ","))
    assert list(rows[0]) == ["id", "y", "votes", "label"]
    assert len({row["id"] for row in rows}) == 40
    assert {row["label"] for row in rows} == {""}
    for row in rows:
        own = zip("abc", TABLE[int(row["id"])], strict=True)
        said = {name: str(vote) for name, vote in own if vote >= 0}
        assert votes_in(row["votes"], "; ") == said
    assert "and 10 more" in ran.stdout.split("Rows to label by hand")[1]
    assert sorted(p.name for p in tmp_path.iterdir()) == [target.name, "votes.csv"]


def test_a_column_that_would_be_there_twice(refused, votes):
    votes.write_text(votes.read_text().replace("id,", "Label,", 1))
    found = refused("inspect", votes, "--id", "Label,y", "--suggest", 3)
    assert "'Label' cannot name the rows" in found
