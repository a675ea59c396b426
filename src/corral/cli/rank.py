"""``corral rank``: who is preferred, and what the judges are worth."""

from __future__ import annotations

from typing import Annotated

import typer

from corral.cli.option_groups import takes_run_options
from corral.cli.options import LABELS, READING, Level, Overwrite, ResultFile
from corral.cli.shell import Shell
from corral.errors import ParameterError

UNCONNECTED = ("refuse", "separate")


@takes_run_options
def rank(
    data: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            path_type=str,
            help="One comparison per row, CSV, TSV, Parquet or JSON lines: a file, a "
            "folder, 'arena/*.csv', or - for standard input.",
        ),
    ],
    shell: Shell,
    a: Annotated[
        str,
        typer.Option(
            metavar="NAME", rich_help_panel=READING, help="The column of one item."
        ),
    ] = "a",
    b: Annotated[
        str,
        typer.Option(
            metavar="NAME", rich_help_panel=READING, help="The column of the other."
        ),
    ] = "b",
    winner: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            rich_help_panel=READING,
            help="The column of verdicts: the name of an item, a, b, left, right, or tie.",
        ),
    ] = "winner",
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=READING,
            help="The column of judges; default: all verdicts are of one.",
        ),
    ] = None,
    first: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            rich_help_panel=READING,
            help="The column that says which item was shown first; default: that of --a.",
        ),
    ] = "a",
    no_order: Annotated[
        bool,
        typer.Option(
            "--no-order",
            rich_help_panel=READING,
            help="It is not known which item was shown first.",
        ),
    ] = False,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=READING,
            help="The column of what items were compared on, such as a prompt: verdicts on "
            "one task may depend on each other.",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            rich_help_panel=LABELS,
            help="Columns whose values get strengths of their own, e.g. topic,language.",
        ),
    ] = None,
    counts: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=READING,
            help="A column of numbers: how often a row occurs.",
        ),
    ] = None,
    verdict: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VALUE=ROLE",
            rich_help_panel=READING,
            help="What a verdict means, such as 1=a, 2=b or 0=tie; may be repeated.",
        ),
    ] = None,
    prior: Annotated[
        float,
        typer.Option(
            metavar="NUMBER",
            rich_help_panel=LABELS,
            help="Standard deviation of the prior of strengths, in log-odds; inf for none.",
        ),
    ] = 5.0,
    unconnected: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=lambda: list(UNCONNECTED),
            rich_help_panel=LABELS,
            help="If some items are never compared with others: refuse, or separate, which "
            "ranks each group by itself.",
        ),
    ] = "refuse",
    level: Level = 0.9,
    output: ResultFile = None,
    overwrite: Overwrite = False,
) -> None:
    """Rank items by comparisons of pairs, and say what the judges are worth.

    Strengths with intervals, every judge's reliability and position bias, and a soft
    preference for every pair.
    """
    from corral.cli.reading import split_names

    shell.check_result_file(output, overwrite)
    with shell.work():
        import corral

        found = corral.preferences(
            data,
            a=a,
            b=b,
            winner=winner,
            judge=judge,
            first=None if no_order else first,
            task=task,
            slices=[name for item in by or () for name in split_names(item)],
            counts=counts,
            verdicts=dict(read_verdict(item) for item in verdict or ()),
            prior=prior,
            unconnected=unconnected,
            level=level,
        )
    shell.give(found, output, overwrite=overwrite)


def read_verdict(given: str) -> tuple[str, str]:
    """What ``2=b`` says: a value, and its meaning."""
    value, mark, role = given.rpartition("=")
    if not mark:
        raise ParameterError(
            f"takes a value and a meaning, such as 2=b; {given} was given.",
            parameter="verdicts",
        )
    return value, role
