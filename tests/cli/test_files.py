"""Files on the command line: nothing is lost, and what is refused is said in one line."""

import json
import os
import re
import subprocess
import sys

import pytest

VOTES = "id,a,b\n1,0,0\n2,1,1\n3,,\n"
MAJORITY = ["--method", "majority-vote", "--quiet"]


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
    assert ran.returncode == 2, ran.stderr
    assert ran.stderr.startswith("error: cannot write")
    assert "too large" in ran.stderr
    assert ".tmp" not in ran.stderr
    assert os.listdir(tmp_path) == ["v.csv"]


OUTPUTS = {
    "nothing/..": ("label", "votes.csv", "-o", "nothing/../votes.csv"),
    "labels over judges": ("label", "judges.jsonl", "--judges", "-o", "judges.jsonl"),
    "panel": ("panel", "votes.csv", "--gold", "b", "-o", "nothing/../votes.csv"),
    "two outputs": ("panel", "votes.csv", "--gold", "b", "-o", "p.txt", "--save", "p.txt"),
    "apply": ("apply", "rules.py", "votes.csv", "-o", "nothing/../votes.csv"),
    "rank": ("rank", "votes.csv", "-o", "nothing/../other.svg"),
    "report": ("report", "votes.csv", "-o", "nothing/../other.html"),
    "suggest": ("suggest", "votes.csv", 1, "-o", "nothing/../votes.csv"),
}  # fmt: skip


@pytest.mark.parametrize("call", OUTPUTS.values(), ids=OUTPUTS)
def test_no_output_replaces_what_the_run_uses(refused, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    answers = [{"id": i, "judge": j, "verdict": "x"} for i in "12" for j in "ab"]
    (tmp_path / "judges.jsonl").write_text("\n".join(map(json.dumps, answers)))
    (tmp_path / "votes.csv").write_text("id,a,b\n1,x,x\n2,y,y\n3,x,y\n")
    for name in ("other.svg", "other.html", "rules.py"):
        (tmp_path / name).write_text("mine")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert re.search("replace|folder", refused(*call, "--overwrite"))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
