"""What was read of a file of judges' answers: signals, and a count of what is none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._plain import as_plain
from corral.errors import SignalsError
from corral.signals import WeakSignals
from corral.storage.drafts import draft_of
from corral.text_table import text_table

LAYOUT = "{signal}: {class}"
"""How columns are named that hold the probability of a judge for a class."""


def name_column(judge: str, value: Any) -> str:
    """The name of the column of a judge and a class."""
    return LAYOUT.replace("{class}", str(value)).replace("{signal}", judge)


@dataclass(frozen=True)
class JudgeCounts:
    """What became of the answers of a judge.

    Attributes
    ----------
    judge : str
    examples : int
        Those it was asked about.
    answers : int
        Samples of one example counted one by one.
    voted, refused, unreadable, failed : int
        Answers: with a verdict; refused, or said to mean no vote; with a text that is no
        class; empty, or an error of the service.
    abstains : int
        Examples without any verdict.
    split : int
        Examples in which samples name different classes.
    mass : float or None
        What log-probabilities give to the classes, on average; the rest is on tokens that
        are none. None if there are no log-probabilities.
    """

    judge: str
    examples: int
    answers: int
    voted: int
    refused: int
    unreadable: int
    failed: int
    abstains: int
    split: int
    mass: float | None


@dataclass(frozen=True, eq=False, repr=False)
class JudgeAnswers:
    """What `corral.read_judges` found; print it.

    Attributes
    ----------
    signals : WeakSignals
        One per judge: votes, or probabilities where samples or log-probabilities give
        shares. An example's `index` is its id.
    counts : tuple of JudgeCounts
        One per judge.
    fields : mapping of str to (n,) array
        The other fields of the lines that have one value per example, such as gold labels.
    task : str
        The field that names the example.
    unreadable : tuple of str
        Some texts that are no class, the commonest first.
    """

    signals: WeakSignals
    counts: tuple[JudgeCounts, ...]
    fields: Mapping[str, NDArray[Any]]
    task: str
    unreadable: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """A table with one row per example: its id, its fields, and what judges said.

        Votes are one column per judge. Probabilities are one, of the second of two
        classes, or one per judge and class, named ``judge: class``.
        """
        read, index = self.signals, np.asarray(self.signals.index)
        found = {self.task: index, **self.fields}
        for name, column in self.judge_columns.items():
            if name in found:
                raise SignalsError(
                    f"a judge and a field of its lines are both named {name!r}. Rename one."
                )
            found[name] = column
        assert all(len(column) == len(read) for column in found.values())
        return found

    @property
    def judge_columns(self) -> dict[str, NDArray[Any]]:
        """What judges said, without the other columns; None, or NaN, for an abstain."""
        read = self.signals
        if not read.is_hard:
            if read.n_label_columns == 1:
                return dict(zip(read.names, read.values[0], strict=True))
            return {
                name_column(name, c): values[i]
                for i, name in enumerate(read.names)
                for c, values in zip(read.classes, read.values, strict=True)
            }
        cells = np.full(read.shape, None, object)
        row, column, vote = read.cells()
        cells[row, column] = read.classes.astype(object)[vote]
        return dict(zip(read.names, cells.T, strict=True))

    def write(self, path: str | PathLike[str]) -> None:
        """Write `columns` as JSON lines, which every other part of corral reads."""
        columns = {name: as_plain(column) for name, column in self.columns.items()}
        with draft_of(path) as draft, draft.open("w", encoding="utf-8") as file:
            for row in zip(*columns.values(), strict=True):
                file.write(json.dumps(dict(zip(columns, row, strict=True))) + "\n")

    def to_dict(self) -> dict[str, Any]:
        """The counts in plain values: one line of ``judges`` per judge."""
        return {
            "examples": len(self.signals),
            "classes": as_plain(self.signals.classes),
            "probabilities": not self.signals.is_hard,
            "judges": [asdict(each) for each in self.counts],
            "unreadable": list(self.unreadable),
        }

    def __str__(self) -> str:
        outcomes = ("voted", "refused", "unreadable", "failed")
        numbers = ("examples", "answers", *outcomes, "abstains", "split")
        rows = [
            (
                each.judge,
                *(f"{getattr(each, name):,}" for name in numbers),
                "" if each.mass is None else f"{each.mass:.1%}",
            )
            for each in self.counts
        ]
        shown = text_table(("judge", *numbers, "mass"), rows)
        if not self.unreadable:
            return shown
        texts = "\n".join(f"  {text!r}" for text in self.unreadable)
        return f"{shown}\n\nno class is named by\n{texts}"

    __repr__ = __str__
