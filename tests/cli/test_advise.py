"""``corral advise``: the library's answers as text."""

import csv

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


def shown_rows(ran):
    """Lines of the table of rows to label, without its head."""
    _, _, head, *lines = ran.stdout.split("Rows to label by hand")[1][1:].splitlines()
    return head, lines


def votes_in(text, between):
    return dict(part.split("=") for part in text.split(between))


def test_rows_to_label_by_their_id(votes):
    ran = advise(votes, "--id", "id", "--suggest", 7)
    assert ran.exit_code == 0, ran.output
    head, lines = shown_rows(ran)
    assert head.split() == ["id", "rows", "like", "it", "votes"]
    ids = [int(line.split()[0]) for line in lines]
    assert len(set(ids)) == 7
    table, _ = random_votes(200, [0.9, 0.7, 0.6], coverage=0.7)
    for line in lines:
        row, alike, said = line.split(maxsplit=2)
        own = table[int(row)]
        expected = {n: str(v) for n, v in zip("abc", own, strict=True) if v >= 0}
        assert votes_in(said, ", ") == expected
        assert int(alike) == (table == own).all(axis=1).sum()


def test_without_an_id_rows_are_numbered_from_one(votes):
    named = advise(votes, "--id", "id", "--suggest", 7)
    numbered = advise(votes, "--signals", "?", "--suggest", 7)
    ids = [int(line.split()[0]) for line in shown_rows(named)[1]]
    head, lines = shown_rows(numbered)
    assert head.split()[0] == "row"
    assert [int(line.split()[0]) for line in lines] == [i + 1 for i in ids]


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_a_file_to_fill_in(votes, tmp_path, kind):
    target = tmp_path / f"rows.{kind}"
    ran = advise(votes, "--id", "id", "--suggest", 40, "--suggest-to", target)
    assert ran.exit_code == 0, ran.output
    with target.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t" if kind == "tsv" else ","))
    assert list(rows[0]) == ["id", "votes", "label"]
    assert len({row["id"] for row in rows}) == 40
    assert {row["label"] for row in rows} == {""}
    table, _ = random_votes(200, [0.9, 0.7, 0.6], coverage=0.7)
    for row in rows:
        own = zip("abc", table[int(row["id"])], strict=True)
        said = {name: str(vote) for name, vote in own if vote >= 0}
        assert votes_in(row["votes"], "; ") == said
    assert "and 10 more" in ran.stdout.split("Rows to label by hand")[1]
    assert sorted(p.name for p in tmp_path.iterdir()) == [target.name, "votes.csv"]


def test_a_file_is_replaced_only_if_asked_to(votes, tmp_path):
    target = tmp_path / "rows.csv"
    target.write_text("filled in")
    to = ("--id", "id", "--suggest", 3, "--suggest-to", target)
    refused = advise(votes, *to)
    assert "exists already" in str(refused.exception)
    assert target.read_text() == "filled in"
    assert refused.stdout == ""
    assert advise(votes, *to, "--overwrite").exit_code == 0
    assert target.read_text().startswith("id,votes,label")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--suggest-to", "rows.csv"], "--suggest-to goes with --suggest"),
        (["--overwrite"], "--output"),
        (["--suggest", 3, "--suggest-to", "rows.doc"], "must end in .csv or .tsv"),
        (["--suggest", 3, "--suggest-to", "nowhere/rows.csv"], "nowhere'"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_work(votes, options, said):
    ran = advise(votes, "--id", "id", *options)
    assert said in str(ran.exception)
    assert ran.stdout == ""


def test_a_column_that_would_be_there_twice(votes):
    text = votes.read_text().replace("id,", "Label,", 1)
    votes.write_text(text)
    ran = advise(votes, "--id", "Label", "--suggest", 3)
    assert "'Label' cannot name the rows" in str(ran.exception)


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
