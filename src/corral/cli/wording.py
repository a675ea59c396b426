"""What the library says, in the words of the command line.

Errors and warnings name arguments and classes of Python; a shell has options and names
of methods. All of them pass through here on their way to the terminal.
"""

from __future__ import annotations

import re
import shlex
import sys

from corral.text_table import printable

_OPTIONS = {
    name: f"--{name.replace('_', '-')}"
    for name in (
        *("abstain", "bins", "change", "classes", "columns", "dev_size", "engine"),
        *("id", "iterations", "keep_order", "memory_limit", "methods", "normalise"),
        *("output", "overwrite", "positive", "prefix", "probabilities", "signals"),
        *("solver", "task", "threads", "worker"),
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
_PHRASES = (
    ("use `WeakSignals.from_probabilities` or `from_one_vs_rest`", "--probabilities"),
    (
        " `task=`, `worker=` and `label=` (`WeakSignals.from_long`)",
        " --task, --worker and --answer",
    ),
    ("not by memory_limit and threads", "not by --memory-limit and --threads"),
    ("a known class in y and", "a true label and"),
    (', labelers, "own" or', ', "own" or'),
    ("scale_free=True", "--scale-free"),
    # What no option can change.
    (", or a smaller slack", ""),
    (
        "rate, one rate per signal, or allow_above_chance=True",
        "rate, or one per signal",
    ),
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
    >>> import corral.labelers
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
    return printable(_name_methods(message), lines=True)


def _name_methods(message: str) -> str:
    """Classes of labelers by the names that ``--method`` takes."""
    labelers = sys.modules.get("corral.labelers")
    if labelers is None:  # so nothing that speaks of them was loaded
        return message
    names = {kind.__name__: name for name, kind in labelers.LABELERS.items()}
    return re.sub(rf"\b({'|'.join(names)})\b", lambda found: names[found[1]], message)


def _option(found: re.Match[str]) -> str:
    """``name=[1, 2]`` as ``--name 1,2``, and ``name=True`` as ``--name``."""
    name, value = found[1] or found[3], found[2] or ""
    option = _OPTIONS[name]
    if value in ("", "True"):
        return option
    values = [part.strip("'\"") for part in value.strip("[]").split(", ")]
    if name == "abstain":  # may be repeated, once per value
        return " ".join(f"{option} {shlex.quote(part)}" for part in values)
    return f"{option} {shlex.quote(','.join(values))}"
