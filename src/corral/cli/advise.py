"""``corral advise``: what to do next about the signals of a file of votes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from corral.advice import redundancy, sensitivity, value_of_signal
from corral.cli.options import (
    AbstainValue,
    AnswerColumn,
    Bins,
    ClassNames,
    ErrorRates,
    IdColumn,
    Probabilities,
    SignalColumns,
    TaskColumn,
    VotesFile,
    WorkerColumn,
)
from corral.cli.reading import (
    answer_columns,
    collected,
    read_rates,
    read_signals,
    show_warnings,
)
from corral.cli.suggested import check_rows_file, suggested_rows
from corral.labelers import ConstrainedLabeler
from corral.tables import VoteFiles


def advise(
    votes: VotesFile,
    signals: SignalColumns = None,
    id: IdColumn = None,
    task: TaskColumn = None,
    worker: WorkerColumn = None,
    answer: AnswerColumn = None,
    probabilities: Probabilities = False,
    bins: Bins = None,
    error_rate: ErrorRates = None,
    abstain: AbstainValue = None,
    classes: ClassNames = None,
    change: Annotated[
        float, typer.Option(help="How far error rates may be off.")
    ] = 0.05,
    suggest: Annotated[
        int | None, typer.Option(min=1, help="How many rows you could label by hand.")
    ] = None,
    suggest_to: Annotated[
        Path | None,
        typer.Option(
            help="CSV or TSV for these rows, with an empty column to fill in."
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace that file if it exists.")
    ] = False,
) -> None:
    """Say which rates matter, which signals to fix or drop, and what to label by hand.

    Labels the rows in several ways and prints what changes; writes nothing but the rows of
    --suggest, where asked to.
    """
    rates = read_rates(error_rate)
    target = check_rows_file(suggest_to, suggest, overwrite, votes)
    with collected() as caught:
        table = VoteFiles(votes)
        answers = answer_columns(task, worker, answer)
        soft = {"probabilities": probabilities, "bins": bins}
        read = read_signals(table, signals, id, answers, classes, abstain, soft)
        labeler = ConstrainedLabeler(rates).fit(read)
        parts = {
            "If an error rate is off": sensitivity(labeler, read, change=change),
            "Signals that repeat others": redundancy(read),
            "What every signal adds": value_of_signal(labeler, read),
        }
        if suggest is not None:
            rows = suggested_rows(table, labeler, read, suggest, id or task)
            parts["Rows to label by hand"] = rows
            if target is not None:
                rows.write(target)
    show_warnings(Console(stderr=True), caught)
    for title, part in parts.items():
        print(f"{title}\n\n{part}\n")
