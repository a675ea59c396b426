"""Standard input and output in the place of files, where a path is ``-``."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from corral.errors import CorralError, ParameterError

STREAM = "-"
"""The path that stands for standard input, or output."""
INPUT = "standard input"
"""What messages and pages call that."""
FORMATS = ("csv", "tsv", "parquet", "jsonl")
BINARY = ("parquet",)
TOOLS = {
    "label-studio": "json",
    "argilla": "json",
    "prodigy": "jsonl",
    "doccano": "jsonl",
    "datasets": "",
    "wrench": "",
}
"""Annotation tools, and how their files end; those without are folders."""


def ending_of(kind: str) -> str:
    """How a file of a format, or of a tool, ends."""
    ending = TOOLS.get(kind, kind)
    if not ending:
        raise ParameterError(f"--format {kind} reads and writes folders, not -.")
    return ending


@contextmanager
def spool_input(path: str, kind: str) -> Iterator[str]:
    """The path of a file to read: `path`, or a copy of standard input.

    A copy, since votes are read more than once: to find the columns, to count, to write.
    """
    if path != STREAM:
        yield path
        return
    if sys.stdin.isatty():
        print("reading standard input; Ctrl-D ends it", file=sys.stderr)
    with TemporaryDirectory(prefix="corral-") as folder:
        place = Path(folder, f"{INPUT}.{ending_of(kind)}")
        with place.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield str(place)
        except CorralError as error:  # nobody knows of the copy
            said = str(error)
            for name in (str(place), place.name):
                said = said.replace(repr(name), INPUT)
            error.args = (said,)
            raise


def name_input(path: str) -> str | None:
    """What a copy of standard input is called; None for other files."""
    return INPUT if Path(path).stem == INPUT else None


@contextmanager
def spool_output(path: str, kind: str) -> Iterator[str]:
    """The path of a file to write: `path`, or one whose content goes to standard output.

    Nothing goes there if anything is raised.
    """
    if path != STREAM:
        yield path
        return
    if kind in BINARY and sys.stdout.isatty():
        raise ParameterError(
            f"--format {kind} is no text, and standard output is a terminal. Send it to a "
            "file or a program, or choose another --format."
        )
    with TemporaryDirectory(prefix="corral-") as folder:
        place = Path(folder, f"stdout.{ending_of(kind)}")
        yield str(place)
        with place.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.flush()
