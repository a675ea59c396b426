"""Options that several commands have, written once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, TypeAlias

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
    "minimax-entropy": "MinimaxEntropy",
}
SOLVERS = ("adagrad", "entropy", "projection")
ENGINES = ("duckdb", "spark")
SPELLINGS = {kind: method for method, kind in METHODS.items()} | {
    "accuracies": "--error-rate",
    "error_rates": "--error-rate",
    "label": "--answer",
    "labeler": "--method",
    "y": "--gold",
}
"""What a shell calls arguments and labelers, where it is not their name with dashes."""

VotesFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="CSV, TSV, Parquet or JSON lines: a file, a folder or 'votes/*.csv'."
    ),
]
ErrorRates: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="0.1 for all signals, or name=0.1 per signal; default auto."),
]


def reading_options(
    signals: Annotated[
        list[str] | None,
        typer.Option(
            help="Signal columns, e.g. 'rule_*' or a,b; may be repeated. Default: all."
        ),
    ] = None,
    id: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns that are no signals, e.g. id,text; may be repeated."
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(help="For a table with one vote per row: the column of examples."),
    ] = None,
    worker: Annotated[
        str | None, typer.Option(help="Then the column of signals; default worker.")
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--answer", help="And the column of votes; default label."),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", help="Columns hold probabilities, not votes."),
    ] = False,
    columns: Annotated[
        str | None,
        typer.Option(help="How names of those are made, e.g. '{signal}_{class}'."),
    ] = None,
    bins: Annotated[
        int | None, typer.Option(help="Round those to multiples of 1 / bins.")
    ] = None,
    abstain: Annotated[
        list[str] | None,
        typer.Option(
            help="A value that means no vote, if not empty or -1; may be repeated."
        ),
    ] = None,
    classes: Annotated[
        str | None, typer.Option(help="All classes in order, e.g. 'ham,spam'.")
    ] = None,
    normalise: Annotated[
        bool,
        typer.Option(
            "--normalise",
            help="Read classes that differ in case or blanks only as one.",
        ),
    ] = False,
) -> None:
    """How votes are read: the names and meanings are those of `corral.label`."""


def takes_votes(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command all `reading_options`, which it gets as one dict, `reading`."""
    own = list(signature(command, eval_str=True).parameters.values())
    shared = signature(reading_options, eval_str=True).parameters
    required = [p for p in own if p.default is Parameter.empty and p.name != "reading"]
    others = [p for p in own if p.default is not Parameter.empty]

    @wraps(command)
    def call(**given: Any) -> None:
        command(reading={name: given.pop(name) for name in shared}, **given)

    named = [
        p.replace(kind=Parameter.KEYWORD_ONLY)
        for p in (*required, *shared.values(), *others)
    ]
    call.__signature__ = signature(command).replace(parameters=named)  # type: ignore
    call.__annotations__ = {p.name: p.annotation for p in named}
    return call
