"""What is tried: a crafted input, what is done with it, and what must hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from corral.errors import CorralError
from reliability.commands import run_command

Expected = Literal["refused", "harmless", "either"]


class RefusedError(CorralError):
    """What was tried was refused as it should be, elsewhere than in Python."""


@dataclass(frozen=True)
class Case:
    """One crafted input.

    Attributes
    ----------
    name : str
        What is hostile about it.
    make : callable
        Crafts it in an empty folder; what it gives is what `use` gets.
    use : callable
        Does with it what a user would. A `CorralError` is a refusal; any other error is a
        failure, and so is an assertion about what came of it.
    expected : {"refused", "harmless", "either"}
    """

    name: str
    make: Callable[[Path], Any]
    use: Callable[[Any], object]
    expected: Expected = "either"


@dataclass(frozen=True)
class Surface:
    """A way by which input of others comes in.

    Attributes
    ----------
    name : str
    says : str
        What must hold.
    list_cases : callable
    setting : callable, optional
        A context that all cases share, such as a server: they are tried in one process,
        `make` gets no folder but what the context gives.
    """

    name: str
    says: str
    list_cases: Callable[[], Iterable[Case]]
    setting: Callable[[], AbstractContextManager[Any]] = nullcontext
    is_shared: bool = False


def call(folder: Path, *arguments: object, given: str = "") -> str:
    """Run a command as `Case.use`: what it printed, or `RefusedError` with its message.

    Nothing that it prints may hold what a terminal would run, and no error may be a fault
    of corral.
    """
    code, out, err = run_command(list(map(str, arguments)), folder, given)
    check_terminal(out + err)
    assert "fault of corral" not in err, err[-2000:]
    assert "Traceback" not in err, err[-2000:]
    assert code in (0, 1, 2), code
    if code:
        # Warnings may come first, and long lines are broken nowhere.
        said = [line for line in err.splitlines() if line.startswith("error: ")]
        assert said, err[-2000:]
        raise RefusedError(said[-1].removeprefix("error: "))
    return out + err


def check_terminal(text: str) -> None:
    """Nothing but visible characters, line breaks and tabs, as Unicode sees it."""
    for at, c in enumerate(text):
        if c not in "\n\t" and unicodedata.category(c) in HIDDEN:
            before = text[max(at - 40, 0) : at]
            raise AssertionError(f"{c!r} reaches a terminal: {before!r}")


HIDDEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Categories of characters that a terminal may run, or that nobody sees: controls, formats
such as directions, halves of characters, private ones, and breaks of lines."""


def write(name: str, content: bytes | str) -> Callable[[Path], Path]:
    """A `Case.make` that writes one file and gives its path."""

    def make(folder: Path) -> Path:
        path = folder / name
        raw = content.encode() if isinstance(content, str) else content
        path.write_bytes(raw)
        return path

    return make
