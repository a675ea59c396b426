"""``corral advise``: what to do next about the signals of a file of votes."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer
from rich.console import Console

from corral.advice import redundancy, sensitivity, suggest_labels, value_of_signal
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
from corral.labelers import ConstrainedLabeler
from corral.labelers.explanation import votes_of
from corral.signals import WeakSignals
from corral.tables import open_files
from corral.text_table import printable, text_table


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
) -> None:
    """Say which rates matter, which signals to fix or drop, and what to label by hand.

    Labels the rows in several ways and prints what changes; writes nothing.
    """
    rates = read_rates(error_rate)
    with collected() as caught:
        table = open_files(votes, "duckdb")
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
            parts["Rows to label by hand"] = _suggested(labeler, read, suggest)
    show_warnings(Console(stderr=True), caught)
    for title, part in parts.items():
        print(printable(f"{title}\n\n{part}\n", lines=True))


def _suggested(labeler: ConstrainedLabeler, signals: WeakSignals, k: int) -> str:
    """How many rows to label of every pattern, the most helpful first."""
    rows = suggest_labels(labeler, signals, k, random_state=0)
    lines = []
    for row, times in Counter(rows.tolist()).items():
        said = votes_of(signals.take(slice(row, row + 1)))
        told = zip(signals.names, said, strict=True)
        votes = ", ".join(f"{name}={vote}" for name, vote in told if vote)
        size = 1 if signals.counts is None else signals.counts[row]
        lines.append((votes, f"{times:,}", f"{size:,.0f}"))
    return text_table(("rows with the votes", "label", "of"), lines)
