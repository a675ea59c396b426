"""What ``corral inspect`` shows: votes as they were read, before anything is labelled."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

from corral._plain import as_rows
from corral.analysis import Analysis, analyse
from corral.errors import ParameterError
from corral.reports.sections import SignalPair
from corral.reports.signal_agreement import find_clashes
from corral.tables import open_files
from corral.text_table import text_table
from corral.vote_reader import VoteReader
from corral.wording import spell

MOST_LINES = 5
"""Pairs of signals, and mistakes, that are printed."""


@dataclass(frozen=True, eq=False, repr=False)
class Inspection:
    """Votes of a file, before anything is labelled; print it.

    Attributes
    ----------
    reading : str
        How the votes were read.
    n_rows, n_patterns : int
        Examples, and distinct rows of votes.
    analysis : Analysis
        What every signal does; and how well, where there are true labels.
    clashes : tuple of SignalPair
        The pairs of signals that contradict each other most often.
    """

    reading: str
    n_rows: int
    n_patterns: int
    analysis: Analysis
    clashes: tuple[SignalPair, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain values."""
        return {
            "reading": self.reading,
            "rows": self.n_rows,
            "patterns": self.n_patterns,
            **self.analysis.to_dict(),
            "clashes": as_rows(
                first=[pair.first for pair in self.clashes],
                second=[pair.second for pair in self.clashes],
                n_common=[pair.n_common for pair in self.clashes],
                n_contradicting=[pair.n_contradicting for pair in self.clashes],
            ),
        }

    def __str__(self) -> str:
        parts = [str(self.analysis)]
        if self.clashes:
            rows = [
                (
                    pair.first,
                    pair.second,
                    f"{pair.n_contradicting:,.0f}",
                    f"{pair.n_common:,.0f}",
                )
                for pair in self.clashes[:MOST_LINES]
            ]
            headings = ("contradict each other", "", "times", "of pairs of votes")
            parts.append(text_table(headings, rows, left=(0, 1)))
        else:
            parts.append("no two signals contradict each other")
        if self.analysis.buckets:
            rows = [
                (
                    each.signal,
                    str(each.vote),
                    str(each.label),
                    f"{each.n_examples:,.0f}",
                )
                for each in self.analysis.buckets[:MOST_LINES]
            ]
            headings = ("mistakes of", "said", "gold", "examples")
            parts.append(text_table(headings, rows, left=(0, 1, 2)))
        return "\n\n".join(parts)

    __repr__ = __str__


def inspect_file(
    votes: str | PathLike[str], reading: VoteReader, gold: str | None = None
) -> Inspection:
    """Look at a file of votes; `gold` names its column of true labels."""
    table, truth = open_files(votes), None
    if gold is not None and reading.separator is not None:
        raise ParameterError(
            f"{spell('y')} is for tasks in which an example has one class; compare methods "
            "on sets of classes with corral compare."
        )
    if gold is None:
        read = reading.read_table(table)
        n_rows, n_patterns = table.n_rows, table.n_patterns
        if reading.separator is not None:
            n_patterns = len(read.patterns)
    else:
        read, truth = reading.read_gold(table, gold, lambda: False)
        n_rows = len(read) if read.counts is None else round(read.counts.sum())
        n_patterns = len(read.harden().patterns)
    found = analyse(read, y=truth)
    return Inspection(read.reading, n_rows, n_patterns, found, find_clashes(read))
