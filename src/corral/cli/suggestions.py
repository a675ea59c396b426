"""Rows to label by hand, by name: printed, and as a file to fill in."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corral.errors import ParameterError
from corral.explain import votes_of
from corral.labelers import ConstrainedLabeler
from corral.results import Part, Result, Section, Table, join_names
from corral.storage.atomic_write import atomic_write
from corral.study import Redundancy, Sensitivity, SignalValues, suggest_labels
from corral.tables import VoteFiles
from corral.votes import WeakSignals

VOTES, LABEL = "votes", "label"
"""Columns of the file beside those that name a row; the second is empty."""
ROOM = 70
"""Characters of a line for what signals say."""
DELIMITERS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True, eq=False, repr=False)
class SuggestedRows(Result):
    """Rows to label by hand, the most helpful first.

    Attributes
    ----------
    names : tuple of str
        Columns that name a row: the ids, or "row", its number from 1.
    ids : list of tuples
        What these are.
    votes : list of tuples of str
        What the signals say of each row, as in ``spam_words=spam``.
    alike : list of float
        How many rows have these votes.
    """

    names: tuple[str, ...]
    ids: list[tuple[Any, ...]]
    votes: list[tuple[str, ...]]
    alike: list[float]

    @property
    def title(self) -> str:
        return "Rows to label by hand"

    def parts(self) -> Iterator[Part]:
        columns: dict[str, Any] = {
            name: [None if row[at] is None else str(row[at]) for row in self.ids]
            for at, name in enumerate(self.names)
        }
        yield Table(
            columns
            | {
                "rows like it": [round(n) for n in self.alike],
                VOTES: [join_names(said, ROOM) for said in self.votes],
            }
        )

    def write_form(self, path: Path) -> None:
        """Write a file to fill in; it is replaced whole."""
        with (
            atomic_write(path, overwrite=True) as temporary,
            temporary.open("w", newline="", encoding="utf-8") as file,
        ):
            table = csv.writer(file, delimiter=DELIMITERS[path.suffix.lower()])
            table.writerow((*self.names, VOTES, LABEL))
            for ids, said in zip(self.ids, self.votes, strict=True):
                table.writerow((*ids, "; ".join(said), None))


@dataclass(frozen=True, eq=False, repr=False)
class Advice(Result):
    """What to do next about signals; `suggested` only if rows were asked for."""

    sensitivity: Sensitivity
    redundancy: Redundancy
    values: SignalValues
    suggested: SuggestedRows | None

    @property
    def title(self) -> str:
        return "What to do next"

    def parts(self) -> Iterator[Part]:
        results = self.sensitivity, self.redundancy, self.values, self.suggested
        for each in results:
            if each is not None:
                yield Section(each.title, tuple(each.parts()))


def find_suggested_rows(
    table: VoteFiles,
    labeler: ConstrainedLabeler,
    signals: WeakSignals,
    k: int,
    names: list[str],
) -> SuggestedRows:
    """The rows of a table whose label would help most, by their ids.

    Parameters
    ----------
    table : VoteFiles
        Which the signals were read from.
    labeler : ConstrainedLabeler
    signals : WeakSignals
    k : int
    names : list of str
        Columns that name a row; none: the number of the row, from 1.
    """
    _refuse_taken(names)
    times = Counter(suggest_labels(labeler, signals, k, random_state=0).tolist())
    patterns = np.array(list(times), int)
    rows = table.rows_with(patterns, np.array(list(times.values()), int), names)
    said = [_votes(signals, row) for row in patterns]
    counts = signals.counts
    return SuggestedRows(
        tuple(names) or ("row",),
        [tuple(ids) if names else (number,) for _, number, *ids in rows],
        [said[at] for at, *_ in rows],
        [1.0 if counts is None else counts[patterns[at]] for at, *_ in rows],
    )


def _refuse_taken(names: list[str]) -> None:
    taken = [name for name in names if name.lower() in (VOTES, LABEL)]
    if taken:
        raise ParameterError(
            f"column {taken[0]!r} cannot name the rows of --suggest, as it would be there "
            "twice; name the columns that do with --id."
        )


def _votes(signals: WeakSignals, row: int) -> tuple[str, ...]:
    """What was said of a row, signal by signal."""
    said = votes_of(signals.take(slice(row, row + 1)))
    told = zip(signals.names, said, strict=True)
    return tuple(f"{name}={vote}" for name, vote in told if vote)
