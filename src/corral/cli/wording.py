"""What the library says, in the words of the command line.

Errors and warnings name arguments and classes of Python; a shell has options and names
of methods. All of them pass through here on their way to the terminal.
"""

from __future__ import annotations

import re

from corral.labelers import LABELERS
from corral.text_table import printable

_OPTIONS = {
    name: f"--{name.replace('_', '-')}"
    for name in (
        *("abstain", "bins", "change", "classes", "dev_size", "engine", "id"),
        *("iterations", "keep_order", "memory_limit", "methods", "output", "overwrite"),
        *("positive", "prefix", "probabilities", "signals", "solver", "threads"),
    )
} | {
    "accuracies": "--error-rate",
    "error_rates": "--error-rate",
}
_NAMES = "|".join(_OPTIONS)
_ARGUMENT = re.compile(
    rf"""`?\b({_NAMES})=(\[[^]]*\]|'[^']*'|"[^"]*"|-?\w[\w.]*)?`?|`({_NAMES})`"""
)
_SUBJECT = re.compile(rf"^({_NAMES})(?= must| cannot)")
_METHODS = {kind.__name__: name for name, kind in LABELERS.items()}
_METHOD = re.compile(rf"\b({'|'.join(_METHODS)})\b")
_PHRASES = (
    ("use `WeakSignals.from_probabilities` or `from_one_vs_rest`", "--probabilities"),
    ("not by memory_limit and threads", "not by --memory-limit and --threads"),
    ("a known class in y and", "a true label and"),
    (', labelers, "own" or', ', "own" or'),
    ("scale_free=True", "--scale-free"),
    # What no option can change.
    (", or a smaller slack", ""),
    ("rate, one rate a signal, or allow_above_chance=True", "rate, or one a signal"),
    (" Give a larger max_iter.", ""),
    ("stay at prior_accuracy; hold_one_sided=False learns them all the same", "stay"),
)
_PATTERNS = (
    (re.compile(r"solver=\w+\(iterations=(\d+)\)"), r"--iterations \1"),
    (re.compile(r"Give a smaller gamma than [^,]+, or use"), "Use"),
)


def in_shell_words(message: str) -> str:
    """A message for somebody who types options and has no Python at hand.

    Examples
    --------
    >>> from corral.cli.wording import in_shell_words
    >>> in_shell_words("Pass `classes=[-1, 1]` or `abstain=-1`, or use MajorityVote.")
    'Pass --classes -1,1 or --abstain -1, or use majority-vote.'
    """
    for phrase, other in _PHRASES:
        message = message.replace(phrase, other)
    for pattern, other in _PATTERNS:
        message = pattern.sub(other, message)
    message = _SUBJECT.sub(lambda found: _OPTIONS[found[1]], message)
    message = _ARGUMENT.sub(_option, message)
    message = _METHOD.sub(lambda found: _METHODS[found[1]], message)
    return printable(message, lines=True)


def _option(found: re.Match[str]) -> str:
    """``name=[1, 2]`` as ``--name 1,2``, and ``name=True`` as ``--name``."""
    option, value = _OPTIONS[found[1] or found[3]], (found[2] or "").strip("[]'\"")
    return option if value in ("", "True") else f"{option} {value.replace(', ', ',')}"
