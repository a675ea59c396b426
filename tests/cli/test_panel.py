"""``corral panel``: the library's answer, as text, as JSON and as a file."""

import json
import shlex
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.panels.made_panels import hide, make_votes

import corral

VOTES, TRUTH = make_votes(300)
KNOWN = hide(TRUTH, 60)


@pytest.fixture
def votes(tmp_path):
    lines = ["gpt_a,gpt_b,llama,human,topic"]
    for i, row in enumerate(VOTES):
        human = "" if KNOWN[i] < 0 else KNOWN[i]
        lines.append(f"{','.join(map(str, row))},{human},{'xy'[i % 2]}")
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines))
    return path


def test_the_answer_is_that_of_the_library(run, votes):
    options = ["--gold", "human", "--by", "topic", "--json"]
    found = json.loads(run("panel", votes, *options).stdout)
    names = ["gpt_a", "gpt_b", "llama"]
    want = corral.panel(
        corral.WeakSignals.from_votes(VOTES, names=names),
        gold=KNOWN,
        slices={"topic": np.array(["x", "y"] * 150)},
    )
    assert found["shares"]["value"] == pytest.approx(want.shares.value.tolist())
    assert found["dependence"]["effective"] == pytest.approx(want.dependence.effective)
    assert [each["name"] for each in found["slices"]] == ["x", "y"]


def test_what_is_refused(refused, votes):
    gold = ("--gold", "human", "--id", "topic")
    assert "--overwrite goes with" in refused("panel", votes, *gold, "--overwrite")
    assert "--by" in refused("panel", votes, *gold, "--by", "theme")


def test_what_judges_wrote(run, tmp_path):
    """Samples give shares, and people write words."""
    path, words = tmp_path / "answers.jsonl", ("fail", "pass")
    path.write_text(
        "\n".join(
            json.dumps(
                {"id": i, "judge": f"j{j}", "samples": [words[vote], words[row[0]]]}
                | ({"gold": words[KNOWN[i]]} if KNOWN[i] >= 0 else {})
            )
            for i, row in enumerate(VOTES)
            for j, vote in enumerate(row.tolist())
        )
    )
    ran = run("panel", path, "--judges", "--gold", "gold", "--json")
    found = json.loads(ran.stdout)
    assert found["classes"] == ["fail", "pass"]
    assert found["n_labelled"] == 60


def test_a_gate_in_a_shell_script(votes, tmp_path):
    """A script goes on where all holds, and stops by the exit code elsewhere."""
    script = tmp_path / "gate.sh"
    script.write_text(
        f"""set -u
gate() {{
    {sys.executable} -m corral.cli panel {votes} --gold human --id topic -q \\
        --overwrite --junit {tmp_path}/junit.xml --require "$1" > {tmp_path}/said.txt
}}
if gate 'accuracy >= 0.5'; then echo goes on; fi
gate 'accuracy >= 0.999'; echo "fails: $?"
gate "$2"; echo "open: $?"
gate 'acuracy >= 0.5'; echo "a mistake: $?"
"""
    )
    value = corral.panel(VOTES, gold=KNOWN).shares.value[1]
    ran = subprocess.run(
        ["sh", script, "", f"share(1) >= {value:.3f}"],
        capture_output=True,
        text=True,
        check=True,
    )
    said = ["goes on", "fails: 1", "open: 3", "a mistake: 2"]
    assert ran.stdout.split("\n")[:4] == said, ran.stderr
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert suite.attrib["errors"] == "1"


def test_what_comes_next_can_be_typed(run, votes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = run("panel", votes, "--gold", "human", "--by", "topic").stderr
    for option in ("--automate", "--save", "--since"):
        *_, last = said.splitlines()
        assert last.startswith("next: corral panel ")
        assert option in last
        call = shlex.split(last.replace("new.csv", "votes.csv"))[2:]
        said = run(*call).stderr
    options = ["--gold", "human", "--by", "topic", "--require", "judges <= 0"]
    assert "next: " in run("panel", votes, *options, code=1).stderr


def test_what_was_asked_for_is_in_the_answer(run, refused, votes, tmp_path):
    kept, rows = tmp_path / "old.panel", tmp_path / "rows.csv"
    gold = ("--gold", "human", "--id", "topic")
    run("panel", votes, *gold, "--save", kept)
    options = ["--since", kept, "--look", 3, "--system", "topic", "--json"]
    found = json.loads(run("panel", votes, "--gold", "human", *options).stdout)
    assert found["drift"]["look"] == 3
    assert found["systems"]["systems"] == ["x", "y"]
    said = run("panel", votes, *gold, "--automate", 0.2, "-o", rows).stdout
    assert said.index("may decide") < said.index("with people")
    header = rows.read_text().split("\n")[0].split(",")
    assert header[-3:] == ["decided", "read_next", "sampling"]
    two = run("panel", votes, *gold, "--against", votes).stdout
    assert "B is tied with A" in two
    assert "--junit goes with" in refused("panel", votes, *gold, "--junit", "x.xml")
    assert "--require" in refused("panel", votes, *gold, "--require", "f1 >= 1")
