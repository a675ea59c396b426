"""The command itself: interrupts, and what reaches a terminal."""

import os
import signal
import subprocess
import sys
import time

import duckdb
import pytest

EVIL = "\x1b[31mred\x1b[2J\u202e\x07"
"""Colours, clears the screen, turns the text around and rings the bell."""


def write_votes(path, names, n=6):
    lines = [",".join(f'"{name}"' for name in names)]
    lines += [f"{i},{i % 2},{i % 2}" for i in range(n)]
    path.write_text("\n".join(lines))


def assert_harmless(text):
    assert all(c.isprintable() or c == "\n" for c in text), ascii(text)


def test_names_of_columns_reach_a_terminal_written_out(run, refused, tmp_path):
    source = tmp_path / "v.csv"
    write_votes(source, ["id", EVIL, "b"])
    label = run("label", source, "-o", tmp_path / "o.csv", "--id", "id")
    advise = run("advise", source, "--id", "id")
    compare = run(
        "compare", source, "--id", "id", "--gold", "b", "--methods", "averaging"
    )
    for ran in (label, advise, compare):
        assert_harmless(ran.stdout + ran.stderr)
    assert r"\x1b[31mred\x1b[2J\u202e\x07" in label.stderr
    assert r"\x1b[31mred" in advise.stdout
    line = refused("label", source, "-o", tmp_path / "p.csv", "--signals", "x")
    assert_harmless(line)
    assert EVIL in (tmp_path / "o.csv").read_text(), "in the file it stays what it was"


@pytest.mark.filterwarnings("ignore::corral.errors.CorralWarning")
def test_names_of_classes_and_files_reach_a_terminal_written_out(
    run, refused, tmp_path
):
    source, output = tmp_path / f"v{EVIL}.csv", tmp_path / f"o{EVIL}.csv"
    source.write_text(f"id,a,b\n1,{EVIL},{EVIL}\n2,ham,ham\n3,=x,=x\n4,{EVIL},ham\n")
    ran = run("label", source, "-o", output, "--id", "id")
    assert_harmless(ran.stdout + ran.stderr)
    assert r"2 \x1b[31mred" in ran.stderr or r"1 \x1b[31mred" in ran.stderr
    assert output.exists()
    assert_harmless(refused("label", source, "-o", output, "--id", "id"))
    assert_harmless(refused("label", f"{source}?", "-o", output, "--id", "id"))


def test_interrupted(tmp_path):
    """Whenever Ctrl-C comes: one line, the exit code of shells, the output untouched."""
    source, output = tmp_path / "v.csv", tmp_path / "o.csv"
    votes = ", ".join(f"hash(i, {k}) % 2 AS s{k}" for k in range(8))
    query = f"SELECT i AS id, {votes} FROM range(600000) t(i)"
    duckdb.sql(f"COPY ({query}) TO '{source}' (FORMAT csv, HEADER)")
    output.write_text("old")
    call = [sys.executable, "-c", "from corral.cli import main; main()", "label"]
    call += [str(source), "-o", str(output), "--id", "id", "--overwrite"]
    seen = set()
    for delay in (0.3, 0.9, 1.5, 2.0, 2.5, 3.0):
        process = subprocess.Popen(call, stderr=subprocess.PIPE, text=True)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        shown = process.communicate()[1]
        seen.add(process.returncode)
        if process.returncode == 0:  # it was faster
            output.write_text("old")
            continue
        assert (process.returncode, shown) == (130, "interrupted\n")
        assert output.read_text() == "old"
        assert sorted(os.listdir(tmp_path)) == ["o.csv", "v.csv"], "no draft"
    assert 130 in seen


def test_interrupted_within_a_query(tmp_path):
    """DuckDB is at work, and raises an error of its own."""
    source = tmp_path / "v.csv"
    write_votes(source, ["id", "a", "b"])
    script = f"""
import sys
from corral.tables import VoteFiles
table = VoteFiles({str(source)!r})
print("at work", flush=True)
try:
    table._create("SELECT sum(a.range * b.range) FROM range(10000000) a, range(1000000) b")
except KeyboardInterrupt:
    sys.exit(130)
"""
    call = [sys.executable, "-c", script]
    process = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "at work\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
