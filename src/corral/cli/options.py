"""Options that several commands have, written once."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

VotesFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="CSV, TSV, Parquet or JSON lines: a file, a folder or 'votes/*.csv'."
    ),
]
SignalColumns: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="Signal columns, e.g. 'rule_*'; may be repeated. Default: all."),
]
IdColumn: TypeAlias = Annotated[
    str | None, typer.Option(help="A column that is no signal.")
]
ErrorRates: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="0.1 for all signals, or name=0.1 once a signal; default auto."),
]
AbstainValue: TypeAlias = Annotated[
    str | None, typer.Option(help="The value that means no vote, if not empty or -1.")
]
ClassNames: TypeAlias = Annotated[
    str | None, typer.Option(help="All classes in order, e.g. 'ham,spam'.")
]
