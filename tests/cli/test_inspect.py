"""``corral inspect`` and ``corral suggest``: what signals do, and rows to label."""

import csv
import json

import numpy as np
import pytest
from tests.golden.test_golden import differences

import corral
from corral.datasets import random_votes

TABLE, TRUTH = random_votes(200, [0.9, 0.7, 0.6], coverage=0.7)
SIGNALS = corral.WeakSignals.from_votes(TABLE, names=["a", "b", "c"])
ID = ("--id", "id,y")


def test_a_screen_and_a_page_with_the_answers_of_the_library(run, votes, tmp_path):
    ran = run("inspect", votes, *ID)
    assert ran.stdout.startswith("Labels may be right on ")
    assert len(ran.stdout.splitlines()) < 30
    assert "next: corral suggest " in ran.stderr
    assert "read as: empty = no vote; classes 0, 1" in ran.stderr
    found = json.loads(run("inspect", votes, *ID, "--error-rate", 0.3, "--json").stdout)
    labeler = corral.ConstrainedLabeler(0.3).fit(SIGNALS)
    for name, result in {
        "analysis": corral.analyse(SIGNALS, labeler),
        "agreement": corral.agreement(SIGNALS),
        "redundancy": corral.redundancy(SIGNALS),
        "values": corral.value_of_signal(labeler, SIGNALS),
    }.items():
        wanted = json.loads(json.dumps(result.to_dict()))
        assert not list(differences(wanted, found[name]))
    ran = run("inspect", votes, "--id", "id", "--gold", "y")
    n_seen = SIGNALS.covered.sum()  # where there is a vote
    assert f"from {n_seen} labelled rows" in ran.stdout
    assert "corral label" in ran.stderr
    assert "--gold y" in ran.stderr
    worst = [line.split()[0] for line in ran.stdout.splitlines() if "learned" in line]
    errors = corral.analyse(SIGNALS, y=TRUTH).gold.error_rates
    assert worst == [SIGNALS.names[i] for i in np.argsort(-errors)]
    run("inspect", votes, *ID, "-o", tmp_path / "page.html")
    assert "alpha" in (tmp_path / "page.html").read_text()


def test_parts_of_it(run, votes):
    shown = run("inspect", votes, *ID, "--agreement").stdout
    assert str(corral.agreement(SIGNALS)) in shown
    found = json.loads(run("inspect", votes, *ID, "--agreement", "--json").stdout)
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


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_form_to_fill_in(run, votes, tmp_path):
    target = tmp_path / "rows.csv"
    ran = run("suggest", votes, 40, "--id", "id", "--gold", "y", "-o", target, code=2)
    assert "no label yet" in ran.stderr
    ran = run("suggest", votes, 40, "--signals", "a,b,c", "--id", "id", "-o", target)
    rows = read(target)
    assert list(rows[0]) == ["id", "label"]
    assert len({row["id"] for row in rows}) == 40
    assert {row["label"] for row in rows} == {""}
    assert f"--gold {target}" in ran.stderr
    assert "also measure" in ran.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["rows.csv", "votes.csv"]
    more = ["--signals", "a,b,c", "--id", "id", "--text", "y", "-o", target]
    run("suggest", votes, 3, *more, "--overwrite")
    assert list(read(target)[0]) == ["id", "y", "label"]


def test_rows_that_have_a_label_are_not_drawn_again(run, votes, tmp_path):
    lines = votes.read_text().splitlines()
    half = [line.rsplit(",", 1)[0] + "," for line in lines[1:101]]
    votes.write_text("\n".join([lines[0], *half, *lines[101:]]) + "\n")
    target = tmp_path / "rows.csv"
    run("suggest", votes, 60, "--id", "id", "--gold", "y", "-o", target)
    new = [row for row in read(target) if not row["label"]]
    assert len(new) == 60
    assert all(int(row["id"]) < 100 for row in new)
    known = {line.split(",", 1)[0]: line.rsplit(",", 1)[1] for line in lines[101:]}
    assert {r["id"]: r["label"] for r in read(target) if r["label"]} == known


def test_forms_of_other_sources(tmp_path):
    frame = {"name": ["x", "y"], "a": ["p", "q"], "b": ["p", "p"]}
    pd = pytest.importorskip("pandas")
    found = corral.suggest(pd.DataFrame(frame), 2, id="name")
    assert sorted(found.rows["name"]) == ["x", "y"]
    frame |= {"id": [7, 8], "text": [f"{word} and many other words" for word in "ab"]}
    rows = corral.suggest(pd.DataFrame(frame), 2, signals=["a", "b"]).rows
    assert sorted(next(iter(rows.values()))) in (["1", "2"], ["7", "8"])
    assert sorted(rows["text"]) == frame["text"]
    long = {"task": ["t1", "t1", "t2"], "worker": ["u", "v", "u"], "label": list("pqp")}
    found = corral.suggest(pd.DataFrame(long), 2, task="task")
    assert sorted(found.rows["task"]) == ["t1", "t2"]


def test_a_column_that_would_be_there_twice(refused, votes):
    votes.write_text(votes.read_text().replace("id,", "Label,", 1))
    found = refused("suggest", votes, 3, "--id", "Label,y")
    assert "'Label' cannot name the rows" in found
