"""``corral apply``: from rows and a Python file to votes, and on to labels."""

import csv
import io

import duckdb
import pytest

ROWS = "id,text,length\n007,WIN a free prize,16\n008,Lunch?,6\n009,,\n"
RULES = """
from __future__ import annotations
import corral
from dataclasses import dataclass
from corral.functions import keywords, threshold
from words import SPAM

@dataclass
class Rule:
    word: str

spam = keywords("text", SPAM, "spam", name="words")
_hidden = keywords("text", ["x"], "spam", name="hidden")
more = [threshold("length", "ham", below=10, name="short"), spam]

@corral.signal
def question(row):
    return "ham" if row.text and row["text"].endswith("?") else None
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "words.py").write_text('SPAM = ["free", "win"]\n')
    (tmp_path / "rules.py").write_text(RULES)
    return tmp_path


def cells(text):
    return list(csv.reader(io.StringIO(text)))


def test_votes_stand_beside_the_data(run, folder):
    ran = run("apply", folder / "rules.py", folder / "rows.csv", "-o", "-")
    assert cells(ran.stdout) == [
        ["id", "text", "length", "words", "short", "question"],
        ["007", "WIN a free prize", "16", "spam", "", ""],
        ["008", "Lunch?", "6", "", "ham", "ham"],
        ["009", "", "", "", "", ""],
    ]
    assert "3 rows, 66.7% covered" in ran.stderr
    assert "next:" not in ran.stderr


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_the_next_command_is_said(run, folder, ending, monkeypatch):
    monkeypatch.chdir(folder)
    output = f"votes.{ending}"
    call = ["apply", "rules.py", "rows.csv", "-o", output]
    ran = run(*call, "--prefix", "r_", "--keep", "id")
    said = f"corral label votes.{ending} -o labels.csv --signals 'r_*'"
    assert said in ran.stderr
    run("label", output, "-o", "labels.csv", "--signals", "r_*")
    found = duckdb.sql("FROM read_csv('labels.csv', all_varchar=true)")
    assert found.columns[:2] == ["id", "r_words"]
    assert "exists already" in run(*call, code=2).stderr
    assert "--id id,text,length" in run(*call, "--overwrite").stderr


def test_probabilities(run, folder):
    (folder / "soft.py").write_text(
        "import corral\n"
        "@corral.signal(label='spam')\n"
        "def shout(row):\n"
        "    return sum(map(str.isupper, row.text)) / len(row.text) if row.text else None\n"
        "@corral.signal\n"
        "def short(row):\n"
        "    return 'ham' if row.length and row.length < 10 else None\n"
    )
    call = ["apply", folder / "soft.py", folder / "rows.csv", "-o", "-", "--keep", "id"]
    assert cells(run(*call).stdout) == [
        ["id", "shout", "short"],
        ["007", "0.1875", ""],
        ["008", str(1 / 6), "0.0"],
        ["009", "", ""],
    ]


def test_failures(run, refused, folder):
    (folder / "fails.py").write_text(
        "import corral\n"
        "@corral.signal\n"
        "def last(row):\n"
        "    return 'ham' if row.text[-1] == '?' else 'spam'\n"
    )
    call = ["apply", folder / "fails.py", folder / "rows.csv", "-o", folder / "v.csv"]
    line = refused(*call)
    assert "signal 'last' failed on row 3: TypeError" in line
    assert "--on-error abstain" in line
    ran = run(*call, "--on-error", "abstain")
    assert "warning: functions failed on some rows" in ran.stderr
    assert [row[3] for row in cells((folder / "v.csv").read_text())][1:] == [
        "spam",
        "ham",
        "",
    ]


def test_files_that_cannot_be_run_or_define_no_functions(refused, folder):
    call = ["apply", folder / "r.py", folder / "rows.csv", "-o", "-"]
    for text, said in (
        ("\n\nimport nowhere_at_all", "'r.py' failed, line 3: ModuleNotFound"),
        ("raise SystemExit(3)", "'r.py' failed, line 1: SystemExit: 3"),
        ("x = 1", "defines no signal functions"),
    ):
        (folder / "r.py").write_text(text)
        assert said in refused(*call)
