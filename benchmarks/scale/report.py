"""The tables of the benchmark."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from benchmarks.scale.cells import Cell, duration, volume
from benchmarks.scale.methods import DISTURBED, METHODS
from benchmarks.scale.targets import Outcome

NOTES = """
Time: the call alone, after a warm-up; median of fresh processes taken in turns.
* Other work took over 0.2 cores at the same time: too long, and not equally so for all.
Peak: the most memory of the process, its libraries and input included.
Accuracy: of the labels, over the rows with votes.
Compare what estimates rates (corral's default, Snorkel, Crowd-Kit), and what is given one
(corral, the textbook loop). Snorkel: one thread (two are slower). Crowd-Kit: a long table.
DuckDB alone reads the votes and writes as many columns, of random values: more bytes.
"""


def show(console: Console, cells: list[Cell], outcomes: list[Outcome]) -> None:
    """Print what was measured, and what was to be shown."""
    table = _table("rows", "method", "median", "runs", "peak", "accuracy", "settings")
    for column in (0, 2, 3, 4, 5):
        table.columns[column].justify = "right"
    last = None
    for cell in sorted(cells, key=lambda cell: (cell["signals"], cell["rows"])):
        size = f"{cell['rows']:,} x {cell['signals']}"
        if last not in (None, size):
            table.add_row()
        table.add_row(
            "" if size == last else size, METHODS[cell["method"]].title, *_figures(cell)
        )
        last = size
    console.print(table, NOTES, highlight=False)
    targets = _table("target", "wanted", "found", "")
    for outcome in outcomes:
        style = "bold red" if outcome.result == "missed" else ""
        targets.add_row(
            *(outcome.name, outcome.wanted, outcome.found, outcome.result), style=style
        )
    if outcomes:
        console.print(targets, "")


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading)
    return table


def _figures(cell: Cell) -> list[str]:
    settings = cell.get("settings", "")
    if "reason" in cell:
        return [cell["reason"], "", "", "", settings]
    accuracy = f"{cell['accuracy']:.3f}" if "accuracy" in cell else ""
    runs = str(len(cell["runs"]))
    mark = "*" if cell["others"] > DISTURBED else ""
    seconds = duration(cell["seconds"]) + mark
    return [seconds, runs, volume(cell["peak"]), accuracy, settings]
