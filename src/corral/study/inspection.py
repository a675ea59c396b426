"""What `corral inspect` shows: signals, agreement and advice, and rows to label by hand."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corral.results import Part, Result, Section, Table, join_names
from corral.storage import atomic_write
from corral.study.analysis import Analysis
from corral.study.rate_changes import Sensitivity
from corral.study.rater_agreement import RaterAgreement
from corral.study.repeated_signals import Redundancy
from corral.study.signal_values import SignalValues

VOTES, LABEL = "votes", "label"
"""Columns of the file beside those that name a row; the second is empty."""
ROOM = 70
"""Characters of a line for what signals say."""


@dataclass(frozen=True, eq=False, repr=False)
class SuggestedRows(Result):
    """Rows to label by hand."""

    names: tuple[str, ...]  # columns that name a row: the ids, or "row", its number
    ids: list[tuple[Any, ...]]  # what these are
    votes: list[tuple[str, ...]]  # what signals say of it, as in "spam_words=spam"
    alike: list[float]  # how many rows have these votes

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
            table = csv.writer(
                file, delimiter="," if path.suffix.lower() == ".csv" else "\t"
            )
            table.writerow((*self.names, VOTES, LABEL))
            for ids, said in zip(self.ids, self.votes, strict=True):
                table.writerow((*ids, "; ".join(said), None))


@dataclass(frozen=True, eq=False, repr=False)
class Inspection(Result):
    """Votes of a file: what signals do, how far they agree, what to do next; print it.

    Attributes
    ----------
    reading : str
        How the votes were read.
    n_rows, n_patterns : int
        Examples, and distinct rows of votes.
    analysis : Analysis or None
        What every signal does; and how well, where there are true labels.
    agreement : RaterAgreement or None
    sensitivity, redundancy, values : results of `corral.sensitivity` and so on, or None
        What to do next about signals.
    suggested : SuggestedRows or None
        Which rows to label by hand.
    skipped : tuple of str
        What was left out, and why.
    """

    reading: str
    n_rows: int
    n_patterns: int
    analysis: Analysis | None = None
    agreement: RaterAgreement | None = None
    sensitivity: Sensitivity | None = None
    redundancy: Redundancy | None = None
    values: SignalValues | None = None
    suggested: SuggestedRows | None = None
    skipped: tuple[str, ...] = ()

    title = "Signals"

    def parts(self) -> Iterator[Part]:
        for each in (
            *(self.analysis, self.agreement, self.values, self.redundancy),
            *(self.sensitivity, self.suggested),
        ):
            if each is not None:
                yield Section(each.title, tuple(each.parts()))
        yield from self.skipped
