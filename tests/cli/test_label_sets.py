"""``--separator``: cells that hold sets of classes."""

import json

import pytest

import corral

ROWS = [
    ("1", "comedy;romance", "comedy", "comedy; romance", "comedy;romance"),
    ("2", "crime", "crime", ";", "crime"),
    ("3", "romance", "", "romance", "romance"),
    ("4", "comedy;crime", "comedy", "crime", "comedy;crime"),
    ("5", ";", ";", "comedy", ";"),
    ("6", "", "", "", "crime"),
]


@pytest.fixture
def films(tmp_path):
    path = tmp_path / "films.csv"
    lines = ["film,ann,bob,cid,gold", *(",".join(row) for row in ROWS)]
    path.write_text("\n".join(lines))
    return path


def signals():
    votes = [row[1:4] for row in ROWS]
    return corral.WeakSignals.from_label_sets(votes, names=["ann", "bob", "cid"])


def test_labels_are_sets(run, films, tmp_path):
    out = tmp_path / "labels.jsonl"
    options = ["--separator", ";", "--id", "film,gold", "--method", "majority-vote"]
    found = json.loads(run("label", films, *options, "-o", out, "--json").stdout)
    assert found["label_rows"] == [2, 2, 2]
    assert found["covered"] == pytest.approx(5 / 6)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    sets = ["comedy;romance", "crime", "romance", "comedy;crime", ";", None]
    assert [row["label"] for row in rows] == sets
    p = corral.MajorityVote(multilabel=True).fit(signals()).labels_
    assert [row["p_crime"] for row in rows] == p[:, 1].tolist()


def test_compare_and_inspect(run, refused, films):
    options = ["--separator", ";", "--id", "film"]
    ran = run("compare", films, *options, "--gold", "gold", "--json")
    found = json.loads(ran.stdout)
    assert found["accuracy"][found["methods"].index("majority-vote")] == 1
    assert (
        "votes alone cannot say"
        in run("inspect", films, *options, "--id", "gold").stdout.lower()
    )
    said = refused("inspect", films, *options, "--gold", "gold")
    assert "--gold is for tasks in which an example has one class" in said


def test_what_is_refused(refused, films):
    said = refused("report", films, "--separator", ";")
    assert "--separator is for votes of label, compare, inspect" in said
    said = refused("inspect", films, "--separator", ";", "--probabilities")
    assert "--probabilities does not go with --separator" in said
