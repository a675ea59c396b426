"""Options that several commands have, written once."""

from __future__ import annotations

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
SignalColumns: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Signal columns, e.g. 'rule_*' or a,b; may be repeated. Default: all."
    ),
]
IdColumns: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="Columns that are no signals, e.g. id,text; may be repeated."),
]
TaskColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(help="For a table with one vote per row: the column of examples."),
]
WorkerColumn: TypeAlias = Annotated[
    str | None, typer.Option(help="Then the column of signals; default worker.")
]
AnswerColumn: TypeAlias = Annotated[
    str | None, typer.Option(help="And the column of votes; default label.")
]
Probabilities: TypeAlias = Annotated[
    bool,
    typer.Option("--probabilities", help="Columns hold probabilities, not votes."),
]
ColumnLayout: TypeAlias = Annotated[
    str | None,
    typer.Option(help="How names of those are made, e.g. '{signal}_{class}'."),
]
Bins: TypeAlias = Annotated[
    int | None, typer.Option(help="Round those to multiples of 1 / bins.")
]
ErrorRates: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="0.1 for all signals, or name=0.1 per signal; default auto."),
]
AbstainValues: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="A value that means no vote, if not empty or -1; may be repeated."
    ),
]
Normalise: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--normalise", help="Read classes that differ in case or blanks only as one."
    ),
]
ClassNames: TypeAlias = Annotated[
    str | None, typer.Option(help="All classes in order, e.g. 'ham,spam'.")
]
