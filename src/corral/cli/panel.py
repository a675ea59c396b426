"""``corral panel``: what judges are worth, by some human labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from corral.cli.option_groups import takes_votes
from corral.cli.options import (
    LABELS,
    OUTPUT,
    READING,
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
            help="Column with each row's probability of having been sampled for labelling; "
            "default: all have the same.",
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
            help="The table with its labels as .csv, .tsv or .parquet; or the result as "
            ".html, .json, .txt or .svg instead of printing it.",
        ),
    ] = None,
    overwrite: Overwrite = False,
    seed: Seed = 0,
) -> None:
    """Say what judges are worth, by some human labels of rows drawn at random.

    The share of every class with an interval, every judge's errors, how far judges repeat
    each other, and what to do next.
    """
    from corral.cli.reading import read_rates, read_shares, split_names
    from corral.errors import ParameterError
    from corral.front_door.panel import study_votes

    results = (".html", ".json", ".txt", ".svg")
    is_table = output is not None and Path(output).suffix.lower() not in results
    if not is_table:
        shell.check_result_file(output, overwrite)
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
            output=output if is_table else None,
            overwrite=overwrite,
        )
    shell.give(found, None if is_table else output, overwrite=overwrite)
    if is_table:
        shell.say(f"wrote {output}")
