"""``corral datasets``: which data there are, and where they are looked for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from corral.cli.option_groups import takes_run_options
from corral.cli.options import OUTPUT
from corral.cli.shell import Shell


@takes_run_options
def datasets(
    shell: Shell,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            rich_help_panel=OUTPUT,
            help="Where files are; default: what CORRAL_DATA names, or a cache.",
        ),
    ] = None,
) -> None:
    """List the data sets that corral.datasets.load knows."""
    from corral import datasets as library
    from corral.results import Table

    with shell.work():
        found = library.names(folder)
    root = library.data_folder(folder)
    if not shell.json:
        table = Table({"data set": list(found), "files": list(found.values())})
        print(f"folder: {root}\n\n{table}")
    shell.give_json({"folder": str(root), "datasets": found})
