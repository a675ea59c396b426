"""The command itself: interrupts, and what reaches a terminal."""

import os
import signal
import subprocess
import sys

import pytest

from corral.errors import SignalsError, SignalsWarning, warn_user

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
    inspect = run("inspect", source, "--id", "id")
    compare = run(
        "compare", source, "--id", "id", "--gold", "b", "--methods", "averaging"
    )
    for ran in (label, inspect, compare):
        assert_harmless(ran.stdout + ran.stderr)
    assert r"\x1b[31mred\x1b[2J" in label.stderr
    assert r"\x1b[31mred" in inspect.stdout
    line = refused("label", source, "-o", tmp_path / "p.csv", "--signals", "x")
    assert_harmless(line)
    assert EVIL in (tmp_path / "o.csv").read_text(), "in the file it stays what it was"


def test_errors_are_one_line_whose_blanks_stay(refused, tmp_path):
    source = tmp_path / "v.csv"
    write_votes(source, ["id", "x  y", "x y"])
    line = refused("label", source, "-o", tmp_path / "o.csv", "--signals", "x   y")
    assert "'x   y'" in line
    assert "'x  y', 'x y'" in line
    broken = source.with_suffix(".jsonl")
    broken.write_text('{"a": 1\n{"a": 0}\n')
    refused("label", broken, "-o", tmp_path / "o.csv")


STAGES = {
    "while it is imported": """
class Finder:
    def find_spec(self, name, path, target=None):
        if name == "corral.cli.app":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
""",
    "while DuckDB writes": """
import time
from threading import Thread
import corral.io.files as files
copy = files._copy
def endless(query, *options):
    def stop():
        time.sleep(0.5)  # at work
        os.kill(os.getpid(), signal.SIGINT)
    Thread(target=stop, daemon=True).start()
    long = "FROM range(100000000) a, range(1000000) b"
    return copy(f"SELECT sum(a.range * b.range) {long}", *options)
files._copy = endless
""",
}
"""When Ctrl-C comes, as code in front of the command."""


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_interrupted(tmp_path, stage):
    """At most one line, nothing left, and the output is as before; shells say 130."""
    source, output = tmp_path / "v.csv", tmp_path / "o.csv"
    write_votes(source, ["id", "a", "b"])
    output.write_text("old")
    # A shell that runs the tests in the background has them ignore Ctrl-C.
    heard = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    begin = f"import os, signal, sys\n{heard}\n{stage}\n"
    script = f"{begin}from corral.cli import main\nmain()"
    call = ["label", source, "-o", output, "--id", "id", "--overwrite"]
    ran = subprocess.run(
        [sys.executable, "-c", script, *map(str, call)],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    said = [line for line in ran.stderr.splitlines() if not line.startswith("read as")]
    assert (ran.returncode, said) in [(130, ["interrupted"]), (-signal.SIGINT, [])]
    assert output.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["o.csv", "v.csv"]


def test_a_traceback_only_with_debug(run, refused, tmp_path):
    call = ["label", tmp_path / "none.csv", "-o", tmp_path / "o.csv"]
    assert "there is no file" in refused(*call)
    shown = run(*call, "--debug", code=2).stderr
    assert "Traceback" in shown
    assert shown.splitlines()[-1].startswith("error: there is no file")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            KeyError("x"),
            "KeyError: 'x'. This is a fault of corral; --debug shows where.",
        ),
        (MemoryError(), "gives no more memory"),
    ],
)
def test_a_fault_is_one_line(refused, tmp_path, monkeypatch, error, said):
    source = tmp_path / "v.csv"
    write_votes(source, ["id", "a", "b"])

    def broken(*arguments, **options):
        raise error

    monkeypatch.setattr("corral.api.label_files", broken)
    assert said in refused("label", source, "-o", tmp_path / "o.csv")


def test_typing_mistakes_are_answered_with_a_suggestion(run):
    assert "Did you mean 'label'?" in run("lable", code=2).stderr
    said = run("label", "v.csv", "--singals", "x", code=2).stderr
    assert "--signals" in said
    assert "See corral label --help." in said


def test_warnings_are_shown_if_the_command_fails(run, tmp_path, monkeypatch):
    def warn_and_fail(*given, **options):
        warn_user("it may be empty", SignalsWarning)
        raise SignalsError("it is empty")

    monkeypatch.setattr("corral.api.label_files", warn_and_fail)
    write_votes(tmp_path / "v.csv", ["id", "a", "b"])
    ran = run("label", tmp_path / "v.csv", "-o", tmp_path / "o.csv", code=2)
    assert ran.stderr.splitlines() == ["warning: it may be empty", "error: it is empty"]
