"""``corral compare``: many methods on the votes of a file, next to its gold labels."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated, Any

import numpy as np
import typer

from corral._compare import compare as compare_methods
from corral.cli.options import (
    AbstainValue,
    AnswerColumn,
    Bins,
    ClassNames,
    IdColumn,
    Probabilities,
    SignalColumns,
    TaskColumn,
    VotesFile,
    WorkerColumn,
)
from corral.cli.reading import (
    Coding,
    answer_columns,
    coding_of,
    refuse_column_options,
    split_names,
    typed,
)
from corral.cli.wording import in_shell_words
from corral.errors import ParameterError
from corral.peers import PEERS
from corral.progress import silence
from corral.signals import WeakSignals
from corral.signals.coding import is_missing
from corral.signals.frames import fill_missing
from corral.tables import VoteTable, open_files

SINGLE_UP_TO = 1_000_000
"""Rows up to which other libraries get every row; they know no counts."""


def compare(
    votes: VotesFile,
    gold: Annotated[
        str, typer.Option(help="The column of true labels; may have gaps.")
    ],
    signals: SignalColumns = None,
    id: IdColumn = None,
    task: TaskColumn = None,
    worker: WorkerColumn = None,
    answer: AnswerColumn = None,
    probabilities: Probabilities = False,
    bins: Bins = None,
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
    seed: Annotated[int, typer.Option(min=0, help="For what is drawn at random.")] = 0,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress.")
    ] = False,
) -> None:
    """Label a file by many methods, and score them against its gold labels.

    Prints a table; writes nothing. No method sees a gold label but for --dev-size.
    """
    named = methods if methods in ("own", "all") else split_names(methods)
    single = named == "all" or any(name in PEERS for name in named)
    answers = answer_columns(task, worker, answer)
    soft = {"probabilities": probabilities, "bins": bins}
    code = coding_of(classes, abstain)
    with silence() if quiet else nullcontext():
        table = open_files(votes, "duckdb")
        if gold not in table.columns:
            raise ParameterError(
                f"no column is named {gold!r}, which --gold says; the table has "
                f"{', '.join(map(repr, table.columns))}."
            )
        if answers is None:
            read, truth = _read_columns(table, gold, signals, id, code, soft, single)
        else:
            refuse_column_options(signals, id, soft)
            read, truth = _read_answers(table, gold, answers, code)
        text = table.is_text(gold)
        found = compare_methods(
            read,
            truth,
            named,
            dev_size=dev_size,
            positive=None if positive is None else typed(positive, "--positive", text),
            random_state=seed,
        )
    print(in_shell_words(str(found)))


def _read_columns(
    table: VoteTable,
    gold: str,
    patterns: list[str] | None,
    id: str | None,
    code: Coding,
    soft: dict[str, Any],
    single: bool,
) -> tuple[WeakSignals, Any]:
    """Signals and true labels of a table with a column a signal.

    Rows are counted with their gold label, so a file may have any number of them.
    """
    columns = [c for c in table.choose(patterns, id) if patterns or c != gold]
    if gold in columns:
        raise ParameterError(f"the column of --gold, {gold!r}, is among the signals.")
    if soft["bins"] is not None and not soft["probabilities"]:
        raise ParameterError("--bins goes with --probabilities.")
    if len({table.is_text(c) for c in (*columns, gold)}) > 1:
        raise ParameterError(
            "votes and gold labels must be all numbers or all text; choose the columns "
            "of votes with --signals, or leave one out with --id."
        )
    cells, counts = table.count([*columns, gold], soft=soft["probabilities"])
    if single and counts.sum() <= SINGLE_UP_TO:
        cells = np.repeat(cells, counts.astype(int), axis=0)
        counts = None  # type: ignore[assignment]
    votes, truth = cells[:, :-1], cells[:, -1]
    options = {"names": columns, "counts": counts, **code(cells.dtype.kind == "O")}
    if soft["probabilities"]:
        read = WeakSignals.from_probabilities(votes, bins=soft["bins"], **options)
    else:
        read = WeakSignals.from_votes(votes, **options)
    return read, truth


def _read_answers(
    table: VoteTable, gold: str, answers: tuple[str, str, str], code: Coding
) -> tuple[WeakSignals, Any]:
    """Signals and true labels of a table with one vote a row, which is held in memory."""
    task, worker, answer = answers
    text = table.is_text(answer)
    if table.is_text(gold) != text:
        raise ParameterError(
            f"the answers in {answer!r} and the gold labels in {gold!r} must be both "
            "numbers or both text."
        )
    rows = table.rows([*answers, gold], names=(task, worker))
    coding = code(text)
    rows[answer] = fill_missing(rows[answer], coding["abstain"])
    read = WeakSignals.from_long(rows, task=task, worker=worker, label=answer, **coding)
    known: dict[Any, Any] = {}
    for name, value in zip(rows[task].tolist(), rows[gold].tolist(), strict=True):
        if not is_missing(value) and known.setdefault(name, value) != value:
            raise ParameterError(
                f"{name!r} has more than one gold label, {known[name]!r} and {value!r}."
            )
    silent = None if text else np.nan
    tasks: Any = read.index
    return read, np.array([known.get(name, silent) for name in tasks.tolist()])
