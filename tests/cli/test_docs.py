"""Commands on pages can be typed, and give what the page of the command line shows."""

import csv
import doctest
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command

from corral.cli.app import app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cli.md").read_text()
FILES = re.findall(r"This is `([\w.]+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL)
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text()
BLOCKS = {
    folder: re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    for folder, page in ((".", PAGE), ("tutorial", TUTORIAL))
}


def calls(block):
    """Commands, and the lines that each shows."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [part.split("\n", 1) for part in parts]


def settle(text):
    """What does not depend on the machine: no seconds, no last digits."""
    text = re.sub(r"\d+\.\d+ s\b( \(.*?\))?", "... s", text)
    long = re.compile(r"\d+\.\d{7,}(e-\d+)?")
    return long.sub(lambda number: f"{float(number[0]):.2g}", text).strip("\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of the page, and the command on the path."""
    folder = tmp_path_factory.mktemp("page")
    for name, content in FILES:
        (folder / name).write_text(content)
    lines = ["a good film,0.1,0.9", "a bad film,0.9,0.1"] * 10
    (folder / "texts.csv").write_text("\n".join(["text,p_neg,p_pos", *lines]) + "\n")
    rows = ["id,a,b,c,y", "1,0,0,1,0", "2,1,1,,1", "3,,0,0,0", "4,1,,1,1", "5,0,1,0,0"]
    (folder / "gold.csv").write_text("\n".join(rows) + "\n")
    (folder / "bin").mkdir()
    command = folder / "bin" / "corral"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m corral.cli "$@"\n')
    command.chmod(0o755)
    return folder


def test_examples_give_what_they_show(folder):
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    assert len(FILES) == 2
    (folder / "tutorial").mkdir()
    for place, blocks in BLOCKS.items():
        assert len(blocks) > 5
        # In turn, as some use what others wrote.
        for command, shown in (call for block in blocks for call in calls(block)):
            ran = subprocess.run(
                ["bash", "-c", command], cwd=folder / place, env=environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            )  # fmt: skip
            assert settle(ran.stdout) == settle(shown), command


def test_all_commands_are_on_the_page():
    for name in get_command(app).commands:
        assert f"### `corral {name}`" in PAGE


SHOWN = re.compile(r"^\$ (.*(?:\\\n.*)*)|`(corral [^`]+)`", re.MULTILINE)
"""A line of a console, which may go on after a backslash, or code in a sentence."""
TYPED = [
    (path.relative_to(ROOT).as_posix(), words)
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    for found in SHOWN.findall(path.read_text())
    for part in re.split(r" (?:\||&&) |#", "".join(found).replace("\\\n", ""))
    if (words := shlex.split(part))[:1] == ["corral"]
]


def test_every_command_on_a_page_can_be_typed():
    commands = get_command(app).commands
    assert len(TYPED) > 80
    wrong = []
    for page, (_, name, *words) in TYPED:
        if name == "COMMAND" or name.startswith("--"):
            continue
        command = commands[name]
        try:
            command.make_parser(command.context_class(command)).parse_args([*words])
        except Exception as error:  # a sentence may name an option without its value
            if type(error).__name__ != "BadOptionUsage":
                wrong.append((page, name, *words))
    assert len(wrong) == 1, wrong
    assert "--singals" in wrong[0]  # the page shows what a slip of the keys gives


def test_the_commands_of_the_first_page_run(run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    calls = [words for page, words in TYPED if page == "README.md"][:3]
    assert [words[1] for words in calls] == ["apply", "label", "report"]
    for _, *words in calls:
        run(*words, "--overwrite")


def test_the_command_of_the_crowd_runs(run, tmp_path, monkeypatch):
    page = "docs/howto/crowd_workers.md"
    words, _ = (words for name, words in TYPED if name == page)
    names = {}
    block = (ROOT / page).read_text().split("```")[1]
    for example in doctest.DocTestParser().get_examples(block):
        exec(example.source, names)
    monkeypatch.chdir(tmp_path)
    with open("answers.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(names["answers"])
        rows.writerows(zip(*names["answers"].values(), strict=True))
    run(*words[1:])
    assert len(Path("labels.csv").read_text().splitlines()) == 301


@pytest.mark.data
@pytest.mark.parametrize("page", ["llm_judges", "crowd_workers"])
def test_real_votes_give_what_is_shown(run, data, tmp_path, monkeypatch, page):
    pd = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    with np.load(data / "panels" / "trecdl19_llmrel.npz") as file:
        words = np.array(["no", "yes", None], object)  # -1: no verdict
        judges = pd.DataFrame(words[file["votes"][:, :5]], columns=file["names"][:5])
        truth = pd.Series(words[file["labels"]])
    judges["nist"] = truth.sample(100, random_state=0)
    judges.rename_axis("row").to_csv("trecdl19.csv")
    crowd = pd.read_csv(data / "crowd" / "rte" / "answers.csv")
    known = pd.read_csv(data / "crowd" / "rte" / "truth.csv")
    known = known.rename(columns={"label": "truth"})
    crowd.merge(known, on="task").to_csv("rte.csv", index=False)
    text = (ROOT / "docs" / "howto" / f"{page}.md").read_text()
    ((command, shown),) = calls(re.findall(r"```console\n(.*?)```", text, re.DOTALL)[0])
    found = settle(run(*shlex.split(command)[1:]).stdout).splitlines()
    lines = [line for line in settle(shown).splitlines() if line != "..."]
    assert [line for line in found if line in lines] == lines
    if page == "llm_judges":
        assert f"is {(truth == 'yes').mean():.3f}." in text


JSON = PAGE.split("## JSON")[1].split("## Mistakes")[0]
ASKED = {
    "apply": ["rules.py", "messages.csv", "-o", "asked.csv"],
    "inspect": ["gold.csv", "--id", "id", "--gold", "y"],
    "label": ["gold.csv", "-o", "asked.parquet", "--id", "id,y"],
    "explain": ["gold.csv", "1", "--signals", "[abc]"],
    "compare": ["gold.csv", "--gold", "y", "--id", "id", "--methods", "averaging"],
    "train": ["texts.csv", "-o", "asked.corral"],
    "predict": ["made.corral", "texts.csv", "-o", "asked.tsv", "--prefix", "new_"],
}


@pytest.mark.parametrize("command", ASKED)
def test_keys_of_json_are_those_on_the_page(run, folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    if command == "predict":
        run("train", "texts.csv", "-o", "made.corral")
    found = json.loads(run(command, *ASKED[command], "--json", "-q").stdout)
    (row,) = re.findall(rf"^\| `{command}` \| (.*) \|$", JSON, re.MULTILINE)
    outer = set(re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", row)))
    assert set(found) == outer | {"command", "version", "warnings"}
    for key, inner in re.findall(r"`(\w+)` \(each (.*?)\)", row):
        names = set(re.findall(r"`(\w+)`", inner))
        assert all(set(line) == names for line in found[key]), key
