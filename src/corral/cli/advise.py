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
    EscapeFormulas,
    Overwrite,
    RateChange,
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
    overwrite: Overwrite = False,
    escape_formulas: EscapeFormulas = False,
) -> None:
    """Say which rates matter, which signals to fix or drop, and what to label by hand.

    Labels the rows in several ways and prints what changes; writes nothing but the rows of
    --suggest, where asked to.
    """
    from corral.cli.reading import read_rates
    from corral.errors import ParameterError
    from corral.tables import VoteFiles

    rates = read_rates(error_rate)
    how = shell.read(reading)
    with shell.work():
        table, target = VoteFiles(votes), None
        if escape_formulas and suggest_to is None:
            raise ParameterError("goes with --suggest-to.", parameter="escape_formulas")
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
        parts: dict[str, Any] = {
            "sensitivity": corral.sensitivity(labeler, read, change=change),
            "redundancy": corral.redundancy(read),
            "values": corral.value_of_signal(labeler, read),
        }
        if suggest is not None:
            rows = find_suggested_rows(
                table, labeler, read, suggest, how.name_rows(table)
            )
            parts["suggested"] = rows
            if target is not None:
                rows.write(target, escape_formulas=escape_formulas)
    text = "\n".join(f"{TITLES[key]}\n\n{part}\n" for key, part in parts.items())
    shell.give(text, {key: part.to_dict() for key, part in parts.items()})


TITLES = {
    "sensitivity": "If an error rate is off",
    "redundancy": "Signals that repeat others",
    "values": "What every signal adds",
    "suggested": "Rows to label by hand",
}
"""Above the parts; the keys are those of the JSON."""
