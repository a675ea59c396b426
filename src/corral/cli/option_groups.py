"""Groups of options that commands share, and how a command takes them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from corral.cli.config import read_config
from corral.cli.options import READING, RUN, SETS
from corral.cli.shell import Shell
from corral.cli.spooling import spool_votes
from corral.cli.streams import FORMATS, STREAM, TOOLS, spool_input
from corral.errors import ParameterError
from corral.storage.atomic_write import check_output


def reading_options(
    signals: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            rich_help_panel=READING,
            help="Signal columns, e.g. 'rule_*' or a,b; may be repeated. Default: all.",
        ),
    ] = None,
    id: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            rich_help_panel=READING,
            help="Columns that are no signals, e.g. id,text; may be repeated.",
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=READING,
            help="For a table with one vote per row: the column of examples.",
        ),
    ] = None,
    worker: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=READING,
            help="Then the column of signals; default worker.",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            "--answer",
            metavar="NAME",
            rich_help_panel=READING,
            help="And the column of votes; default label.",
        ),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            rich_help_panel=READING,
            help="Columns hold probabilities, not votes.",
        ),
    ] = False,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN",
            rich_help_panel=READING,
            help="How names of those are made, e.g. '{signal}_{class}'.",
        ),
    ] = None,
    bins: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            rich_help_panel=READING,
            help="Round those to multiples of 1 / bins.",
        ),
    ] = None,
    abstain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VALUE",
            rich_help_panel=READING,
            help="A value that means no vote, if not empty or -1; may be repeated.",
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            rich_help_panel=READING,
            help="All classes in order, e.g. 'ham,spam'.",
        ),
    ] = None,
    normalise: Annotated[
        bool,
        typer.Option(
            "--normalise",
            rich_help_panel=READING,
            help="Read classes that differ in case or blanks only as one.",
        ),
    ] = False,
    separator: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            rich_help_panel=READING,
            help="Cells hold sets of classes with this between, e.g. ';'.",
        ),
    ] = None,
    judges: Annotated[
        bool,
        typer.Option(
            "--judges",
            rich_help_panel=READING,
            help="VOTES has JSON lines that judges wrote: id, judge, verdict.",
        ),
    ] = False,
    pattern: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            rich_help_panel=READING,
            help="Then what finds a verdict in a text; its last match.",
        ),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=READING,
            help="Of an annotation tool: which control or question, if there are several.",
        ),
    ] = None,
    predictions: Annotated[
        bool,
        typer.Option(
            "--predictions",
            rich_help_panel=READING,
            help="And read what models predicted there as votes.",
        ),
    ] = False,
) -> None:
    """How votes are read: the names and meanings are those of `corral.label`.

    `judges` and `pattern`, and what others mean beside them, are of `corral.read_judges`;
    `question` and `predictions` of `corral.read_annotations`.
    """


def run_options(
    format: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            autocompletion=lambda: [*FORMATS, *TOOLS],
            rich_help_panel=RUN,
            help=f"What - reads and writes: {', '.join(FORMATS)}. Or the tool that VOTES "
            f"are from, if they do not show it: {', '.join(TOOLS)}.",
        ),
    ] = "csv",
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            rich_help_panel=RUN,
            help="Print the result as JSON on standard output.",
        ),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            is_eager=True,
            callback=read_config,
            rich_help_panel=RUN,
            help="Take options from a TOML file; those given here win.",
        ),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            rich_help_panel=RUN,
            help="No messages and no progress.",
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", rich_help_panel=RUN, help="Show where an error comes from."
        ),
    ] = False,
) -> None:
    """What every command has."""


def takes_votes(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command all `reading_options`, which it gets as one dict, `reading`.

    And all `run_options`, as `takes_run_options` does.
    """
    shared = signature(reading_options, eval_str=True).parameters

    @wraps(command)
    def call(votes: str, shell: Shell, **given: Any) -> None:
        reading = {name: given.pop(name) for name in shared}
        if reading["separator"] is not None and command.__name__ not in SETS:
            raise ParameterError(
                f"--separator is for votes of {', '.join(SETS)}, not for this."
            )
        with spool_votes(votes, reading, shell) as (path, how):
            command(votes=path, reading=how, shell=shell, **given)

    _declare(call, command, "reading", shared.values())
    return takes_run_options(call)


def takes_run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command all `run_options`, which it gets as a `Shell`, `shell`.

    Where its argument `votes` or `data` is ``-``, it gets the path of a file that has what
    standard input had.
    """
    shared = signature(run_options, eval_str=True).parameters

    @wraps(command)
    def call(ctx: typer.Context, **given: Any) -> None:
        kind, json, config, quiet, _ = (given.pop(name) for name in shared)
        shell = Shell(ctx.info_name or "", kind, json=json, quiet=quiet)
        _check_outputs(given | {"config": config})
        name = next((name for name in ("votes", "data") if name in given), None)
        if kind in TOOLS and name != "votes":
            raise ParameterError(
                f"{kind} is for commands that read votes.", parameter="format"
            )
        if name is not None and given[name] == STREAM == str(config):
            raise ParameterError(
                f"standard input can be read once, but {name.upper()} and --config are "
                "both -."
            )
        with ExitStack() as stack:
            if name is not None:
                spool = spool_input(given[name], shell.kind)
                given[name] = stack.enter_context(spool)
            command(shell=shell, **given)

    context = Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    _declare(call, command, "shell", [*shared.values(), context])
    return call


def _check_outputs(given: dict[str, Any]) -> None:
    """Refuse, before any work, outputs that replace an input or each other."""
    sources = ("votes", "data", "functions", "model", "config")
    inputs = [given.get(name) for name in sources]
    taken = [path for path in inputs if path not in (None, STREAM)]
    for name in ("output", "suggest_to", "save_model"):
        path = given.get(name)
        if path in (None, STREAM):
            continue
        check_output(path, inputs=taken, overwrite=given.get("overwrite", False))
        taken.append(path)


def _declare(call: Any, command: Any, name: str, options: Any) -> None:
    """Say that `call` takes `options` in the place of `name`, which `command` takes."""
    own = [
        p
        for p in signature(command, eval_str=True).parameters.values()
        if p.name != name
    ]
    required = [p for p in own if p.default is Parameter.empty]
    others = [p for p in own if p.default is not Parameter.empty]
    named = [
        p.replace(kind=Parameter.KEYWORD_ONLY) for p in (*required, *options, *others)
    ]
    call.__signature__ = signature(command).replace(parameters=named)
    call.__annotations__ = {p.name: p.annotation for p in named}
