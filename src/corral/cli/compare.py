"""``corral compare``: many methods on the votes of a file, next to its gold labels."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from corral.cli.option_groups import takes_votes
from corral.cli.options import (
    LABELS,
    METHODS,
    Gold,
    Overwrite,
    ResultFile,
    Seed,
    VotesFile,
)
from corral.cli.shell import Shell


@takes_votes
def compare(
    votes: VotesFile,
    gold: Gold,
    reading: dict[str, Any],
    shell: Shell,
    methods: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            autocompletion=lambda: ["own", *METHODS],
            rich_help_panel=LABELS,
            help="Names, with commas between; own: all that need nothing more.",
        ),
    ] = "own",
    dev_size: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="NUMBER",
            rich_help_panel=LABELS,
            help="Labelled rows that some methods may learn from.",
        ),
    ] = 0,
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            rich_help_panel=LABELS,
            help="The class that F1 is of, if not the second.",
        ),
    ] = None,
    seed: Seed = 0,
    output: ResultFile = None,
    overwrite: Overwrite = False,
) -> None:
    """Label a file by many methods, and score them against its gold labels.

    No method sees a gold label but for --dev-size.
    """
    from corral.cli.reading import split_names
    from corral.front_door.compare import compare_votes

    shell.check_result_file(output, overwrite)
    with shell.work():
        found = compare_votes(
            votes,
            gold,
            shell.read(reading),
            methods if methods == "own" else split_names(methods),
            dev_size=dev_size,
            positive=positive,
            random_state=seed,
        )
    shell.give(found, output, overwrite=overwrite)
