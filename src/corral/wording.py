"""What messages call an option: ``abstain=`` in Python, ``--abstain`` in a shell.

A message is written once, by who raises it, and names options by the functions below. They
speak of Python unless the command line said that it is the one to be spoken to.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_shell: ContextVar[Mapping[str, str] | None] = ContextVar("shell", default=None)


@contextmanager
def speak_to_shell(spellings: Mapping[str, str]) -> Iterator[None]:
    """Name options as a shell has them, for as long as this lasts.

    Parameters
    ----------
    spellings : mapping
        What the shell calls arguments and classes of Python, as far as it is not
        ``--dev-size`` for ``dev_size``.
    """
    before = _shell.set(spellings)
    try:
        yield
    finally:
        _shell.reset(before)


def spell(name: str) -> str:
    """The name of an argument or a labeler, as the subject of a sentence.

    Examples
    --------
    >>> from corral.wording import speak_to_shell, spell
    >>> spell("dev_size")
    'dev_size'
    >>> with speak_to_shell({"MajorityVote": "majority-vote"}):
    ...     spell("dev_size"), spell("MajorityVote")
    ('--dev-size', 'majority-vote')
    """
    shell = _shell.get()
    if shell is None:
        return name
    return shell.get(name, f"--{name.replace('_', '-')}")


def option(name: str, value: Any = None) -> str:
    """An argument to be given, perhaps with its value.

    Examples
    --------
    >>> from corral.wording import option, speak_to_shell
    >>> option("abstain"), option("classes", [-1, 1])
    ('`abstain=`', '`classes=[-1, 1]`')
    >>> with speak_to_shell({}):
    ...     option("abstain", ["?", "N/A"]), option("classes", [-1, 1])
    ("--abstain '?' --abstain N/A", '--classes -1,1')
    """
    if _shell.get() is None:
        shown = f"{value:g}" if isinstance(value, float) else repr(value)
        return f"`{name}={'' if value is None else shown}`"
    if value is None or value is True:
        return spell(name)
    values = value if isinstance(value, list) else [value]
    texts = [f"{v:g}" if isinstance(v, float) else str(v) for v in values]
    if name != "abstain":  # which is repeated, once per value
        texts = [",".join(texts)]
    return " ".join(f"{spell(name)} {shlex.quote(text)}" for text in texts)


def options(*names: str) -> str:
    """Several of them: ``--bins and --columns``."""
    *most, last = map(option, names)
    return f"{', '.join(most)} and {last}"


def say(python: str, shell: str = "") -> str:
    """Words for Python, and others, or none, where there is only a shell."""
    return python if _shell.get() is None else shell
