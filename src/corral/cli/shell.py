"""What a command says: its result on standard output, all else on standard error."""

from __future__ import annotations

import json
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from corral import __version__
from corral.cli.options import in_shell_words
from corral.cli.streams import FORMATS, STREAM, TOOLS
from corral.errors import CorralWarning, ParameterError
from corral.progress import silence

if TYPE_CHECKING:
    from corral.cli.reading import ShellReading
    from corral.exchange import Annotations
    from corral.results import Result


class Shell:
    """Where the messages and the result of a command go.

    Parameters
    ----------
    command : str
        Its name.
    kind : str
        What ``-`` reads and writes, one of `FORMATS`; or one of `TOOLS`, whose file is
        read.
    json : bool
        Give the result as JSON.
    quiet : bool
        No messages and no progress; the result and errors are shown.

    Attributes
    ----------
    console : Console
        For messages, on standard error.
    warnings : list of str
        Those that came up, once the work is done.
    found : dict
        What was found while the input was read, for the JSON of any command.
    annotations : Annotations or None
        What was read, where that is a file of an annotation tool.
    """

    def __init__(
        self,
        command: str,
        kind: str = "csv",
        *,
        json: bool = False,
        quiet: bool = False,
    ) -> None:
        known = (*FORMATS, *TOOLS)
        if kind not in known:
            raise ParameterError(
                f"must be one of {', '.join(known)}; {kind} was given.",
                parameter="format",
            )
        self.command, self.kind, self.json, self.quiet = command, kind, json, quiet
        self.console = Console(stderr=True, quiet=quiet)
        self.warnings: list[str] = []
        self.found: dict[str, Any] = {}
        self.annotations: Annotations | None = None

    def say(self, message: str) -> None:
        """Show a message as it is, but for what is not visible in it."""
        from corral.results.text import printable

        self._show(Text(printable(message, lines=True)))

    def _show(self, text: Text) -> None:
        """Lines are broken between words on a terminal, and nowhere else."""
        self.console.print(text, soft_wrap=not self.console.is_terminal)

    def read(self, options: Mapping[str, Any]) -> ShellReading:
        """How votes are read; once they are, it is said."""
        from corral.cli.reading import ShellReading

        return ShellReading.from_options(options, self.console)

    @contextmanager
    def work(self) -> Iterator[None]:
        """The work of a command: warnings are shown after it, one line each."""
        import duckdb  # noqa: F401
        import numpy as np  # noqa: F401

        from corral.results.text import printable

        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # see `corral.cli.main`
            signal.signal(signal.SIGINT, signal.default_int_handler)
        with silence() if self.quiet else nullcontext(), _caught() as caught:
            try:
                yield
            finally:  # also if the work fails: a warning may say why
                for warning in caught:
                    said = in_shell_words(str(warning.message))
                    self.warnings.append(said)
                    shown = printable(said, lines=True)
                    self._show(Text.assemble(("warning: ", "yellow"), shown))

    def give(
        self,
        result: Result,
        output: str | None = None,
        *,
        overwrite: bool = False,
        **more: Any,
    ) -> None:
        """Print a result as text or as JSON, or write it by the ending of `output`.

        To standard output, ``-``, goes a page. `more` is for JSON only.
        """
        if output == STREAM:
            # As the page says that it is, whatever the locale.
            sys.stdout.buffer.write(result.to_html().encode())
        elif output is not None:
            result.write(output, overwrite=overwrite)
            self.say(f"wrote {output}")
        elif not self.json:
            print(result)
        self.give_json({**result.to_dict(), **more})

    def give_json(self, result: Mapping[str, Any]) -> None:
        """Print the result as JSON, if that is what was asked for."""
        if self.json:
            head = {"command": self.command, "version": __version__}
            whole = {**head, **self.found, **result, "warnings": self.warnings}
            print(json.dumps(whole, indent=2, allow_nan=False))

    def check_output(self, path: str) -> None:
        """Refuse two results that would both go to standard output."""
        if self.json and path == STREAM:
            raise ParameterError(
                "--json and --output - both write to standard output. Name a file for one "
                "of them, or leave --json out."
            )

    def check_result_file(self, output: str | None, overwrite: bool) -> None:
        """Refuse, before any work, a file that no result is written to."""
        from corral.results.result import SUFFIXES

        if overwrite and output in (None, STREAM):
            raise ParameterError("goes with a file of --output.", parameter="overwrite")
        if output is None or output == STREAM:
            self.check_output(output or "")
        elif Path(output).suffix.lower() not in SUFFIXES:
            raise ParameterError(
                f"must end in {', '.join(SUFFIXES)}; {output!r} was given.",
                parameter="output",
            )


@contextmanager
def _caught() -> Iterator[list[warnings.WarningMessage]]:
    """Warnings of corral, also those that would be shown once only."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CorralWarning)
        yield caught
