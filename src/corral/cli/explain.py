"""``corral explain``: why a row has the label it has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from corral.cli.late_imports import load_scikit_learn
from corral.cli.option_groups import takes_votes
from corral.cli.options import LABELS, ErrorRates, VotesFile
from corral.cli.shell import Shell
from corral.errors import ParameterError


@takes_votes
def explain(
    votes: VotesFile,
    row: Annotated[
        str,
        typer.Argument(
            metavar="ROW",
            help="The number of the row, from 1; with --id or --task, what it has in the "
            "first of these columns.",
        ),
    ],
    reading: dict[str, Any],
    shell: Shell,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel=LABELS,
            help="A saved labeler (corral label --save-model); default: one fitted on the "
            "file.",
        ),
    ] = None,
    error_rate: ErrorRates = None,
) -> None:
    """Say which signals moved the label of a row, and how far.

    Labels by estimated or given error rates, or by a saved model. Writes nothing.
    """
    from corral.cli.reading import read_rates
    from corral.front_door.explain import explain_row

    if model is not None and error_rate is not None:
        raise ParameterError("--error-rate is what a saved --model has already.")
    rates = read_rates(error_rate)

    def make_labeler() -> Any:
        load_scikit_learn()
        from corral.labelers import ConstrainedLabeler, Labeler

        return ConstrainedLabeler(rates) if model is None else Labeler.load(model)

    how = shell.read(reading)
    with shell.work():
        found = explain_row(votes, row, how, make_labeler, fit=model is None)
    shell.give(found)
