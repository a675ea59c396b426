"""CSV by one dialect: rows and cells come out as they went in, whatever reads them."""

import csv
import gzip
import random

import duckdb
import numpy as np
import pytest

import corral
from corral.errors import ParameterError, SignalsError, SignalsWarning
from corral.io import files as files_module
from corral.io.files import VoteFiles
from corral.io.reader import Reading, read_votes


def label(source, target, **options):
    """Label a file; header and rows of the file that comes out, sorted by id."""
    corral.label(source, output=target, labeler="majority-vote", **options)
    with target.open(newline="") as file:
        header, *rows = csv.reader(file)
    return header, sorted(rows)


CELLS = {
    "quotes that are no quotes": ("1,'hello there,0", "2,goodbye',0", "3,x,1"),
    "comments that are none": ("#2,a,0", "1,#b,1", "3,c,1"),
    "large numbers": tuple(f"1234567890123456789{i},a,{i % 2}" for i in range(3)),
    "exponents": ("12e4567,a,0", "1e5,b,1", "100000,b,1"),
    "zeros in front": ("007,a,0", "7,b,1", "0x1F,b,1"),
    "times": (
        "1,2024-01-01T10:00:00+02:00,0",
        "2,2024-01-01T10:00:00-05:00,1",
        "3,03/04/2024,1",
    ),
    "spaces": ("1, in front,0", "2,behind ,1", "3,  ,1"),
    "decimals": ("1,1.10,0", "2,+1,1", "3,1_000,1"),
    "truths": ("1,true,0", "2,f,1", "3,NULL,1"),
    "escapes": ("1,a\\,0", "2,\\N,1", '3,"say ""hi""",1'),
    "line breaks": ('1,"a\nb",0', '2,"c, d",1', "3,e,1"),
}


@pytest.mark.parametrize("lines", CELLS.values(), ids=CELLS)
def test_every_cell_that_is_no_signal_passes_as_it_was(lines, tmp_path):
    source = tmp_path / "v.csv"
    source.write_text("\n".join(["id,text,vote", *lines]) + "\n")
    header, rows = label(source, tmp_path / "o.csv", signals="vote")
    assert header[:3] == ["id", "text", "vote"]
    assert [row[:3] for row in rows] == sorted(csv.reader(lines))
    assert [row[5] for row in rows] == [row[2] for row in rows], "its own label"


VOTES = {
    "whole numbers": (["0", "1", "1", ""], ["0", "1"]),
    "with blanks and signs": (["0", " 1", "1", "+1"], ["0", "1"]),
    "with a point": (["0.0", "1.0", "1.0", ""], ["0", "1"]),
    "with two digits": (["1.00", "2.00", "2.00", ""], ["1", "2"]),
    "zeros in front": (["01", "02", "02", ""], ["01", "02"]),
    "a zero in front of some": (["00", "01", "10", ""], ["00", "01", "10"]),
    "exponents": (["1e0", "2e0", "1E3", ""], ["1E3", "1e0", "2e0"]),
    "NaN is no vote": (["0", "1", "NaN", "nan"], ["0", "1"]),
    "words": (["no", "yes", "yes", ""], ["no", "yes"]),
    "numbers and a word": (["0", "1", "x", "1"], ["0", "1", "x"]),
    "larger than numbers are": (
        ["12345678901234567890", "12345678901234567891", "", ""],
        ["12345678901234567890", "12345678901234567891"],
    ),
    "beyond all numbers": (["1e400", "1e401", "1", ""], ["1", "1e400", "1e401"]),
    "letters of Java": (["1d", "1f", "1", ""], ["1", "1d", "1f"]),
}


@pytest.mark.parametrize(("votes", "classes"), VOTES.values(), ids=VOTES)
def test_signals_are_numbers_if_all_of_their_cells_are(votes, classes, tmp_path):
    source, target = tmp_path / "v.csv", tmp_path / "o.csv"
    lines = [f"k{i},{vote},{vote}" for i, vote in enumerate(votes)]
    source.write_text("\n".join(["id,a,b", *lines]))
    header, rows = label(source, target, signals=["a", "b"])
    assert [row[1] for row in rows] == votes, "as they were"
    assert header[3:-3] == [f"p_{name}" for name in classes]
    found = [row[header.index("label")] for row in rows]
    assert set(found) - {""} == set(classes)


def test_numbers_written_in_several_ways_are_not_merged(tmp_path):
    source, target = tmp_path / "v.csv", tmp_path / "o.csv"
    source.write_text("id,a,b,gold\nk1,1,2,1\nk2,01,2,01\nk3,1.0,2,2\n")
    options = {"id": ["id", "gold"], "output": target}
    with pytest.raises(SignalsError, match="'01', '1', "):
        corral.label(source, **options)
    corral.label(source, **options, classes=["1", "01", "1.0", "2"], error_rates=0.5)
    header = target.read_text().splitlines()[0]
    assert header.split(",")[4:-3] == ["p_1", "p_01", "p_1.0", "p_2"]
    source.write_text("id,a,b,gold\nk1,10,10,10\nk2,01,10,01\nk3,01,01,01\n")
    found = read_votes(source, Reading(id="id"), gold="gold")
    assert found.signals.classes.tolist() == ["01", "10"]
    assert set(found.gold) == {"01", "10"}


def test_names_of_tasks_and_workers_are_text(tmp_path):
    """007 and 7 are two of them; tasks are in the order in which they appear."""
    source = tmp_path / "v.csv"
    rows = [(t, w) for t in ("10", "9", "007", "7") for w in ("1", "01", "1.0")]
    lines = [f"{t},{w},{int(float(t)) % 2}" for t, w in rows]
    source.write_text("\n".join(["task,worker,label", *lines]))
    assert not VoteFiles(source).is_text("label")
    read = read_votes(source, Reading(task="task")).signals
    assert set(read.names) == {"01", "1", "1.0"}
    target = tmp_path / "o.csv"
    header, found = label(source, target, task="task")
    assert header[0] == "task"
    labels = {row[0]: row[header.index("label")] for row in found}
    assert labels == {"10": "0", "9": "1", "007": "1", "7": "1"}
    with target.open() as file:
        assert [line.split(",")[0] for line in file][1:] == ["10", "9", "007", "7"]
    again = VoteFiles(source).rows(["task", "label"], names=["task"])
    assert again["task"].tolist() == [t for t, _ in rows]
    assert again["label"].tolist() == [0] * 3 + [1] * 9


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_is_that_of_the_header(mark, tmp_path):
    source = tmp_path / "v.csv"
    lines = ["id,text,a", "1,x;y|z,0", "2,x;y;z;w,1", "3,q,1"]
    if mark != ",":
        lines = [line.replace(mark, "").replace(",", mark) for line in lines]
    source.write_text("\n".join(lines))
    _, rows = label(source, tmp_path / "o.csv", signals="a")
    assert [row[1] for row in rows] == [line.split(mark)[1] for line in lines[1:]]


@pytest.mark.parametrize("hold", [True, False])
def test_random_tables_come_out_cell_by_cell(tmp_path, monkeypatch, hold):
    """Against Python's own reader and writer of CSV."""
    monkeypatch.setattr(files_module, "LOADED_UP_TO", 1 << 28 if hold else 0)
    rng = random.Random(0)
    alphabet = [*"a7'\"#,;|\n \\é-", "\r\n"]

    def cell():
        return "".join(rng.choices(alphabet, k=rng.randint(0, 5)))

    for case in range(15):
        rows = [[f"k{i}", cell(), cell()] for i in range(60)]
        source, target = tmp_path / f"v{case}.csv", tmp_path / f"o{case}.csv"
        with source.open("w", newline="") as file:
            ends = rng.choice(["\n", "\r\n"])
            writer = csv.writer(file, lineterminator=ends, quoting=rng.choice([0, 1]))
            writer.writerow(["id", "a", "b", "vote"])
            writer.writerows([*row, i % 2] for i, row in enumerate(rows))
        _, found = label(source, target, signals="vote")
        assert [row[:3] for row in found] == sorted(rows)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("begin", ["", "\ufeff", "\n\n"], ids=["", "mark", "blank"])
def test_line_ends_marks_and_blank_lines(tmp_path, ends, begin):
    source = tmp_path / "v.csv"
    text = f"{begin}id,a,b\n1,0,1\n\n2,1,1\n\n".replace("\n", ends)
    source.write_bytes(text.encode())
    file = VoteFiles(source)
    assert file.columns == ["id", "a", "b"]
    file.count(["a", "b"])
    assert file.n_rows == 2


def test_files_with_columns_in_another_order(tmp_path):
    (tmp_path / "1.csv").write_text("id,a,b\n1,0,1\n")
    (tmp_path / "2.csv").write_text("b;id\n0;2\n")
    file = VoteFiles(tmp_path)
    assert file.columns == ["id", "a", "b"]
    rows = file.rows(["id", "a", "b"], names=["id"])
    assert rows["id"].tolist() == ["1", "2"]
    np.testing.assert_array_equal(rows["a"], [0, np.nan])
    assert rows["b"].tolist() == [1, 0]


def test_names_that_are_missing_or_have_spaces(tmp_path):
    (tmp_path / "v.csv").write_text(', "a b" , c\n0,1,1\n')
    assert VoteFiles(tmp_path / "v.csv").columns == ["column0", "a b", "c"]


NO_TABLES = {
    "numbers": ("0,1,1\n1,0,1\n", "seems to have no header line"),
    "numbers and ids": ("k1,0,1\nk2,0,0\nk3,1,1\n", "seems to have no header line"),
    "words and numbers": ("1,spam,ham\n2,ham,ham\n3,spam,spam\n", "no header line"),
    "twins": ("a,b,a\n0,1,1\n", "two columns named 'a' in its first line"),
    "twins but for case": ("a,b,A\n0,1,1\n", "two columns named 'a' in its first line"),
    "blank lines": ("\n\n", "is empty"),
}


@pytest.mark.parametrize(("text", "message"), NO_TABLES.values(), ids=NO_TABLES)
def test_headers_that_are_refused(text, message, tmp_path):
    (tmp_path / "v.csv").write_text(text)
    with pytest.raises(SignalsError, match=message):
        VoteFiles(tmp_path / "v.csv")


NAMED_AFTER_CLASSES = {
    "rules": "spam,ham\nspam,\n,ham\nspam,ham\n,\n",
    "rules that all speak": "spam,ham\nspam,ham\nspam,ham\n",
    "a single rule": 'spam\nspam\n""\nspam\n',
    "annotators": "A,B,C\nA,B,C\nB,B,A\nC,A,C\n",
    "annotators with numbers": "c1,c2,c3\nc1,c2,c3\nc2,c2,c1\nc3,c1,c3\n",
    "rules for a number": "other,1\nother,\n,1\nother,1\n",
}


@pytest.mark.parametrize("text", NAMED_AFTER_CLASSES.values(), ids=NAMED_AFTER_CLASSES)
def test_signals_may_be_named_after_classes(text, tmp_path):
    (tmp_path / "v.csv").write_text(text)
    table = VoteFiles(tmp_path / "v.csv")
    assert table.columns == text.splitlines()[0].split(",")


RAGGED = {
    "too few cells": ("a,b,c\n1,0,1\n0,1\n1,1,1\n", "line 3: .*Found: 2"),
    "too many": ("a,b,c\n1,0,1\n0,1,1,1\n1,1,1\n", "line 3: .*Found: 4"),
    "an open quote": ('a,b,c\n1,0,1\n0,"x,1\n1,1,1\n', "line 3: .*quote"),
    "text behind a quote": ('a,b,c\n1,0,1\n0,"x"y,1\n1,1,1\n', "line 3: .*quote"),
    "other line ends": ("a,b,c\r\n1,0,1\n0,1,1\r\n1,1,1\n", "end in the same way"),
}


@pytest.mark.parametrize(("text", "message"), RAGGED.values(), ids=RAGGED)
@pytest.mark.parametrize("hold", [True, False])
def test_lines_that_are_refused(tmp_path, monkeypatch, text, message, hold):
    monkeypatch.setattr(files_module, "LOADED_UP_TO", 1 << 28 if hold else 0)
    (tmp_path / "v.csv").write_bytes(text.encode())
    with pytest.raises(SignalsError, match=rf"(?s)cannot read 'v\.csv'.*{message}"):
        VoteFiles(tmp_path / "v.csv").count(["a", "b", "c"])


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
@pytest.mark.parametrize("how", ["", ", FORCE_QUOTE *"], ids=["bare", "quoted"])
def test_long_cells(tmp_path, ending, how):
    path = tmp_path / f"v{ending}"
    cell = "x" * 3_000_000
    query = f"SELECT * FROM (VALUES (1, '{cell}', 0), (2, 'y', 1)) AS t(id, text, a)"
    packed = "gzip" if path.suffix == ".gz" else "none"
    duckdb.execute(f"COPY ({query}) TO '{path}' (HEADER, COMPRESSION {packed}{how})")
    rows = VoteFiles(path).rows(["id", "text"], names=["text"])
    assert rows["text"].tolist() == [cell, "y"]


@pytest.mark.parametrize("size", [1 << 24, 5 << 23], ids=["a bit", "buffers"])
def test_cells_longer_than_duckdb_takes_them(tmp_path, size):
    with (tmp_path / "v.csv").open("w") as file:
        file.writelines(["id,text,a\n1,x,0\n2,", "x" * size, ",1\n3,x,1\n"])
    with pytest.raises(
        SignalsError, match=r"'v\.csv'.*: it has a line of more than 16 MB"
    ):
        VoteFiles(tmp_path / "v.csv")


ROWS = {
    ".csv": "id,a\n1,0\ncafé,1\n",
    ".csv.gz": "id,a\n" + "1,0\n" * 50_000 + "café,1\n",
    ".jsonl": '{"id": "1", "a": 0}\n{"id": "café", "a": 1}\n',
}


@pytest.mark.parametrize("ending", ROWS)
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16"])
def test_other_encodings(tmp_path, ending, encoding):
    """A file that is not UTF-8 is refused with an encoding that reads it."""
    text = ROWS[ending].replace("é", "é\u2013" if encoding == "cp1252" else "é")
    path, raw = tmp_path / f"v{ending}", text.encode(encoding)
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    with pytest.raises(SignalsError, match=f"`encoding='{encoding}'`") as caught:
        corral.label(path, id="id", output=tmp_path / "o.parquet")
    assert "UTF-8" in str(caught.value)
    assert "café" in "".join(VoteFiles(path, encoding=encoding).rows(["id"])["id"])
    with pytest.raises(ParameterError, match="unknown"):
        VoteFiles(path, encoding="utf-9")
    with pytest.raises(SignalsError, match="not ascii"):
        VoteFiles(path, encoding="ascii")


@pytest.mark.parametrize(
    "text",
    [
        'id,"a\nb",c\r\n0,1,0\r\n1,0,0\r\n',
        '\r\n"id","c","a\nb"\r\n"0","1","0"\r\n',
        'id,"a\r\nb",c\n0,1,0\n1,0,0\n',
        'id,"a\rb",c\n0,1,0\n1,0,0\n',
    ],
)
def test_line_breaks_in_a_name_are_refused(tmp_path, text):
    # DuckDB finds no row there: of several files, such a one was left out.
    paths = [tmp_path / "first.csv", tmp_path / "other.csv"]
    paths[0].write_text('id,"a\nb",c\n7,1,0\n8,0,1\n')
    paths[1].write_bytes(text.encode())
    for given in (tmp_path / "*.csv", paths[1]):
        with pytest.raises(SignalsError, match="cannot read"):
            corral.label(given, id="id", output=tmp_path / "labels.parquet")


def test_a_column_of_nothing_but_a_class_named_none(tmp_path):
    """It is no column of gaps, as beside numbers."""
    path = tmp_path / "votes.csv"
    path.write_text("a,b\nnone,spouse\nnone,none\nnone,spouse\n")
    options = {"classes": ["none", "spouse"], "error_rates": 0.3}
    output = tmp_path / "labels.csv"
    corral.label(path, output=output, **options)
    votes = [["none", "spouse"], ["none", "none"], ["none", "spouse"]]
    found = duckdb.sql(f"SELECT p_spouse FROM '{output}'").fetchnumpy()["p_spouse"]
    np.testing.assert_allclose(found, corral.label(votes, **options)[:, 1])


def test_a_column_of_gaps_beside_numbers_and_an_empty_one(tmp_path):
    path, output = tmp_path / "votes.csv", tmp_path / "labels.csv"
    path.write_text("a,b,c,d\n0,,N/A,1\n1,,N/A,1\n0,,N/A,0\n")
    with pytest.warns(SignalsWarning, match="never vote are left out: b, c"):
        corral.label(path, output=output, error_rates=0.3)
    found = duckdb.sql(f"SELECT p_1 FROM '{output}'").fetchnumpy()["p_1"]
    same = corral.label([[0, 1], [1, 1], [0, 0]], error_rates=0.3)
    np.testing.assert_allclose(found, same[:, 1])


def test_one_vote_for_a_class_named_null(tmp_path):
    path, output = tmp_path / "votes.csv", tmp_path / "labels.csv"
    path.write_text("a,b\n,null\n,null\n")
    with pytest.warns(SignalsWarning, match="never vote are left out: a"):
        corral.label(path, classes=["null", "x"], output=output, error_rates=0.3)
    found = duckdb.sql(f"SELECT label FROM '{output}'").fetchall()
    assert found == [("null",), ("null",)]


def test_delimiters_within_quotes_are_none(tmp_path):
    """By the semicolons, of which there are more, DuckDB found no row."""
    path = tmp_path / "votes.csv"
    path.write_text('"id","a; b; c"\n"0","x"\n"1","y"\n')
    assert VoteFiles(path).columns == ["id", "a; b; c"]
