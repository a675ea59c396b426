"""``corral compare``: many methods on the votes of a file, next to its gold labels."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from corral.cli.options import (
    AbstainValues,
    AnswerColumn,
    Bins,
    ClassNames,
    ColumnLayout,
    IdColumns,
    Normalise,
    Probabilities,
    SignalColumns,
    TaskColumn,
    VotesFile,
    WorkerColumn,
)
from corral.cli.reading import (
    ReadingOptions,
    collected,
    show_reading,
    show_warnings,
    split_names,
    typed,
)
from corral.cli.wording import in_shell_words
from corral.errors import ParameterError
from corral.progress import silence

if TYPE_CHECKING:
    from corral.signals import WeakSignals
    from corral.tables import VoteTable

SINGLE_UP_TO = 1_000_000
"""Rows up to which other libraries get every row; they know no counts."""


def compare(
    votes: VotesFile,
    gold: Annotated[
        str, typer.Option(help="The column of true labels; may have gaps.")
    ],
    signals: SignalColumns = None,
    id: IdColumns = None,
    task: TaskColumn = None,
    worker: WorkerColumn = None,
    answer: AnswerColumn = None,
    probabilities: Probabilities = False,
    columns: ColumnLayout = None,
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
    abstain: AbstainValues = None,
    classes: ClassNames = None,
    normalise: Normalise = False,
    seed: Annotated[int, typer.Option(min=0, help="For what is drawn at random.")] = 0,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress.")
    ] = False,
) -> None:
    """Label a file by many methods, and score them against its gold labels.

    Prints a table; writes nothing. No method sees a gold label but for --dev-size.
    """
    from corral.tables import open_files

    named = methods if methods in ("own", "all") else split_names(methods)
    options = ReadingOptions.from_arguments(locals())
    console = Console(stderr=True, quiet=quiet)
    with silence() if quiet else nullcontext(), collected() as caught:
        table = open_files(votes, "duckdb")
        if gold not in table.columns:
            raise ParameterError(
                f"no column is named {gold!r}, which --gold says; the table has "
                f"{', '.join(map(repr, table.columns))}."
            )
        if options.answers is None:
            read, truth = _read_columns(table, gold, options, named)
        else:
            read, truth = _read_answers(table, gold, options.answers, options)
        show_reading(console, read)
        text = table.is_text(gold)

        from corral._compare import compare as compare_methods

        found = compare_methods(
            read,
            truth,
            named,
            dev_size=dev_size,
            positive=None if positive is None else typed(positive, "--positive", text),
            random_state=seed,
        )
    show_warnings(console, caught)
    print(in_shell_words(str(found)))


def _read_columns(
    table: VoteTable, gold: str, options: ReadingOptions, methods: str | list[str]
) -> tuple[WeakSignals, Any]:
    """Signals and true labels of a table with a column per signal.

    Rows are counted with their gold label, so a file may have any number of them.
    """
    import numpy as np

    from corral.signals import WeakSignals
    from corral.signals.frames import fill_missing
    from corral.signals.probability_columns import group_columns

    columns = [c for c in options.choose(table) if options.signals or c != gold]
    if gold in columns:
        raise ParameterError(f"the column of --gold, {gold!r}, is among the signals.")
    if len({table.is_text(c) for c in (*columns, gold)}) > 1:
        raise ParameterError(
            "votes and gold labels must be all numbers or all text; choose the columns "
            "of votes with --signals, or leave one out with --id."
        )
    text = table.is_text(gold)
    coding = options.soft_coding if options.probabilities else options.coding(text)
    if not options.probabilities and coding.classes is None:
        table.refuse_other(columns, options.abstain)
    cells, counts = table.count([*columns, gold], soft=options.probabilities)
    if _needs_rows(methods) and counts.sum() <= SINGLE_UP_TO:
        cells = np.repeat(cells, counts.astype(int), axis=0)
        counts = None  # type: ignore[assignment]
    votes, truth = cells[:, :-1], cells[:, -1]
    if options.probabilities:
        groups = group_columns(
            columns, votes, options.columns, coding.classes, coding.abstain
        )
        read = WeakSignals.from_probabilities(
            groups.arrange(votes),
            classes=groups.classes or coding.classes,
            abstain=coding.abstain,
            names=groups.signals,
            counts=counts,
            bins=options.bins,
        )
    else:
        read = WeakSignals.from_votes(
            fill_missing(votes, coding.abstain),
            classes=coding.classes,
            abstain=coding.abstain,
            normalise=coding.normalise,
            names=columns,
            counts=counts,
        )
    return read, truth


def _needs_rows(methods: str | list[str]) -> bool:
    """Whether a library is asked that knows no counts."""
    from corral.peers import PEERS

    return methods == "all" or any(name in PEERS for name in methods)


def _read_answers(
    table: VoteTable,
    gold: str,
    answers: tuple[str, str, str],
    options: ReadingOptions,
) -> tuple[WeakSignals, Any]:
    """Signals and true labels of a table with one vote per row, held in memory."""
    import numpy as np

    from corral.signals import WeakSignals
    from corral.signals.abstains import is_missing
    from corral.signals.frames import fill_missing

    task, worker, answer = answers
    text = table.is_text(answer)
    if table.is_text(gold) != text:
        raise ParameterError(
            f"the answers in {answer!r} and the gold labels in {gold!r} must be both "
            "numbers or both text."
        )
    rows = table.rows([*answers, gold], names=(task, worker))
    coding = options.coding(text)
    rows[answer] = fill_missing(rows[answer], coding.abstain)
    read = WeakSignals.from_long(
        rows,
        task=task,
        worker=worker,
        label=answer,
        classes=coding.classes,
        abstain=coding.abstain,
        normalise=coding.normalise,
    )
    known: dict[Any, Any] = {}
    for name, value in zip(rows[task].tolist(), rows[gold].tolist(), strict=True):
        if not is_missing(value) and known.setdefault(name, value) != value:
            raise ParameterError(
                f"{name!r} has more than one gold label, {known[name]!r} and {value!r}."
            )
    silent = None if text else np.nan
    tasks: Any = read.index
    return read, np.array([known.get(name, silent) for name in tasks.tolist()])
