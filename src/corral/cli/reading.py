"""What the commands share: votes from a file, rates and classes from options."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from rich.console import Console
from rich.text import Text

from corral.cli.wording import in_shell_words
from corral.errors import CorralWarning, ParameterError
from corral.signals import WeakSignals
from corral.tables import VoteTable

Coding: TypeAlias = Callable[[bool], dict[str, Any]]
HARD = {"probabilities": False, "bins": None}
"""Votes, no probabilities."""


def read_signals(
    table: VoteTable,
    signals: list[str] | None,
    id: str | None,
    answers: tuple[str, str, str] | None,
    classes: str | None,
    abstain: str | None,
    soft: dict[str, Any],
) -> WeakSignals:
    """The signals of a table; classes and abstain are written in the type of the votes."""
    coding = coding_of(classes, abstain)
    if answers is not None:
        refuse_column_options(signals, id, soft)
        return table.read_answers(*answers, **coding(table.is_text(answers[2])))
    columns = table.choose(signals, id)
    if soft != HARD:
        silent = None if abstain is None else typed(abstain, "--abstain", text=False)
        named = split_names(classes or "") or None
        return table.read(columns, classes=named, abstain=silent, **soft)
    votes, counts = table.count(columns)
    return table.signals(votes, counts, **coding(votes.dtype.kind == "O"))


def coding_of(classes: str | None, abstain: str | None) -> Coding:
    """From whether votes are text to what `--classes` and `--abstain` are then."""
    listed = split_names(classes or "")

    def coding(text: bool) -> dict[str, Any]:
        return {
            "classes": [typed(c, "--classes", text) for c in listed] or None,
            "abstain": None if abstain is None else typed(abstain, "--abstain", text),
        }

    return coding


def refuse_column_options(
    signals: list[str] | None, id: str | None, soft: dict[str, Any]
) -> None:
    """Refuse, for a long table, options of tables with a column a signal."""
    if signals or id is not None or soft != HARD:
        raise ParameterError(
            "--signals, --id, --probabilities and --bins are for tables with a column "
            "a signal, not with --task."
        )


def answer_columns(
    task: str | None, worker: str | None, answer: str | None
) -> tuple[str, str, str] | None:
    """The three columns of a long table; None: there is a column a signal."""
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
            "--error-rate takes one number, name=number once a signal, or auto; "
            f"{', '.join(given)} was given."
        ) from error
    if len(rates) < len(pairs):
        raise ParameterError("--error-rate names a signal twice.")
    return rates


def typed(value: str, option: str, text: bool) -> str | int:
    """A class or the abstain value in the type of the votes."""
    if text:
        return value
    try:
        return int(value)
    except ValueError as error:
        raise ParameterError(
            f"the votes are numbers, but {option} is {value!r}."
        ) from error
