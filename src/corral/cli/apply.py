"""``corral apply``: functions in a Python file on rows of data, votes out."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corral.cli.late_imports import load_scikit_learn
from corral.cli.option_groups import takes_run_options
from corral.cli.options import LABELS, OUTPUT, Output, Overwrite
from corral.cli.shell import Shell
from corral.cli.streams import STREAM, spool_output

if TYPE_CHECKING:
    from corral.front_door.apply import AppliedFile


@takes_run_options
def apply(
    functions: Annotated[
        Path,
        typer.Argument(
            metavar="FUNCTIONS",
            help="A Python file with functions made by corral.signal and corral.functions.",
        ),
    ],
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            path_type=str,
            help="The rows: CSV, TSV, Parquet or JSON lines, or - for standard input.",
        ),
    ],
    output: Output,
    shell: Shell,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            rich_help_panel=LABELS,
            help="All classes in order, e.g. 'ham,spam'; default: those voted for.",
        ),
    ] = None,
    on_error: Annotated[
        Literal["raise", "abstain"],
        typer.Option(
            metavar="WHAT",
            rich_help_panel=LABELS,
            help="Where a function fails on a row: raise (stop) or abstain.",
        ),
    ] = "raise",
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            rich_help_panel=LABELS,
            help="Keep answers there, for the same file of functions and the same rows.",
        ),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="NUMBER",
            rich_help_panel=LABELS,
            help="Processes for plain functions.",
        ),
    ] = 1,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            rich_help_panel=OUTPUT,
            help="Columns of the data to keep, e.g. id,text; may be repeated; default all.",
        ),
    ] = None,
    prefix: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            rich_help_panel=OUTPUT,
            help="In front of the added columns, e.g. rule_.",
        ),
    ] = "",
    overwrite: Overwrite = False,
) -> None:
    """Apply functions to the rows of a file, and write their votes.

    The Python file is run, so run only files that you trust. Writes every column of the
    data, and one per function, empty where it abstains.
    """
    shell.check_output(output)
    with shell.work(), spool_output(output, shell.kind) as target:
        load_scikit_learn()
        from corral.cli.reading import split_names
        from corral.front_door.apply import apply_file

        done = apply_file(
            functions,
            data,
            target,
            keep=[name for item in keep for name in split_names(item)]
            if keep
            else None,
            prefix=prefix,
            overwrite=overwrite,
            classes=_read_classes(classes),
            on_error=on_error,
            cache=cache,
            jobs=jobs,
        )
    shell.say(f"{done}{_say_next(done, output, prefix)}")
    shell.give_json({**done.to_dict(), "output": output})


def _read_classes(given: str | None) -> list[str] | list[int] | None:
    """Classes by name; as numbers if all of them are."""
    from corral.cli.reading import split_names

    names = split_names(given or "")
    if all(re.fullmatch(r"-?\d+", name) for name in names):
        return list(map(int, names)) or None
    return names


def _say_next(done: AppliedFile, output: str, prefix: str) -> str:
    """What to do with the file."""
    if output == STREAM:
        return ""
    chosen = f"--signals {shlex.quote(f'{prefix}*')}"
    if not prefix:
        chosen = f"--id {shlex.quote(','.join(done.kept))}"
    soft = " --probabilities" if done.probabilities else ""
    return f"\nnext: corral label {shlex.quote(output)} -o labels.csv {chosen}{soft}"
