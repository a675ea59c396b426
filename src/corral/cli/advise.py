"""``corral advise``: what to do next about the signals of a file of votes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from corral.cli.late_imports import load_scikit_learn
from corral.cli.option_groups import takes_votes
from corral.cli.options import (
    OUTPUT,
    ErrorRates,
    Overwrite,
    RateChange,
    ResultFile,
    VotesFile,
)
from corral.cli.shell import Shell


@takes_votes
def advise(
    votes: VotesFile,
    reading: dict[str, Any],
    shell: Shell,
    error_rate: ErrorRates = None,
    change: RateChange = 0.05,
    suggest: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="NUMBER",
            rich_help_panel=OUTPUT,
            help="How many rows you could label by hand.",
        ),
    ] = None,
    suggest_to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel=OUTPUT,
            help="CSV or TSV for these rows, with an empty column to fill in.",
        ),
    ] = None,
    output: ResultFile = None,
    overwrite: Overwrite = False,
) -> None:
    """Say which rates matter, which signals to fix or drop, and what to label by hand.

    Labels the rows in several ways and says what changes.
    """
    from corral.cli.reading import read_rates
    from corral.errors import ParameterError
    from corral.tables import VoteFiles

    shell.check_result_file(output, overwrite and suggest_to is None)
    if suggest_to is not None and suggest is None:
        raise ParameterError("--suggest-to goes with --suggest, the number of rows.")
    if suggest_to is not None and suggest_to.suffix.lower() not in (".csv", ".tsv"):
        raise ParameterError(
            "--suggest-to writes a table to fill in, so its name must end in .csv or .tsv; "
            f"{suggest_to.name!r} was given."
        )
    rates = read_rates(error_rate)
    how = shell.read(reading)
    with shell.work():
        table = VoteFiles(votes)
        read = how.read_table(table)

        # Only now, so that a refusal does not wait for scikit-learn.
        load_scikit_learn()
        import corral
        from corral.cli.suggestions import Advice, find_suggested_rows

        labeler = corral.ConstrainedLabeler(rates).fit(read)
        rows = None
        if suggest is not None:
            rows = find_suggested_rows(
                table, labeler, read, suggest, how.name_rows(table)
            )
            if suggest_to is not None:
                rows.write_form(suggest_to)
        found = Advice(
            corral.sensitivity(labeler, read, change=change),
            corral.redundancy(read),
            corral.value_of_signal(labeler, read),
            rows,
        )
    shell.give(found, output, overwrite=overwrite)
