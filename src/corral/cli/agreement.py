"""``corral agreement``: how far raters agree beyond chance."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from corral.cli.late_imports import load_scikit_learn
from corral.cli.option_groups import takes_votes
from corral.cli.options import LABELS, Level, Overwrite, ResultFile, Seed, VotesFile
from corral.cli.shell import Shell

METRICS = ("nominal", "ordinal", "interval")


@takes_votes
def agreement(
    votes: VotesFile,
    reading: dict[str, Any],
    shell: Shell,
    metric: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=lambda: list(METRICS),
            rich_help_panel=LABELS,
            help=f"How far votes differ, for alpha: {', '.join(METRICS)}.",
        ),
    ] = "nominal",
    level: Level = 0.9,
    resamples: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="NUMBER",
            rich_help_panel=LABELS,
            help="How often examples are drawn again for the intervals.",
        ),
    ] = 1000,
    seed: Seed = 0,
    output: ResultFile = None,
    overwrite: Overwrite = False,
) -> None:
    """Say how far raters agree: Krippendorff's alpha, and kappas.

    An abstain is a missing answer.
    """
    shell.check_result_file(output, overwrite)
    how = shell.read(reading)
    with shell.work():
        read = how.read_votes(votes)
        load_scikit_learn()
        import corral
        from corral.study.rater_agreement import check_order

        check_order(metric, read, how.classes is not None)
        found = corral.agreement(
            read, metric=metric, level=level, resamples=resamples, random_state=seed
        )
    shell.give(found, output, overwrite=overwrite, reading=read.reading)
