"""Files on the command line: nothing is lost, and what is refused is said in one line."""

import csv
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

from corral.errors import SignalsWarning
from corral.tables import VoteFiles

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
        assert "is the input" in line
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
    monkeypatch.setattr("corral.tables.vote_files.LOADED_UP_TO", 0)
    batches = VoteFiles.batches

    def cut_meanwhile(table):
        source.write_text("\n".join(VOTES.splitlines()[:3]))
        return batches(table)

    monkeypatch.setattr(VoteFiles, "batches", cut_meanwhile)
    line = refused("label", source, "-o", output, "--id", "id", *MAJORITY)
    assert "3 rows were read and 2 would be written" in line
    assert not output.exists()


REFUSED = {
    "no header": (b"0,1\n1,0\n1,1\n", "has no header line: the first line is '0,1'"),
    "twins": (b"a,b,a\n0,1,1\n", "two columns named 'a'"),
    "case": (b"a,b,A\n0,1,1\n", "two columns named 'a' in its first line, 'a,b,A'"),
    "ragged": (b"a,b\n0,1\n1\n", "line 3: it has 1 cells where the header has 2"),
    "open quote": (b'a,b\n0,1\n1,"0\n', "line 3: a cell begins with a double quote"),
    "latin-1": (b"a,b\nn\xe4\xe4,ja\n", "byte 0xe4 in line 2 is not UTF-8"),
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


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "@SUM(1)", "+x", "-x"])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_classes_that_spreadsheets_run(run, tmp_path, name, ending):
    source, output = tmp_path / "v.csv", tmp_path / f"o{ending}"
    source.write_text(f'id,a,b\n1,"{name}","{name}"\n2,ham,ham\n=1+1,ham,ham\n')
    ran = run("label", source, "-o", output, "--id", "id", "--method", "majority-vote")
    warned = [line for line in ran.stderr.splitlines() if line.startswith("warning")]
    assert len(warned) == (ending == ".csv")
    if ending == ".csv":
        assert "spreadsheet runs it as a formula" in warned[0]
        assert [row[0] for row in read(output)] == ["id", "1", "2", "=1+1"], "their own"
        assert read(output)[1][4] == name, "unchanged"


@pytest.mark.parametrize("names", [(-1, 1), ("-1", "x"), ("a=b", "x-y")])
def test_other_classes_are_not_warned_of(tmp_path, names):
    source = tmp_path / "v.csv"
    source.write_text("id,a\n1,0\n2,1\n")
    file = VoteFiles(source)
    file.count(["a"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", SignalsWarning)
        added = {"label": np.array(names, object if isinstance(names[0], str) else int)}
        file.write(tmp_path / "o.csv", [added])


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
    assert ran.stderr.startswith("error: cannot write 'o.csv': ")
    assert "too large" in ran.stderr
    assert ".draft" not in ran.stderr
    assert os.listdir(tmp_path) == ["v.csv"]


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_formulas_can_be_escaped(run, tmp_path, kind):
    votes = tmp_path / "votes.csv"
    votes.write_text("id,=a,b\n=1+1,@x,-1e3\n-5,,@x\n+a,@x,\n'q,-1e3,-1e3\n")
    output = tmp_path / f"labels.{kind}"
    ran = run(
        *("label", votes, "-o", output, "--id", "id", "--escape-formulas"),
        *("--classes", "-1e3,@x"),
    )
    assert "spreadsheet" not in ran.stderr
    first, *lines = output.read_text().splitlines()
    mark = "," if kind == "csv" else "\t"
    cells = [line.split(mark) for line in lines]
    assert first.split(mark)[:4] == ["id", "'=a", "b", "p_@x"]
    assert [line[0] for line in cells] == ["'=1+1", "-5", "'+a", "'q"]
    assert cells[0][1:3] == ["'@x", "-1e3"]
    assert {line[4] for line in cells} <= {"'@x", "-1e3"}


def test_formulas_are_escaped_where_spreadsheets_run_them(refused, tmp_path):
    votes = tmp_path / "votes.csv"
    votes.write_text("id,a,b\n0,1,0\n1,1,1\n")
    said = refused(
        *("label", votes, "-o", tmp_path / "a.parquet", "--id", "id"),
        "--escape-formulas",
    )
    assert "--escape-formulas is for CSV and TSV" in said
