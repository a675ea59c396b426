"""Files on the command line: nothing is lost, and what is refused is said in one line."""

import csv
import json
import os
import re
import subprocess
import sys

import pytest

import corral
from corral.io.files import VoteFiles

VOTES = "id,a,b\n1,0,0\n2,1,1\n3,,\n"
MAJORITY = ["--method", "majority-vote", "--quiet"]


def read(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_answers_are_not_replaced_by_labels(refused, tmp_path):
    """The first finding: 10,000 answers were lost without a word."""
    source = tmp_path / "answers.csv"
    lines = [f"t{i % 2000},w{i // 2000},{i % 2}" for i in range(10_000)]
    source.write_text("\n".join(["task,worker,answer", *lines]))
    before = source.read_bytes()
    columns = ["--task", "task", "--answer", "answer"]
    for more in ([], ["--overwrite"]):
        line = refused("label", source, "-o", source, *columns, *more)
        assert "replace" in line
        assert source.read_bytes() == before


def test_an_output_is_replaced_only_with_overwrite(run, refused, tmp_path):
    source, output = tmp_path / "v.csv", tmp_path / "o.csv"
    source.write_text(VOTES)
    call = ["label", source, "-o", output, "--id", "id", *MAJORITY]
    run(*call)
    before = output.read_bytes()
    line = refused(*call, "--prefix", "x_")
    assert (
        "exists already. Choose another name, or replace it with --overwrite." in line
    )
    assert output.read_bytes() == before
    run(*call, "--prefix", "x_", "--overwrite")
    assert output.read_bytes() != before


def test_no_answer_is_empty(run, tmp_path):
    source, output = tmp_path / "v.csv", tmp_path / "o.csv"
    source.write_text(VOTES)
    run("label", source, "-o", output, "--id", "id", *MAJORITY)
    header, *rows = read(output)
    assert [row[header.index("label")] for row in rows] == ["0", "1", ""]


GUESSED = {
    "quotes": ["1,'hello there,0", "2,x,1", "3,y,1", "4,goodbye',0", "5,z,1"],
    "comments": ["#1,a,0", "#2,b,1", "3,c,1"],
    "ids": ["12345678901234567890,a,0", "12345678901234567891,b,1", "12e4567,c,1"],
    "times": ["1,2024-01-01 10:00:00+02,0", "2,2024-01-01 10:00:00-05,1"],
}


@pytest.mark.parametrize("lines", GUESSED.values(), ids=GUESSED)
def test_nothing_is_guessed(run, tmp_path, lines):
    source, output = tmp_path / "v.csv", tmp_path / "o.csv"
    source.write_text("\n".join(["id,text,vote", *lines]) + "\n")
    run("label", source, "-o", output, "--signals", "vote", *MAJORITY)
    assert [",".join(row[:3]) for row in read(output)] == ["id,text,vote", *lines]


def test_a_run_with_fewer_rows_out_than_in_fails(refused, tmp_path, monkeypatch):
    """The file changes between counting and writing."""
    source, output = tmp_path / "v.csv", tmp_path / "o.csv"
    source.write_text(VOTES)
    monkeypatch.setattr("corral.io.files.LOADED_UP_TO", 0)
    join = VoteFiles._join

    def cut_meanwhile(table, *given):
        source.write_text("\n".join(VOTES.splitlines()[:3]))
        return join(table, *given)

    monkeypatch.setattr(VoteFiles, "_join", cut_meanwhile)
    line = refused("label", source, "-o", output, "--id", "id", *MAJORITY)
    assert "3 rows were read and 2 would be written" in line
    assert not output.exists()


REFUSED = {
    "no header": (b"0,1\n1,0\n1,1\n", "has no header line: the first line is '0,1'"),
    "twins": (b"a,b,a\n0,1,1\n", "two columns named 'a'"),
    "case": (b"a,b,A\n0,1,1\n", "two columns named 'a' in its first line, 'a,b,A'"),
    "ragged": (b"a,b\n0,1\n1\n", "line 3: it has 1 cells where the header has 2"),
    "open quote": (b'a,b\n0,1\n1,"0\n', "line 3: a cell begins with a double quote"),
    "latin-1": (b"a,b\nn\xe4\xe4,ja\n", "iconv -f CP1252 -t UTF-8 v.csv"),
    "utf-16": ("a,b\n0,1\n".encode("utf-16"), "iconv -f UTF-16 -t UTF-8 v.csv"),
    "empty": (b"", "is empty"),
    "only a header": (b"a,b\n", "has no rows"),
}


@pytest.mark.parametrize(("content", "message"), REFUSED.values(), ids=REFUSED)
def test_files_that_are_refused(refused, tmp_path, content, message):
    source = tmp_path / "v.csv"
    source.write_bytes(content)
    line = refused("label", source, "-o", tmp_path / "o.csv")
    assert message in line
    assert "v.csv" in line
    assert "DuckDB cannot" not in line
    assert [path.name for path in tmp_path.iterdir()] == ["v.csv"]


def test_an_empty_folder(refused, tmp_path):
    (tmp_path / "votes").mkdir()
    line = refused("label", tmp_path / "votes", "-o", tmp_path / "o.csv")
    assert "has no files of votes" in line


def test_a_mark_of_utf_8_is_no_part_of_a_name(run, tmp_path):
    source, output = tmp_path / "v.csv", tmp_path / "o.csv"
    source.write_text("\ufeff" + VOTES)
    run("label", source, "-o", output, "--id", "id", *MAJORITY)
    assert read(output)[0][0] == "id"


def test_semicolons(run, tmp_path):
    source, output = tmp_path / "v.csv", tmp_path / "o.csv"
    source.write_text("id;text;a;b\n1;x, y;0;0\n2;z;1;1\n")
    run("label", source, "-o", output, "--signals", "a", "--signals", "b", *MAJORITY)
    assert [row[1] for row in read(output)] == ["text", "x, y", "z"]


def test_a_full_disk(tmp_path):
    """The reason is said, not the name of a draft; nothing is left."""
    source, output = tmp_path / "v.csv", tmp_path / "o.csv"
    lines = [f"k{i},{i % 2},{i // 2 % 2}" for i in range(20_000)]
    source.write_text("\n".join(["id,a,b", *lines]))
    script = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "from corral.cli import main; main()"
    )
    call = ["label", source, "-o", output, "--id", "id", *MAJORITY]
    ran = subprocess.run(
        [sys.executable, "-c", script, *map(str, call)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 1, ran.stderr
    assert ran.stderr.startswith("error: cannot write")
    assert "too large" in ran.stderr
    assert ".tmp" not in ran.stderr
    assert os.listdir(tmp_path) == ["v.csv"]


OUTPUTS = {
    "nothing/..": ("label", "votes.csv", "-o", "nothing/../votes.csv"),
    "model over votes": ("label", "votes.csv", "-o", "o.csv", "--save-model", "votes.csv"),
    "model over labels": ("label", "votes.csv", "-o", "o.csv", "--save-model", "o.csv"),
    "labels over options": (
        "label", "votes.csv", "--config", "run.toml", "-o", "run.toml"
    ),
    "labels over judges": ("label", "judges.jsonl", "--judges", "-o", "judges.jsonl"),
    "panel": ("panel", "votes.csv", "--gold", "b", "-o", "nothing/../votes.csv"),
    "apply": ("apply", "rules.py", "votes.csv", "-o", "nothing/../votes.csv"),
    "rank": ("rank", "votes.csv", "-o", "nothing/../other.svg"),
    "report": ("report", "votes.csv", "-o", "nothing/../other.html"),
    "advise": (
        "advise", "votes.csv", "--suggest", 1, "--suggest-to", "nothing/../votes.csv"
    ),
}  # fmt: skip


@pytest.mark.parametrize("call", OUTPUTS.values(), ids=OUTPUTS)
def test_no_output_replaces_what_the_run_uses(refused, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    answers = [{"id": i, "judge": j, "verdict": "x"} for i in "12" for j in "ab"]
    (tmp_path / "judges.jsonl").write_text("\n".join(map(json.dumps, answers)))
    (tmp_path / "votes.csv").write_text("id,a,b\n1,x,x\n2,y,y\n3,x,y\n")
    (tmp_path / "run.toml").write_text('id = ["id"]\n')
    for name in ("other.svg", "other.html", "rules.py"):
        (tmp_path / name).write_text("mine")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert re.search("replace|folder", refused(*call, "--overwrite"))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_model_is_replaced_only_if_asked(run, refused, tmp_path):
    (tmp_path / "votes.csv").write_text("id,a,b\n1,x,x\n2,y,y\n3,x,y\n")
    model = tmp_path / "thesis.txt"
    model.write_text("mine")
    call = ["label", tmp_path / "votes.csv", "--id", "id", *MAJORITY]
    saved = [*call, "-o", tmp_path / "o.csv", "--save-model", model]
    assert "--overwrite" in refused(*saved)
    assert model.read_text() == "mine"
    run(*saved, "--overwrite")
    assert corral.MajorityVote.load(model)
