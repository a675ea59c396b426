"""``corral report``: all there is to know of the labels of a file, as a page."""

from __future__ import annotations

import re
import shlex
import sys
from typing import Annotated, Any

import typer

from corral.cli.label import make_labeler
from corral.cli.option_groups import takes_votes
from corral.cli.options import (
    METHODS,
    OUTPUT,
    READING,
    ErrorRates,
    GoldIfAny,
    Method,
    Overwrite,
    RateChange,
    ResultFile,
    Seed,
    VotesFile,
)
from corral.cli.shell import Shell
from corral.cli.streams import name_input


@takes_votes
def report(
    votes: VotesFile,
    reading: dict[str, Any],
    shell: Shell,
    output: ResultFile = None,
    overwrite: Overwrite = False,
    gold: GoldIfAny = None,
    text: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=READING,
            help="The column of texts, shown with the rows worth reading.",
        ),
    ] = None,
    method: Method = "constrained",
    error_rate: ErrorRates = None,
    change: RateChange = 0.05,
    title: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            rich_help_panel=OUTPUT,
            help="Of the page; default the name of the file.",
        ),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Say how good labels are, what signals do, what to do next, and what to read.

    As a page that needs no network, as text or as JSON. Rows stay in the file, but for the
    few that are shown. No method sees a gold label.
    """
    from corral.checks import check_choice
    from corral.cli.reading import read_rates
    from corral.front_door.report import report_votes

    rates = read_rates(error_rate)
    check_choice("labeler", method, METHODS)
    shell.check_result_file(output, overwrite)
    # Pages are shared: they name files, not the folders of this machine.
    folders = re.compile(r"(^|=|^-o)([a-zA-Z]:)?[/\\].*[/\\]")
    call = [folders.sub(r"\1", given) for given in sys.argv[1:]]
    with shell.work():
        found = report_votes(
            votes,
            shell.read(reading),
            gold=gold,
            text=text,
            labeler=lambda: make_labeler(method, rates),
            title=title or name_input(votes),
            change=change,
            random_state=seed,
            command=shlex.join(["corral", *call]),
        )
    shell.give(found, output, overwrite=overwrite)
    if output is not None:
        shell.say(found.summary.verdict)
