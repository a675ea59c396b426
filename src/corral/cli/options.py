"""Options that several commands have, written once."""

from __future__ import annotations

import re
import shlex
from ast import literal_eval
from typing import Annotated, TypeAlias

import typer

# Names, so that --help does not have to load what they stand for; tests compare them.
METHODS = {
    "constrained": "ConstrainedLabeler",
    "majority-vote": "MajorityVote",
    "weighted-vote": "WeightedVote",
    "averaging": "Averaging",
    "data-programming": "DataProgramming",
    "metal": "MeTaL",
    "dawid-skene": "DawidSkene",
    "one-coin-dawid-skene": "OneCoinDawidSkene",
    "ordinal": "OrdinalLabeler",
}
SETS = ("label", "compare", "inspect")
"""Commands that take sets of classes."""
SOLVERS = ("adagrad", "entropy", "projection")
SPELLINGS = {kind: method for method, kind in METHODS.items()} | {
    "accuracies": "--error-rate",
    "error_rates": "--error-rate",
    "first=None": "--no-order",
    "slices": "--by",
    "label": "--answer",
    "labeler": "--method",
    "random_state": "--seed",
    "verdicts": "--verdict",
    "y": "--gold",
}
"""What a shell calls arguments and labelers, where it is not their name with dashes."""


def in_shell_words(message: str, parameter: str | None = None) -> str:
    """A message of Python's, with options and labelers named as the shell has them.

    Parameters
    ----------
    message : str
        With `` `name=value` ``, `` `name=` `` and `` `Labeler` `` in backticks.
    parameter : str, optional
        The option that the message may begin with, without backticks.

    Examples
    --------
    >>> from corral.cli.options import in_shell_words
    >>> in_shell_words("Pass `classes=[-1, 1]`, or `normalise=True`.")
    'Pass --classes -1,1, or --normalise.'
    >>> in_shell_words("dev_size must be positive.", "dev_size")
    '--dev-size must be positive.'
    """
    if parameter is not None and message.startswith(f"{parameter} "):
        message = _spell(parameter) + message.removeprefix(parameter)
    return re.sub(r"`(?:([a-z]\w*)=([^`]*)|[A-Z]\w*)`", _translate, message)


def _translate(found: re.Match[str]) -> str:
    name, text = found.groups()
    if name is None or found[0][1:-1] in SPELLINGS:  # a class, or a value with a name
        return SPELLINGS.get(found[0][1:-1], found[0])
    if text in ("", "True"):
        return _spell(name)
    try:
        value = literal_eval(text)
    except (SyntaxError, ValueError):  # not a literal: nan, for example
        value = text
    if isinstance(value, dict):
        values = [f"{key}={each}" for key, each in value.items()]
    else:
        each = value if isinstance(value, list) else [value]
        values = [f"{v:g}" if isinstance(v, float) else str(v) for v in each]
        if name != "abstain":  # which is given once per value
            values = [",".join(values)]
    return " ".join(f"{_spell(name)} {shlex.quote(v)}" for v in values)


def _spell(name: str) -> str:
    return SPELLINGS.get(name, f"--{name.replace('_', '-')}")


READING, LABELS, OUTPUT, RUN = "Reading", "Labels", "Output", "This run"
"""Headings in the help of a command."""

VotesFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="VOTES",
        path_type=str,
        help="CSV, TSV, Parquet or JSON lines: a file, a folder, 'votes/*.csv', or - for "
        "standard input; or a file of an annotation tool.",
    ),
]
ErrorRates: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="RATE",
        rich_help_panel=LABELS,
        help="0.1 for all signals, or name=0.1 per signal; default auto.",
    ),
]
Method: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        autocompletion=lambda: list(METHODS),
        rich_help_panel=LABELS,
        help=f"What labels: {', '.join(METHODS)}.",
    ),
]
RateChange: TypeAlias = Annotated[
    float,
    typer.Option(
        metavar="NUMBER",
        rich_help_panel=LABELS,
        help="How far error rates may be off.",
    ),
]
Gold: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        rich_help_panel=READING,
        help="The column of true labels; may have gaps.",
    ),
]
Output: TypeAlias = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        path_type=str,
        rich_help_panel=OUTPUT,
        help="Where to write, kind by its ending; - for standard output.",
    ),
]
ResultFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        path_type=str,
        rich_help_panel=OUTPUT,
        help="Write the result there instead of printing it: .html, .json, .txt, .csv (its "
        "first table) or .svg (its first chart); - for a page on standard output.",
    ),
]
GoldIfAny: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--gold",
        metavar="NAME",
        rich_help_panel=READING,
        help="A column of true labels, if there is one; may have gaps.",
    ),
]
Overwrite: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--overwrite", rich_help_panel=OUTPUT, help="Replace a file that exists."
    ),
]
Level: TypeAlias = Annotated[
    float,
    typer.Option(
        metavar="NUMBER",
        rich_help_panel=LABELS,
        help="Confidence level of intervals, e.g. 0.9.",
    ),
]
Seed: TypeAlias = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="NUMBER",
        rich_help_panel=LABELS,
        help="Random seed.",
    ),
]
