"""The command line: set-up, errors and exit codes.

0: done; 1: what was required fails; 2: nothing was done, as the call, the data or an option
is wrong; 3: labels are too few to say what was required; 130: it was interrupted; 141:
nobody reads its output any more.
"""

from __future__ import annotations

import re
import sys
import traceback
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from corral import __version__
from corral.cli.commands import COMMANDS
from corral.cli.options import (
    MEANT,
    READING,
    SELDOM,
    in_shell_words,
    say_options,
)
from corral.errors import CorralError

SETTINGS = {"help_option_names": ["--help", "-h"]}
NOT_DONE = 2
"""The exit code of all mistakes, as Typer has it; 1 means that a requirement fails."""
OUTPUT_CLOSED = 141
"""The exit code that shells give to what nobody reads any more."""
UsageError: Any = typer.BadParameter.__mro__[2]
"""What Typer raises for a call that is wrong; it exports only this one's heirs."""


app = typer.Typer(
    name="corral",
    help="Training labels from many noisy signals.",
    pretty_exceptions_enable=False,
    context_settings=SETTINGS,
)
for command, below in COMMANDS:
    app.command(context_settings=SETTINGS, epilog=below)(command)


@app.command("help", epilog="Example: corral help reading")
def _help(
    topic: Annotated[str, typer.Argument(help="A command, reading, or more.")] = "",
) -> None:
    """Show the help of a command, of reading files, or of more options."""
    if topic in ("reading", "more"):
        print(say_options(READING if topic == "reading" else SELDOM))
    else:
        app(
            [*filter(None, [topic]), "--help"],
            prog_name="corral",
            standalone_mode=False,
        )


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
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error comes from.")
    ] = False,
) -> None:
    """Training labels from many noisy signals."""


def main() -> None:
    """Run the command; errors are one line on standard error, not a traceback."""
    if isinstance(sys.stdout, TextIOWrapper):  # what the locale has not is written out
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = app(
            sys.argv[1:] or ["--help"], prog_name="corral", standalone_mode=False
        )
    except SystemExit as left:  # Typer's 1, where nobody reads the output any more
        sys.exit(OUTPUT_CLOSED if left.code == 1 else left.code)
    except UsageError as error:
        said = _find_meant(error)
        path = "corral" if error.ctx is None else error.ctx.command_path
        _leave(error, f"{said} See {path} --help.")
    except CorralError as error:
        parameter = getattr(error, "parameter", None)
        _leave(error, in_shell_words(str(error), parameter))
    except OSError as error:
        where = "" if error.filename is None else f": {error.filename!r}"
        _leave(error, f"{error.strerror or error}{where}.")
    except MemoryError as error:
        said = "the system gives no more memory. Free some, or allow this process more."
        _leave(error, said)
    except Exception as error:
        kind = type(error).__name__
        said = f"{kind}: {error}. This is a fault of corral; --debug shows where."
        _leave(error, said)
    sys.exit(code if isinstance(code, int) else 0)


def _find_meant(error: Any) -> str:
    """What is wrong with a call, and what may be meant: by meaning, then by spelling."""
    said = str(error.format_message())
    wrong = re.search(r"[Nn]o such (?:command|option):? '?([\w-]+)", said)
    word = wrong[1] if wrong else ""
    if meant := MEANT.get(word):
        kind = "option" if word.startswith("-") else "command"
        said = f"No such {kind}: {word}. Did you mean {meant}?"
    return said if said.endswith((".", "?")) else f"{said}."


def _leave(error: BaseException, message: str) -> None:
    """Say what is wrong in one line, and where with --debug, and leave."""
    from rich.console import Console
    from rich.text import Text

    from corral.results.text import printable

    if "--debug" in sys.argv:
        traceback.print_exception(error)
    # Blanks within a line stay: names may differ in nothing else.
    lines = [line.strip() for line in re.split(r"[\r\n]+", message)]
    said = printable(" ".join(filter(None, lines)))
    text = Text.assemble(("error: ", "bold red"), said)
    Console(stderr=True).print(text, soft_wrap=True)
    sys.exit(NOT_DONE)
