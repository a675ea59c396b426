"""What ``corral demo`` prints, as far as pages show it."""

from __future__ import annotations

import re
from functools import cache

from typer.testing import CliRunner

from corral.cli.app import app

BLOCK = re.compile(r"(?<=\n)16,000 training examples.*?(?=\n*\.\.\.\n```)", re.DOTALL)


@cache
def print_demo() -> str:
    """The whole of it, 80 characters wide."""
    shown = CliRunner().invoke(app, ["demo"], env={"COLUMNS": "80"}).output
    return "\n".join(line.rstrip() for line in shown.splitlines())


def without_times(text: str) -> str:
    """The words and numbers, however lines are broken."""
    return " ".join(re.sub(r"\d+ ms", "", text).split())


def fill_demo(text: str) -> str:
    """A page with as many lines of the demo as it had, if anything but times differs."""

    def write(found: re.Match[str]) -> str:
        if without_times(found[0]) in without_times(print_demo()):
            return found[0]
        return "\n".join(print_demo().splitlines()[: found[0].count("\n") + 1])

    return BLOCK.sub(write, text)
