"""``corral advise``: what to do next about the signals of a file of votes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from corral.cli.late_imports import load_scikit_learn
from corral.cli.options import ErrorRates, VotesFile, takes_votes
from corral.text_table import printable


@takes_votes
def advise(
    votes: VotesFile,
    reading: dict[str, Any],
    error_rate: ErrorRates = None,
    change: Annotated[
        float, typer.Option(help="How far error rates may be off.")
    ] = 0.05,
    suggest: Annotated[
        int | None, typer.Option(min=1, help="How many rows you could label by hand.")
    ] = None,
    suggest_to: Annotated[
        Path | None,
        typer.Option(
            help="CSV or TSV for these rows, with an empty column to fill in."
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace that file if it exists.")
    ] = False,
) -> None:
    """Say which rates matter, which signals to fix or drop, and what to label by hand.

    Labels the rows in several ways and prints what changes; writes nothing but the rows of
    --suggest, where asked to.
    """
    from corral.cli.reading import ShellReading, read_rates, show_warnings
    from corral.tables import VoteFiles

    rates = read_rates(error_rate)
    console = Console(stderr=True)
    how = ShellReading.from_options(reading, console)
    with show_warnings(console):
        table, target = VoteFiles(votes), None
        if suggest_to is not None or overwrite:
            load_scikit_learn()
            from corral.cli.suggestions import check_rows_file

            target = check_rows_file(table, suggest_to, suggest, overwrite)
        read = how.read_table(table)

        # Only now, so that a refusal does not wait for scikit-learn.
        load_scikit_learn()
        import corral
        from corral.cli.suggestions import find_suggested_rows

        labeler = corral.ConstrainedLabeler(rates).fit(read)
        parts = {
            "If an error rate is off": corral.sensitivity(labeler, read, change=change),
            "Signals that repeat others": corral.redundancy(read),
            "What every signal adds": corral.value_of_signal(labeler, read),
        }
        if suggest is not None:
            rows = find_suggested_rows(
                table, labeler, read, suggest, how.name_rows(table)
            )
            parts["Rows to label by hand"] = rows
            if target is not None:
                rows.write(target)
    for title, part in parts.items():
        print(printable(f"{title}\n\n{part}\n", lines=True))
