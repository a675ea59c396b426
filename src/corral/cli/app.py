"""The command line: set-up, errors and exit codes.

0: done; 1: the data or an option cannot be worked with; 2: the call is wrong; 130: it was
interrupted.
"""

from __future__ import annotations

import re
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from corral import __version__
from corral.cli.advise import advise
from corral.cli.compare import compare
from corral.cli.demo import demo
from corral.cli.label import label
from corral.cli.late_imports import load_late
from corral.cli.options import SPELLINGS
from corral.errors import CorralError
from corral.text_table import printable
from corral.wording import speak_to_shell

app = typer.Typer(
    name="corral",
    help="Training labels from many noisy signals.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(label)
app.command()(advise)
app.command()(compare)
app.command()(demo)


def _show_version(value: bool) -> None:
    if value:
        print(f"corral {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show it."
        ),
    ] = False,
) -> None:
    """Training labels from many noisy signals."""


def main() -> None:
    """Run the command; errors are one line on standard error, not a traceback."""
    load_late()
    try:
        with speak_to_shell(SPELLINGS):
            app()
    except CorralError as error:
        # Blanks within a line stay: names may differ in nothing else.
        lines = [line.strip() for line in re.split(r"[\r\n]+", str(error))]
        said = printable(" ".join(filter(None, lines)))
        message = Text.assemble(("error: ", "bold red"), said)
        Console(stderr=True).print(message, soft_wrap=True)
        sys.exit(1)
