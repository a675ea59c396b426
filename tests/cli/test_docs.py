"""The page of the command line: every example gives what it shows."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
FILES = re.findall(r"This is `([\w.]+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL)
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)


def calls(block):
    """Commands, and the lines that each shows; the demo has a test of its own."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    found = [part.split("\n", 1) for part in parts]
    return [(call, shown) for call, shown in found if call != "corral demo"]


def settle(text):
    """What does not depend on the machine: no seconds, no last digits."""
    text = re.sub(r"\d+\.\d+ s\b( \(.*?\))?", "... s", text)
    long = re.compile(r"\d+\.\d{7,}(e-\d+)?")
    return long.sub(lambda number: f"{float(number[0]):.5g}", text).strip("\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of the page, and the command on the path."""
    folder = tmp_path_factory.mktemp("page")
    for name, content in FILES:
        (folder / name).write_text(content)
    (folder / "bin").mkdir()
    command = folder / "bin" / "corral"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m corral.cli "$@"\n')
    command.chmod(0o755)
    return folder


def test_examples_give_what_they_show(folder):
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    assert len(FILES) == 5
    assert len(BLOCKS) > 10
    for block in BLOCKS:  # in turn, as some use what others wrote
        for command, shown in calls(block):
            ran = subprocess.run(
                ["bash", "-c", command], cwd=folder, env=environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            )  # fmt: skip
            assert settle(ran.stdout) == settle(shown), command


def test_all_commands_and_options_are_on_the_page():
    from typer.main import get_command

    from corral.cli.app import app

    for name, command in get_command(app).commands.items():
        assert f"### `corral {name}`" in PAGE
        options = {opt for param in command.params for opt in param.opts}
        for option in options | {"--help"}:
            assert not option.startswith("--") or f"`{option}`" in PAGE, (name, option)


JSON = PAGE.split("## JSON")[1].split("## Repeat runs")[0]
ASKED = {
    "apply": ["rules.py", "messages.csv", "-o", "asked.csv"],
    "inspect": ["gold.csv", "--id", "id", "--gold", "y"],
    "label": ["gold.csv", "-o", "asked.parquet", "--id", "id,y"],
    "explain": ["gold.csv", "1", "--signals", "[abc]"],
    "compare": ["gold.csv", "--gold", "y", "--id", "id", "--methods", "averaging"],
    "advise": ["gold.csv", "--id", "id,y", "--suggest", "1"],
    "agreement": [
        "answers.csv",
        "--task",
        "item",
        "--worker",
        "who",
        "--answer",
        "said",
    ],
    "rank": ["arena.csv", "--judge", "judge", "--counts", "times", "--by", "topic"],
    "datasets": ["digits"],
}


@pytest.mark.parametrize("command", ASKED)
def test_keys_of_json_are_those_on_the_page(run, folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    found = json.loads(run(command, *ASKED[command], "--json", "-q").stdout)
    (row,) = re.findall(rf"^\| `{command}` \| (.*) \|$", JSON, re.MULTILINE)
    outer = set(re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", row)))
    assert set(found) == outer | {"command", "version", "warnings"}
    for key, inner in re.findall(r"`(\w+)` \(each (.*?)\)", row):
        names = set(re.findall(r"`(\w+)`", inner))
        assert all(set(line) == names for line in found[key]), key
