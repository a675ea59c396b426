"""``corral compare``: many methods on the votes of a file, next to its gold labels."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated, Any

import numpy as np
import typer

from corral._compare import compare as compare_methods
from corral.cli.options import (
    AbstainValue,
    ClassNames,
    IdColumn,
    SignalColumns,
    VotesFile,
)
from corral.cli.reading import split_names, typed
from corral.errors import ParameterError
from corral.peers import PEERS
from corral.progress import silence
from corral.signals import WeakSignals
from corral.tables import open_files

SINGLE_UP_TO = 1_000_000
"""Rows up to which other libraries get every row; they know no counts."""


def compare(
    votes: VotesFile,
    gold: Annotated[
        str, typer.Option(help="The column of true labels; may have gaps.")
    ],
    signals: SignalColumns = None,
    id: IdColumn = None,
    methods: Annotated[
        str,
        typer.Option(
            help="Names, with commas between; own: all of corral; all: with those of "
            "other libraries that are installed."
        ),
    ] = "own",
    dev_size: Annotated[
        int,
        typer.Option(min=0, help="Labelled rows that some methods may learn from."),
    ] = 0,
    positive: Annotated[
        str | None, typer.Option(help="The class that F1 is of, if not the second.")
    ] = None,
    abstain: AbstainValue = None,
    classes: ClassNames = None,
    seed: Annotated[int, typer.Option(help="For what is drawn at random.")] = 0,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress.")
    ] = False,
) -> None:
    """Label a file by many methods, and score them against its gold labels.

    Prints a table; writes nothing. No method sees a gold label but for --dev-size.
    """
    named = methods if methods in ("own", "all") else split_names(methods)
    single = named == "all" or any(name in PEERS for name in named)
    with silence() if quiet else nullcontext():
        read, truth, text = _read(votes, gold, signals, id, abstain, classes, single)
        found = compare_methods(
            read,
            truth,
            named,
            dev_size=dev_size,
            positive=None if positive is None else typed(positive, "--positive", text),
            random_state=seed,
        )
    print(found)


def _read(
    path: str,
    gold: str,
    patterns: list[str] | None,
    id: str | None,
    abstain: str | None,
    classes: str | None,
    single: bool,
) -> tuple[WeakSignals, Any, bool]:
    """Signals, true labels, and whether classes are text.

    Rows are counted with their gold label, so a file may have any number of them.
    """
    table = open_files(path, "duckdb")
    if gold not in table.columns:
        raise ParameterError(
            f"no column is named {gold!r}, which --gold says; the table has "
            f"{', '.join(map(repr, table.columns))}."
        )
    columns = [c for c in table.choose(patterns, id) if patterns or c != gold]
    if gold in columns:
        raise ParameterError(f"the column of --gold, {gold!r}, is among the signals.")
    if len({table.is_text(c) for c in (*columns, gold)}) > 1:
        raise ParameterError(
            "votes and gold labels must be all numbers or all text; choose the columns "
            "of votes with --signals, or leave one out with --id."
        )
    cells, counts = table.count([*columns, gold])
    if single and counts.sum() <= SINGLE_UP_TO:
        cells = np.repeat(cells, counts.astype(int), axis=0)
        counts = None  # type: ignore[assignment]
    text = cells.dtype.kind == "O"
    listed = split_names(classes or "")
    read = WeakSignals.from_votes(
        cells[:, :-1],
        names=columns,
        counts=counts,
        classes=[typed(c, "--classes", text) for c in listed] or None,
        abstain=None if abstain is None else typed(abstain, "--abstain", text),
    )
    return read, cells[:, -1], text
