"""``corral datasets``: which data there are, what they need, and where that is."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corral.cli.option_groups import takes_run_options
from corral.cli.options import OUTPUT
from corral.cli.shell import Shell
from corral.errors import ParameterError
from corral.text_table import text_table

if TYPE_CHECKING:
    from corral.datasets import DataFiles


@takes_run_options
def datasets(
    shell: Shell,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="One of them, with its files."),
    ] = None,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch",
            rich_help_panel=OUTPUT,
            help="Check the files of NAME, and download those that are missing.",
        ),
    ] = False,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            rich_help_panel=OUTPUT,
            help="Where files are; default: what CORRAL_DATA names, or a cache.",
        ),
    ] = None,
) -> None:
    """List data sets, what each needs, and what is there."""
    from corral import datasets as library
    from corral.datasets.data_files import data_folder

    if fetch and name is None:
        raise ParameterError("--fetch goes with the NAME of a data set.")
    with shell.work():
        if name is not None and name not in library.names():
            near = get_close_matches(name, library.names(), 1)
            hint = (
                f"Did you mean {near[0]!r}?" if near else "corral datasets lists them."
            )
            raise ParameterError(f"there is no data set {name!r}. {hint}")
        if fetch and name is not None:
            library.fetch(name, folder=folder)
        found = [
            each for each in library.survey(folder=folder) if name in (None, each.name)
        ]
    root = data_folder(folder)
    text = _list(found, root) if name is None else _describe(found[0])
    shell.give(
        text, {"folder": str(root), "datasets": [each.to_dict() for each in found]}
    )


def _list(found: list[DataFiles], root: Path) -> str:
    rows = [(each.name, each.status, each.home) for each in found]
    table = text_table(("data set", "files", "from"), rows, left=(0, 1, 2))
    return f"folder: {root}\n\n{table}"


def _describe(found: DataFiles) -> str:
    files = [
        f"  {'missing' if file in found.missing else 'there  '}  {file}"
        for file in found.files
    ]
    return "\n".join([f"{found.name}: {found.status}, from {found.home}", *files])
