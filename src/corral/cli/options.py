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
    "ordinal": "OrdinalLabeler",
}
SETS = ("label", "compare", "inspect")
"""Commands that take sets of classes."""
SOLVERS = ("adagrad", "entropy", "projection")
SPELLINGS = {kind: method for method, kind in METHODS.items()} | {
    "accuracies": "--error-rate",
    "error_rates": "--error-rate",
    "slices": "--by",
    "label": "--answer",
    "labeler": "--method",
    "random_state": "--seed",
    "verdicts": "--verdict",
    "y": "--gold",
}
"""What a shell calls arguments and labelers, where it is not their name with dashes."""
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
