"""Help pages: few options, an example each, and an answer to words that mean the same."""

import re

import pytest
from typer.main import get_command

from corral.cli.app import app
from corral.cli.options import MEANT, READING, SELDOM, flag_of, say_options

COMMANDS = get_command(app).commands
MAX_OPTIONS = 40


def shown(command):
    return {
        option
        for param in command.params
        if not getattr(param, "hidden", False)
        for option in param.opts[:1]
        if option.startswith("--")
    }


def test_few_options_are_shown():
    options = set().union(*map(shown, COMMANDS.values()))
    assert len(options) <= MAX_OPTIONS, sorted(options)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_page_has_an_example_that_can_be_typed(run, name):
    page = " ".join(run(name, "--help").stdout.split())
    example = re.search(
        rf"Example: corral ({name}\b.*?)(?: How the file| More options|$)", page
    )
    assert example, page
    command = COMMANDS[name]
    words = example[1].split()[1:]
    command.make_parser(command.context_class(command)).parse_args(words)


def test_options_of_reading_are_on_a_page_of_their_own(run):
    page = run("help", "reading").stdout
    assert page == f"{say_options(READING)}\n"
    for name in READING:
        assert f"--{name}" in page
        assert f"─ --{name} " not in run("label", "--help").stdout
        assert f"│ --{name} " not in run("label", "--help").stdout
    assert run("help", "label").stdout == run("label", "--help").stdout
    assert run("help").stdout == run("--help").stdout


def test_options_that_few_need_are_named_and_explained(run):
    page = run("help", "more").stdout
    pages = " ".join(" ".join(run(name, "--help").stdout.split()) for name in COMMANDS)
    for name in set(SELDOM) - {"debug"}:
        assert flag_of(name) in page
        assert f"{flag_of(name)}" in pages


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("command", [[], ["label"], ["report"], ["compare"]])
def test_nothing_is_cut(run, monkeypatch, width, command):
    monkeypatch.setenv("COLUMNS", str(width))
    page = run(*command, "--help").stdout
    assert max(map(len, page.splitlines())) <= width
    assert "…" not in page
    assert "..." not in page.replace("[ARGS]...", "")


@pytest.mark.parametrize("word", MEANT)
def test_words_that_mean_the_same(run, word):
    known = {"corral suggest", *COMMANDS}.union(*map(shown, COMMANDS.values()))
    known |= {option for c in COMMANDS.values() for p in c.params for option in p.opts}
    assert MEANT[word] in known
    call = ["label", "v.csv", word, "x"] if word.startswith("-") else [word]
    assert f"Did you mean {MEANT[word]}?" in run(*call, code=2).stderr
