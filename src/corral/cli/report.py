"""``corral report``: all there is to know of the labels of a file, as a page."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
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
    Seed,
    VotesFile,
)
from corral.cli.shell import Shell
from corral.cli.streams import STREAM, name_input
from corral.errors import ParameterError

ENDINGS = (".html", ".htm")


@takes_votes
def report(
    votes: VotesFile,
    reading: dict[str, Any],
    shell: Shell,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            path_type=str,
            rich_help_panel=OUTPUT,
            help="Where to write the page, .html; - for standard output. Default: print "
            "the report as text.",
        ),
    ] = None,
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

    Writes one page that needs no network, or prints the same as text or JSON. Rows stay in
    the file, but for the few that are shown. No method sees a gold label.
    """
    from corral.checks import check_choice
    from corral.cli.reading import read_rates
    from corral.front_door.report import report_votes
    from corral.reports.label_report import check_page

    rates = read_rates(error_rate)
    check_choice("labeler", method, METHODS)
    if overwrite and output in (None, STREAM):
        raise ParameterError("goes with a file of --output.", parameter="overwrite")
    if output is not None and output != STREAM:
        if Path(output).suffix.lower() not in ENDINGS:
            raise ParameterError(
                f"names a page, so it must end in {' or '.join(ENDINGS)}; {output!r} was "
                "given. For text, send standard output to a file.",
                parameter="output",
            )
        check_page(Path(output), overwrite)
    if output == STREAM:
        shell.check_output(output)
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
            command=shlex.join(["corral", *sys.argv[1:]]),
        )
        if output == STREAM:
            # As the page says that it is, whatever the locale.
            sys.stdout.buffer.write(found.to_html().encode())
        elif output is not None:
            found.write_html(output, overwrite=overwrite)
    if output is None:
        shell.give(str(found), found.to_dict())
    else:
        shell.give_json(found.to_dict())
    if output not in (None, STREAM):
        shell.say(f"{found.summary.verdict}\nwrote {output}")
