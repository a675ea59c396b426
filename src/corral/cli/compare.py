"""``corral compare``: many methods on the votes of a file, next to its gold labels."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated, Any

import typer
from rich.console import Console

from corral.cli.options import VotesFile, takes_votes
from corral.progress import silence
from corral.text_table import printable


@takes_votes
def compare(
    votes: VotesFile,
    gold: Annotated[
        str, typer.Option(help="The column of true labels; may have gaps.")
    ],
    reading: dict[str, Any],
    methods: Annotated[
        str,
        typer.Option(
            help="Names, with commas between; own: all of corral; all: with those of "
            "other libraries that are installed."
        ),
    ] = "own",
    dev_size: Annotated[
        int,
        typer.Option(min=0, help="Labelled rows that some methods may learn from."),
    ] = 0,
    positive: Annotated[
        str | None, typer.Option(help="The class that F1 is of, if not the second.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="For what is drawn at random.")] = 0,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress.")
    ] = False,
) -> None:
    """Label a file by many methods, and score them against its gold labels.

    Prints a table; writes nothing. No method sees a gold label but for --dev-size.
    """
    from corral._compare import compare_votes
    from corral.cli.reading import ShellReading, show_warnings, split_names

    console = Console(stderr=True, quiet=quiet)
    with silence() if quiet else nullcontext(), show_warnings(console):
        found = compare_votes(
            votes,
            gold,
            ShellReading.from_options(reading, console),
            methods if methods in ("own", "all") else split_names(methods),
            dev_size=dev_size,
            positive=positive,
            random_state=seed,
        )
    print(printable(str(found), lines=True))
