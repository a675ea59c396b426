"""``python -m repro``: list, run and report the paper's tables and figures."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from corral.errors import CorralError
from corral.storage import reading
from repro.config import Experiment, experiments
from repro.figures import draw, find_stale_figures
from repro.report import make_pages
from repro.results import RESULTS, Results
from repro.runner import run as run_cells
from repro.store import CACHE

app = typer.Typer(
    add_completion=False,
    help=__doc__,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
console = Console()
BESIDE = Path(__file__).parents[2] / "shared" / "data"
"""The folder of data if `CORRAL_DATA` is not set."""


@app.command("list")
def list_() -> None:
    """Show every table and figure, how much of it is stored, and how much of that is stale.

    A result is stale if the settings, the data or the method of its cell have changed.
    """
    table = Table("name", "what", "stored", "stale")
    for name, experiment in experiments().items():
        cells = list(experiment.cells())
        stored = Results(name).records
        found = [(cell, stored.get((cell.row, cell.column))) for cell in cells]
        there = [(cell, record) for cell, record in found if record is not None]
        stale = sum(record.key != cell.key(record.data) for cell, record in there)
        count = f"{len(there) - stale} of {len(cells)}"
        table.add_row(name, experiment.title, count, str(stale or ""))
    console.print(table)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="One of `list`, or `all`.")],
    smoke: Annotated[bool, typer.Option(help="The small form, of seconds.")] = False,
    again: Annotated[
        bool, typer.Option(help="Also what is stored; arrays in repro/.cache are kept.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Cells at a time.", min=1)] = 1,
    results: Annotated[
        Path | None,
        typer.Option(
            help="Folder of results; default repro/results, for --smoke none."
        ),
    ] = None,
) -> None:
    """Compute what has no result yet; stop and start it at any time."""
    if "CORRAL_DATA" not in os.environ and BESIDE.is_dir():
        os.environ["CORRAL_DATA"] = str(BESIDE)
    with TemporaryDirectory() as passing:
        # Results of a smoke run are kept only if a folder is given.
        folder = results or (Path(passing) if smoke else RESULTS)
        cache = Path(passing) / "arrays" if smoke else CACHE
        missing = sum(
            _run_one(experiment, smoke, again, jobs, folder, cache)
            for experiment in _chosen(name)
        )
    if missing:
        console.print(f"{missing} cells could not be computed; see above.")
        raise typer.Exit(1)


@app.command()
def report(
    check: Annotated[bool, typer.Option(help="Only say what is out of date.")] = False,
) -> None:
    """Write docs/reproduction.md, and its figures from stored results."""
    try:
        texts, pictures = make_pages(), find_stale_figures()
        stale = [path for path, text in texts.items() if not _is(path, text)]
        stale += pictures
        for path in stale:
            if not check:
                text = texts[path] if path in texts else draw(*pictures[path])
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, "utf-8")
            console.print(f"{path}: {'out of date' if check else 'written'}")
    except (CorralError, LookupError) as error:
        console.print(str(error), markup=False)
        raise typer.Exit(1) from error
    if check and stale:
        raise typer.Exit(1)


@app.command()
def mark(
    images: Annotated[Path, typer.Argument(help="A .npy file: (n, height, width).")],
    classes: Annotated[str, typer.Option(help="Their names, with commas between.")],
    out: Annotated[Path, typer.Option(help="Where marks go.")] = Path("marks.npz"),
    shown: Annotated[int, typer.Option(help="Images to choose from.", min=1)] = 50,
) -> None:
    """Show images on a page of this machine, where a person marks exemplars of classes."""
    from repro.mark import Marking, serve

    try:
        with reading(images, "an array of images"):
            pixels = np.load(images, mmap_mode="r")
        serve(Marking(pixels, classes.split(","), out, shown))
    except CorralError as error:
        console.print(str(error), markup=False)
        raise typer.Exit(1) from error


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text("utf-8") == text


def _run_one(
    experiment: Experiment,
    smoke: bool,
    again: bool,
    jobs: int,
    folder: Path,
    cache: Path,
) -> int:
    """Compute the cells of an experiment; returns how many could not be."""
    console.rule(f"{experiment.title} ({experiment.name})", align="left")
    missing = 0
    for cell, found, kept in run_cells(
        experiment, smoke=smoke, again=again, jobs=jobs, results=folder, cache=cache
    ):
        where = f"{cell.row} / {cell.column}"
        if isinstance(found, CorralError):
            missing += 1
            console.print(
                f"{where:32} not computed: {found}", highlight=False, markup=False
            )
            continue
        figure = str(found) if experiment.kind == "table" else "drawn"
        spent = "stored" if kept else f"{found.seconds:.1f} s"
        console.print(f"{where:32} {figure:16} {spent}", highlight=False)
    return missing


def _chosen(name: str) -> list[Experiment]:
    known = experiments()
    if name == "all":
        return list(known.values())
    if name not in known:
        raise typer.BadParameter(f"{name!r} is none of {', '.join(known)}, all.")
    return [known[name]]


if __name__ == "__main__":
    app()
