"""What a command reads from and says to: standard streams, messages, its result."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from corral import __version__
from corral.cli.options import FORMATS, STREAM, TOOLS, in_shell_words
from corral.errors import CorralWarning, ParameterError
from corral.progress import silence

if TYPE_CHECKING:
    from corral.results import Result

INPUT = "standard input"
"""What messages and pages call that."""
ENDINGS = {"label-studio": "json", "argilla": "json", "doccano": "jsonl"}
"""How files of tools end."""


class Shell:
    """Where the messages and the result of a command go.

    `kind` is what ``-`` reads and writes, or the tool whose file is read. If `quiet`, only
    the result and errors are shown.
    """

    def __init__(
        self,
        command: str,
        kind: str = "csv",
        *,
        json: bool = False,
        quiet: bool = False,
    ) -> None:
        from corral.checks import check_choice

        check_choice("format", kind, (*FORMATS, *TOOLS))
        self.command, self.kind, self.json, self.quiet = command, kind, json, quiet
        self.console = Console(stderr=True, quiet=quiet)
        self.source: str = ""  # as typed
        self.output: Any = None  # as typed
        self.reading = list[str]()  # as typed, for the next command
        self.remark, self._next = "", list[str]()
        self.warnings: list[str] = []
        self.found: dict[str, Any] = {}  # while the input was read, for JSON

    def say(self, message: str) -> None:
        """Show a message; invisible characters are written out."""
        from corral.results.text import printable

        self._show(Text(printable(message, lines=True)))

    def _show(self, text: Text) -> None:
        """Lines are broken between words on a terminal, and nowhere else."""
        self.console.print(text, soft_wrap=not self.console.is_terminal)

    def announce(self, what: Any) -> None:
        """Say how votes were read, or what became of the answers of judges."""
        if isinstance(what, str):
            self.console.print(Text(what), soft_wrap=True)
        else:
            self.found["answers"] = what.to_dict()
            self.say(f"{what}\n")

    @contextmanager
    def work(self) -> Iterator[None]:
        """The work of a command: warnings are shown after it, one line each."""
        import duckdb  # noqa: F401
        import numpy as np  # noqa: F401

        from corral.results.text import printable

        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # see `corral.cli.main`
            signal.signal(signal.SIGINT, signal.default_int_handler)
        with (
            silence() if self.quiet else nullcontext(),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always", CorralWarning)  # also those shown before
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
    ) -> None:
        """Print a result as text or as JSON, or write it by the ending of `output`."""
        if output is not None:
            result.write(output, overwrite=overwrite)
            self.say(f"wrote {output}")
        elif not self.json:
            print(result)
        if self.json:  # which may be large
            self.give_json(result.to_dict())

    def then(self, command: str, *words: str, source: str | None = None) -> None:
        """Note what to type next ("" for nothing): a command on `source`.

        By default that is the file that was read, with the same reading.
        """
        reading = self.reading if source is None else []
        source = source or self.source
        going_on = command and STREAM not in (source, *words)
        self._next = ["corral", command, source, *words, *reading] if going_on else []

    def next_words(self) -> list[str]:
        """What to type next; its output is a file that is not there yet."""
        words = self._next.copy()
        if "-o" in words:
            at = words.index("-o") + 1
            first = Path(words[at])
            names = (first.with_stem(f"{first.stem}-{n}") for n in count(2))
            words[at] = str(next(p for p in chain([first], names) if not p.exists()))
        return words

    def say_next(self) -> None:
        """Say what to type next."""
        if self.remark:
            self.console.print(self.remark, soft_wrap=True)
        if words := self.next_words():
            self.console.print(Text(f"next: {shlex.join(words)}"), soft_wrap=True)

    def give_json(self, result: Mapping[str, Any]) -> None:
        """Print the result as JSON, if the user asked for it."""
        if self.json:
            head = {"command": self.command, "version": __version__}
            whole = {**head, **self.found, **result, "warnings": self.warnings}
            print(json.dumps(whole, indent=2, allow_nan=False))

    def check_result_file(self, output: str | None, overwrite: bool) -> None:
        """Refuse, before any work, a file that no result is written to."""
        from corral.results.result import SUFFIXES

        if overwrite and output is None:
            raise ParameterError("goes with a file of --output.", parameter="overwrite")
        if output is not None and Path(output).suffix.lower() not in SUFFIXES:
            raise ParameterError(
                f"must end in {', '.join(SUFFIXES)}; {output!r} was given.",
                parameter="output",
            )


@contextmanager
def spool_input(path: str | None, kind: str) -> Iterator[str | None]:
    """The path of a file to read: `path`, or a copy of standard input.

    A copy, since votes are read more than once: to find the columns, to count, to write.
    """
    if path != STREAM:
        yield path
        return
    if sys.stdin.isatty():
        print("reading standard input; Ctrl-D ends it", file=sys.stderr)
    with TemporaryDirectory(prefix="corral-") as folder:
        place = Path(folder, f"{INPUT}.{ENDINGS.get(kind, kind)}")
        with place.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(place)


@contextmanager
def spool_output(path: str, kind: str) -> Iterator[str]:
    """The path of a file to write: `path`, or one whose content goes to standard output.

    Nothing goes there if anything is raised.
    """
    if path != STREAM:
        yield path
        return
    with TemporaryDirectory(prefix="corral-") as folder:
        place = Path(folder, f"stdout.{ENDINGS.get(kind, kind)}")
        yield str(place)
        with place.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.flush()
