"""What was read of a file of judges' answers: signals, and a count of what is none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.errors import SignalsError
from corral.results import Part, Result, Table, as_plain
from corral.signals import WeakSignals
from corral.storage import atomic_write

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
class JudgeAnswers(Result):
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
    inputs : tuple of paths
        What was read, which `write` does not replace.
    """

    signals: WeakSignals = field(repr=False)
    counts: tuple[JudgeCounts, ...]
    fields: Mapping[str, NDArray[Any]] = field(repr=False)
    task: str
    unreadable: tuple[str, ...] = ()
    inputs: tuple[str | PathLike[str], ...] = ()

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

    def write_lines(self, path: str | PathLike[str]) -> None:
        """Write `columns` as JSON lines, which every other part of corral reads."""
        columns = {name: as_plain(column) for name, column in self.columns.items()}
        with (
            atomic_write(path, inputs=self.inputs, overwrite=True) as temporary,
            temporary.open("w", encoding="utf-8") as file,
        ):
            for row in zip(*columns.values(), strict=True):
                file.write(json.dumps(dict(zip(columns, row, strict=True))) + "\n")

    def to_dict(self) -> dict[str, Any]:
        """The counts in plain values, and what classes there are."""
        read = self.signals
        found = {"examples": len(read), "classes": as_plain(read.classes)}
        return {**found, "probabilities": not read.is_hard, **super().to_dict()}

    @property
    def title(self) -> str:
        return "What judges answered"

    def parts(self) -> Iterator[Part]:
        names = [each.name for each in dataclass_fields(JudgeCounts)]
        columns = {name: [getattr(c, name) for c in self.counts] for name in names}
        yield Table(columns, formats={"mass": ".1%"})
        if self.unreadable:
            yield "Some texts that name no class:"
            yield from map(repr, self.unreadable)
