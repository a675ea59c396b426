"""What a report holds of single rows: those worth reading, and those to work on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corral.results import Part, Result, Section, Table

ROWS_SHOWN = 3
"""Rows of a group that a terminal shows."""


@dataclass(frozen=True)
class SignalPart:
    """What a signal said of an example, and its part in the label.

    Attributes
    ----------
    name : str
        The signal, or what else moved the label.
    vote : str
        "" for what is no signal.
    share : float
        Its part in all the pushing, above zero toward the label, below away from it.
    """

    name: str
    vote: str
    share: float


@dataclass(frozen=True)
class ReportRow:
    """An example to read.

    Attributes
    ----------
    name : str
        Its id, or its place.
    text : str or None
        Cut to what is shown.
    alike : float
        Examples with the same votes, itself included.
    label : str or None
        The likeliest class; None where no signal votes, or classes are tied.
    confidence : float
        Probability of the likeliest class.
    gold : str or None
    parts : tuple of SignalPart
        The strongest first.
    n_more : int
        Parts that are not shown.
    tied : bool
        Whether signals vote, but several classes are equally likely.
    """

    name: str
    text: str | None
    alike: float
    label: str | None
    confidence: float
    gold: str | None
    parts: tuple[SignalPart, ...]
    n_more: int
    tied: bool = False


def table_of(rows: Sequence[ReportRow], caption: str) -> Table:
    """Examples to read, with what the signals said of them."""
    columns: dict[str, Any] = {"row": [row.name for row in rows]}
    if any(row.text is not None for row in rows):
        columns["text"] = [row.text for row in rows]
    none = {True: "tied", False: "no label"}
    columns["label"] = [row.label or none[row.tied] for row in rows]
    columns["confidence"] = [row.confidence if row.label else None for row in rows]
    if any(row.gold is not None for row in rows):
        columns["true label"] = [row.gold for row in rows]
    columns["votes"] = [
        "; ".join(
            [f"{part.name} {part.vote} {part.share:+.0%}" for part in row.parts]
            + [f"and {row.n_more} more"] * bool(row.n_more)
        )
        for row in rows
    ]
    columns["examples"] = [row.alike for row in rows]
    formats = {"confidence": ".2f", "examples": ",.0f"}
    meanings = {
        "votes": "What each signal said, and its part in the label: above zero toward it.",
        "examples": "Examples with the same votes.",
    }
    return Table(columns, caption, formats, meanings, most=ROWS_SHOWN)


@dataclass(frozen=True)
class RowGroup:
    """Examples that are worth reading for one reason.

    Attributes
    ----------
    kind : "uncertain", "conflicting", "uncovered" or "wrong"
    title, why : str
    n_examples : float
        How many there are in all.
    rows : tuple of ReportRow
        The first of them, each with other votes.
    """

    kind: str
    title: str
    why: str
    n_examples: float
    rows: tuple[ReportRow, ...]


@dataclass(frozen=True, repr=False)
class RowsSection(Result):
    """Rows worth reading."""

    verdict: str
    groups: tuple[RowGroup, ...]

    @property
    def title(self) -> str:
        return "Rows worth reading"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        for group in self.groups:
            shown = f"{len(group.rows)} of {group.n_examples:,.0f} examples"
            yield Section(group.title, (group.why, table_of(group.rows, shown)))


@dataclass(frozen=True)
class Advice:
    """One thing to do.

    Attributes
    ----------
    action : "fix", "check", "drop", "write" or "label"
    sentence : str
        What, and why.
    rows : tuple of ReportRow
        To do it with.
    """

    action: str
    sentence: str
    rows: tuple[ReportRow, ...] = ()


@dataclass(frozen=True, repr=False)
class AdviceSection(Result):
    """What to do next, the most useful first."""

    verdict: str
    items: tuple[Advice, ...]
    skipped: tuple[str, ...]

    @property
    def title(self) -> str:
        return "What to do next"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        for at, item in enumerate(self.items):
            yield f"{at + 1}. {item.sentence}"
            if item.rows:
                yield table_of(item.rows, "Rows to do it with")
        yield from self.skipped
