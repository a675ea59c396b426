"""Standard input and output in the place of files: the command as shells run it."""

import csv
import io
import json
import subprocess
import sys

import duckdb

VOTES = "id,a,b,c\n1,x,x,\n2,y,,y\n3,x,y,x\n4,,,\n"
CALL = [sys.executable, "-m", "corral.cli"]


def corral(*arguments, feed=b"", code=0):
    ran = subprocess.run(
        [*CALL, *map(str, arguments)], input=feed, capture_output=True, check=False
    )  # fmt: skip
    assert ran.returncode == code, ran.stderr.decode()
    return ran


def test_from_standard_input_to_standard_output():
    ran = corral("label", "-", "-o", "-", "--id", "id", feed=VOTES.encode())
    rows = list(csv.DictReader(io.StringIO(ran.stdout.decode())))
    assert [row["id"] for row in rows] == ["1", "2", "3", "4"]
    assert [row["label"] for row in rows] == ["x", "y", "x", ""]
    assert b"read as: " in ran.stderr, "messages go elsewhere"


def test_other_formats(tmp_path):
    lines = [{"a": "x", "b": "y"}, {"a": "y", "b": "y"}]
    feed = "\n".join(map(json.dumps, lines)).encode()
    call = ["label", "-", "-o", "-", "--format", "jsonl", "-q"]
    ran = corral(*call, feed=feed)
    assert [json.loads(line)["b"] for line in ran.stdout.splitlines()] == ["y", "y"]
    assert ran.stderr == b""
    source, target = tmp_path / "v.csv", tmp_path / "o.parquet"
    source.write_text(VOTES)
    ran = corral("label", source, "-o", "-", "--id", "id", "--format", "parquet")
    target.write_bytes(ran.stdout)
    assert len(duckdb.sql(f"FROM '{target}'").fetchall()) == 4
    assert "--format must be one of" in refuse(source, "--format", "doc")


def refuse(source, *more):
    ran = corral("label", source, "-o", "-", *more, code=2)
    assert ran.stdout == b""
    (line,) = ran.stderr.decode().splitlines()
    return line


def test_nothing_is_written_if_anything_is_wrong(tmp_path):
    source = tmp_path / "v.csv"
    source.write_text("a,b\nx\n")
    assert "line 2" in refuse(source)
    assert "standard input.csv' is empty" in refuse("-")
    assert "--json and --output -" in refuse(source, "--json")


def test_a_reader_that_leaves(tmp_path):
    """As in ``corral label ... | head -1``: no traceback, and no message."""
    source = tmp_path / "v.csv"
    source.write_text("a,b\n" + "x,y\n" * 200_000)
    call = [*CALL, "label", source, "-o", "-", "-q", "--method", "majority-vote"]
    with subprocess.Popen(
        list(map(str, call)), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
