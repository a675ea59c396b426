"""``corral panel``: what judges are worth, by some human labels."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from corral.cli.option_groups import takes_votes
from corral.cli.options import (
    LABELS,
    OUTPUT,
    READING,
    EscapeFormulas,
    Gold,
    Level,
    Overwrite,
    Seed,
    VotesFile,
)
from corral.cli.shell import Shell


@takes_votes
def panel(
    votes: VotesFile,
    gold: Gold,
    reading: dict[str, Any],
    shell: Shell,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            rich_help_panel=READING,
            help="Columns to give shares by, with commas between, each for itself.",
        ),
    ] = None,
    sampling: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=READING,
            help="The column of the probability that a row had to be labelled; default: "
            "all had the same.",
        ),
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=JUDGES",
            rich_help_panel=LABELS,
            help="Judges that belong together, e.g. 'gpt=gpt*'; may be repeated.",
        ),
    ] = None,
    class_balance: Annotated[
        str | None,
        typer.Option(
            metavar="SHARES",
            rich_help_panel=LABELS,
            help="Shares of the classes, if they are known, e.g. 0.7,0.3.",
        ),
    ] = None,
    error_rate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=RATE",
            rich_help_panel=LABELS,
            help="An error rate that is known, e.g. gpt=0.1; may be repeated.",
        ),
    ] = None,
    level: Level = 0.9,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            path_type=str,
            rich_help_panel=OUTPUT,
            help="Where to write the table with its labels, kind by its ending.",
        ),
    ] = None,
    overwrite: Overwrite = False,
    escape_formulas: EscapeFormulas = False,
    seed: Seed = 0,
) -> None:
    """Say what judges are worth, by some human labels of rows drawn at random.

    The share of every class with an interval, every judge's errors, how far judges repeat
    each other, and what to do next. Prints tables; with --output, writes labels, too.
    """
    from corral.cli.reading import read_rates, read_shares, split_names
    from corral.errors import ParameterError
    from corral.front_door.panel import study_votes

    if overwrite and output is None:
        raise ParameterError("goes with --output.", parameter="overwrite")
    rates = read_rates(error_rate)
    if error_rate and not isinstance(rates, dict):
        raise ParameterError(
            f"takes name=number per judge; {', '.join(error_rate)} was given.",
            parameter="error_rates",
        )
    families: dict[str, list[str]] = {}
    for item in family or ():
        name, equals, judges = item.partition("=")
        if not equals or not split_names(judges):
            raise ParameterError(
                f"takes a name and its judges, such as 'gpt=gpt*'; {item!r} was given.",
                parameter="family",
            )
        families.setdefault(name.strip(), []).extend(split_names(judges))
    with shell.work():
        found = study_votes(
            votes,
            shell.read(reading),
            gold=gold,
            slices=split_names(by) if by else None,
            sampling=sampling,
            families=families or None,
            class_balance=read_shares(class_balance),
            error_rates=rates if isinstance(rates, dict) else None,
            level=level,
            random_state=seed,
            output=output,
            overwrite=overwrite,
            escape_formulas=escape_formulas,
        )
    shell.give(str(found), found.to_dict())
    if output is not None:
        shell.say(f"wrote {output}")
