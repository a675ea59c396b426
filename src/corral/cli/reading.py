"""What the commands share: votes from a file, rates and classes from options."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from corral.cli.wording import in_shell_words
from corral.errors import CorralWarning, ParameterError
from corral.signals.frames import choose_columns

if TYPE_CHECKING:
    from corral.signals import WeakSignals
    from corral.signals.readers import Coding
    from corral.tables import VoteTable


@dataclass(frozen=True)
class ReadingOptions:
    """What a call says of the columns of a table, and of what is in them."""

    signals: list[str] | None
    id: list[str] | None
    answers: tuple[str, str, str] | None
    probabilities: bool
    columns: str | None
    bins: int | None
    classes: str | None
    abstain: list[str] | None
    normalise: bool

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any]) -> ReadingOptions:
        """Those among the arguments of a command, by their names."""
        long = (arguments[name] for name in ("task", "worker", "answer"))
        names = (field.name for field in fields(cls) if field.name != "answers")
        return cls(
            answers=answer_columns(*long), **{name: arguments[name] for name in names}
        )

    def __post_init__(self) -> None:
        if self.answers and (self.signals or self.id or self.is_soft):
            raise ParameterError(
                "--signals, --id, --probabilities, --columns and --bins are for tables "
                "with a column per signal, not with --task."
            )
        if self.is_soft and not self.probabilities:
            raise ParameterError("--bins and --columns go with --probabilities.")

    @property
    def is_soft(self) -> bool:
        """Whether anything is said of probabilities."""
        return self.probabilities or self.bins is not None or self.columns is not None

    def choose(self, table: VoteTable) -> list[str]:
        """The signal columns of a table."""
        named = [
            None if names is None else split_columns(names, table.columns)
            for names in (self.signals, self.id)
        ]
        return table.choose(*named)

    def row_names(self, table: VoteTable) -> list[str]:
        """The columns that name a row: the ids, or the task of a long table."""
        if self.answers is not None:
            return [self.answers[0]]
        return choose_columns(
            table.columns, split_columns(self.id or [], table.columns)
        )

    def coding(self, text: bool) -> Coding:
        """How votes are written: classes and abstains in the type of the votes."""
        from corral.signals.readers import Coding

        listed = [typed(c, "--classes", text) for c in split_names(self.classes or "")]
        silent = [typed(a, "--abstain", text) for a in self.abstain or ()]
        return Coding(listed or None, silent or None, self.normalise)

    @property
    def soft_coding(self) -> Coding:
        """The same for probabilities: classes are names."""
        from corral.signals.readers import Coding

        silent = [typed(a, "--abstain", text=False) for a in self.abstain or ()]
        if self.normalise:
            raise ParameterError("--normalise is for votes, not for --probabilities.")
        return Coding(split_names(self.classes or "") or None, silent or None)


def read_signals(table: VoteTable, options: ReadingOptions) -> WeakSignals:
    """The signals of a table."""
    if options.answers is not None:
        coding = options.coding(table.is_text(options.answers[2]))
        return table.read_answers(*options.answers, coding)
    columns = options.choose(table)
    if options.probabilities:
        return table.read(
            columns,
            coding=options.soft_coding,
            probabilities=True,
            layout=options.columns,
            bins=options.bins,
        )
    if options.classes is None:
        table.refuse_other(columns, options.abstain)
    votes, counts = table.count(columns)
    return table.signals(votes, counts, options.coding(votes.dtype.kind == "O"))


def show_reading(console: Console, signals: WeakSignals) -> None:
    """Say how the data were read: a wrong reading is seen at once."""
    console.print(Text(f"read as: {signals.reading}"), soft_wrap=True)


def split_columns(given: list[str], columns: Sequence[str]) -> list[str]:
    """Names of columns, commas between; one that is a name with a comma stays whole."""
    return [
        name
        for item in given
        for name in ([item] if item in columns else split_names(item))
    ]


def answer_columns(
    task: str | None, worker: str | None, answer: str | None
) -> tuple[str, str, str] | None:
    """The three columns of a long table; None: there is a column per signal."""
    if task is not None:
        return task, worker or "worker", answer or "label"
    if worker is not None or answer is not None:
        raise ParameterError("--worker and --answer go with --task.")
    return None


def split_names(text: str) -> list[str]:
    """Names with commas between."""
    return [name.strip() for name in text.split(",") if name.strip()]


@contextmanager
def collected() -> Iterator[list[warnings.WarningMessage]]:
    """Warnings, to be shown after the work and not within it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CorralWarning)
        yield caught


def show_warnings(console: Console, caught: list[warnings.WarningMessage]) -> None:
    """One line each."""
    for warning in caught:
        said = in_shell_words(str(warning.message))
        console.print(Text.assemble(("warning: ", "yellow"), said), soft_wrap=True)


def read_rates(given: list[str] | None) -> float | str | dict[str, float]:
    """What `--error-rate` says; "auto" if it was not given."""
    if not given or given == ["auto"]:
        return "auto"
    try:
        if len(given) == 1 and "=" not in given[0]:
            return float(given[0])
        pairs = [item.rsplit("=", 1) for item in given]
        rates = {name: float(rate) for name, rate in pairs}
    except ValueError as error:
        raise ParameterError(
            "--error-rate takes one number, name=number per signal, or auto; "
            f"{', '.join(given)} was given."
        ) from error
    if len(rates) < len(pairs):
        raise ParameterError("--error-rate names a signal twice.")
    return rates


def typed(value: str, option: str, text: bool) -> str | int | float | None:
    """A class or the abstain value in the type of the votes."""
    from corral.signals.abstains import is_no_vote

    if text:
        return value
    if option == "--abstain" and is_no_vote(value):
        return None  # among numbers such a cell is missing
    try:
        number = float(value)
    except ValueError as error:
        raise ParameterError(
            f"the votes are numbers, but {option} is {value!r}."
        ) from error
    return int(value) if re.fullmatch(r"[+-]?\d+", value) else number
