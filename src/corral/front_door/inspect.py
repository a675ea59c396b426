"""What ``corral inspect`` shows: votes as they were read, before anything is labelled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike

from corral.errors import ParameterError
from corral.reports.signals import SignalPair, find_clashes
from corral.results import Part, Result, Table
from corral.study import Analysis, analyse
from corral.tables import VoteFiles
from corral.vote_reader import VoteReader


@dataclass(frozen=True, eq=False, repr=False)
class Inspection(Result):
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

    @property
    def title(self) -> str:
        return "Votes before anything is labelled"

    def parts(self) -> Iterator[Part]:
        yield from self.analysis.parts()
        if not self.clashes:
            yield "no two signals contradict each other"
            return
        yield Table(
            {
                "signal": [pair.first for pair in self.clashes],
                "and": [pair.second for pair in self.clashes],
                "times": [round(pair.n_contradicting) for pair in self.clashes],
                "pairs of votes": [round(pair.n_common) for pair in self.clashes],
            },
            "Signals that contradict each other",
            most=5,
        )


def inspect_file(
    votes: str | PathLike[str], reading: VoteReader, gold: str | None = None
) -> Inspection:
    """Look at a file of votes; `gold` names its column of true labels."""
    table, truth = VoteFiles(votes), None
    if gold is not None and reading.separator is not None:
        raise ParameterError(
            "`y=` is for tasks in which an example has one class; compare methods "
            "on sets of classes with corral compare."
        )
    if gold is None:
        read = reading.read_table(table)
        n_rows, n_patterns = table.n_rows, table.n_patterns
        if reading.separator is not None:
            n_patterns = len(read.patterns)
    else:
        read, truth = reading.read_gold(table, gold)
        n_rows = len(read) if read.counts is None else round(read.counts.sum())
        n_patterns = len(read.harden().patterns)
    found = analyse(read, y=truth)
    return Inspection(read.reading, n_rows, n_patterns, found, find_clashes(read))
