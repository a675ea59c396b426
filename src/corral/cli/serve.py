"""``corral serve``: a page on this machine, to write rules and watch the labels move."""

from __future__ import annotations

import sys
import webbrowser
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corral.cli.late_imports import load_scikit_learn
from corral.cli.option_groups import takes_run_options
from corral.cli.options import LABELS, OUTPUT, READING, RUN
from corral.cli.shell import Shell
from corral.errors import ParameterError

if TYPE_CHECKING:
    from corral.workbench.server import Access

NEEDS = ("starlette", "uvicorn")


@takes_run_options
def serve(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="DATA", help="The rows: a CSV, TSV, Parquet or JSON lines file."
        ),
    ],
    text: Annotated[
        str,
        typer.Option(
            metavar="NAME", rich_help_panel=READING, help="The column of texts."
        ),
    ],
    shell: Shell,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            rich_help_panel=LABELS,
            help="All classes in order, e.g. 'ham,spam'; default: name them on the page.",
        ),
    ] = None,
    functions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel=LABELS,
            help="A Python file with functions of corral, shown beside the page's rules.",
        ),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel=OUTPUT,
            help="Where the work is kept; default: DATA with the ending .corral.json.",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            rich_help_panel=RUN,
            help="What to listen on; others than 127.0.0.1 let the network in.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            metavar="NUMBER",
            rich_help_panel=RUN,
            help="Default: 8765 if it is free, or any that is.",
        ),
    ] = None,
    browser: Annotated[
        bool | None,
        typer.Option(
            "--browser/--no-browser",
            rich_help_panel=RUN,
            help="Open the page; default: if this is a terminal.",
        ),
    ] = None,
) -> None:
    """Write rules on a page and watch the labels move.

    Serves the page on this machine, until Ctrl-C. Every act is saved at once in the project
    file; the data are only read. A Python file of functions is run, so run only files that
    you trust.
    """
    absent = [name for name in NEEDS if find_spec(name) is None]
    if absent:
        raise ParameterError(
            f"corral serve needs {' and '.join(absent)}: pip install 'corral[serve]'."
        )
    from corral.cli.reading import split_names

    load_scikit_learn()
    with shell.work():
        from corral.workbench import Workbench

        bench = Workbench.open(
            file,
            text=text,
            project=project,
            classes=None if classes is None else tuple(split_names(classes)),
            functions=functions,
        )
    with closing(bench):
        from corral.workbench.server import WorkbenchServer

        server = WorkbenchServer(bench, host=host, port=port)
        _announce(shell, server.access, bench.state()["saved"]["path"])
        if browser or (browser is None and sys.stderr.isatty() and not shell.json):
            webbrowser.open(server.access.address_once)
        server.run()


def _announce(shell: Shell, access: Access, project: str) -> None:
    """Say where the page is, now: the command goes on until it is stopped."""
    from corral.workbench.server.guard import is_loopback

    if not shell.json:
        print(access.address)
    shell.give_json({"address": access.address, "project": project})
    sys.stdout.flush()
    shell.say(f"work is kept in {project}\nPress Ctrl-C to stop; your work is saved.")
    if not is_loopback(access.host):
        shell.say(
            f"warning: others can connect to {access.host}, and read what is sent: it is "
            "not encrypted. A tunnel is safer: ssh -L 8765:127.0.0.1:8765 THIS_MACHINE"
        )
