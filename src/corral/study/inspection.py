"""Rows to label by hand, and what `corral inspect` shows beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corral._types import IntArray
from corral.errors import ParameterError
from corral.io.files import DuckTable
from corral.io.reader import Votes
from corral.labelers.labelled import SCREEN_SIGNALS, LabelAccuracy
from corral.results import Part, Result, Section, Table
from corral.results.text import say_count
from corral.study.analysis import Analysis
from corral.study.rater_agreement import RaterAgreement
from corral.study.repeated_signals import Redundancy
from corral.study.signal_values import SignalValues


def fetch_rows(
    found: Votes, rows: IntArray, times: IntArray
) -> tuple[list[int], list[int], list[list[Any]], list[Any] | None]:
    """Which of the rows, their numbers from 1, cells that name them, and texts.

    Of rows that stay in an engine, those with the same votes are one of `rows`, and as
    many are fetched as `times` says.
    """
    table, index = found.table, found.signals.index
    if table is None or found.task is not None:
        columns = found.values.get("names") or (() if index is None else (index,))
        cells = [[column[row] for row in rows] for column in columns]
        if (texts := found.values.get("text")) is not None:
            texts = [texts[row] for row in rows]
        return [*range(len(rows))], [row + 1 for row in rows.tolist()], cells, texts
    if not isinstance(table, DuckTable):
        raise ParameterError(
            "the rows of a lazy frame have no numbers; collect it, or give a file."
        )
    columns = [*found.ids, *([] if found.text is None else [found.text])]
    fetched = zip(*table.rows_with(rows, times, columns), strict=True)
    at, numbers, *cells = map(list, fetched)
    return at, numbers, cells, None if found.text is None else cells.pop()


@dataclass(frozen=True, eq=False, repr=False)
class SuggestedRows(Result):
    """Rows to label by hand: a form whose column ``label`` has gaps."""

    rows: dict[str, list[str]]
    """By column: what names a row (an id, or "row"), texts, and labels that are known."""

    title = "Rows to label by hand"

    def parts(self) -> Iterator[Part]:
        yield Table(self.rows)


@dataclass(frozen=True, eq=False, repr=False)
class Inspection(Result):
    """Votes: what signals do, how far they agree, what to do next; print it."""

    reading: str  # how the votes were read
    n_rows: int  # examples
    n_patterns: int  # distinct rows of votes
    accuracy: LabelAccuracy | None = None  # of the labels that corral would give
    analysis: Analysis | None = None
    agreement: RaterAgreement | None = None
    redundancy: Redundancy | None = None
    values: SignalValues | None = None
    skipped: tuple[str, ...] = ()  # what was left out, and why

    title = "Signals"

    def parts(self) -> Iterator[Part]:
        if self.accuracy is not None:
            yield str(self.accuracy)
        found = self.analysis
        if found is not None:
            covered = f"{found.n_covered / found.n_examples:.1%} with a vote"
            yield (
                f"{say_count(self.n_rows, 'row')}, {covered}; "
                f"{say_count(len(found.names), 'signal')}, worth {found.share.sum():.1f} "
                "independent ones."
            )
            yield found.worst_first(most=SCREEN_SIGNALS)
            if self.values is not None:
                yield from self.values.sentences()
        above: tuple[str, ...] = ()
        if found is not None and self.values is not None:
            above = tuple(self.values.sentences())
        for each in (found, self.agreement, self.values, self.redundancy):
            if each is not None:
                parts = tuple(part for part in each.parts() if part not in above)
                yield Section(each.title, parts, brief=found is not None)
        yield from self.skipped
