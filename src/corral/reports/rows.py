"""Rows worth reading: which they are, and what a report shows of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corral._types import BoolArray, FloatArray, IntArray
from corral.reports.example_rows import ExampleRow
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.phrases import cut, say_count, say_share, say_the, say_verb
from corral.results import Part, Result, Section, Table

MAX_ROWS = 30
"""Rows per group: with those of advice, fewer than 200 in all."""
TERMINAL_ROWS = 3
"""Rows of a group that a terminal shows."""
MAX_PARTS = 8
"""Signals whose part is shown per row."""
MAX_NAME_LENGTH = 40
"""Characters of the name of a signal, or of a vote."""


@dataclass(frozen=True)
class SignalPart:
    """What a signal said of an example, and its part in the label."""

    name: str  # the signal, or what else moved the label
    vote: str  # "" for what else moved it
    share: float  # of all the pushing, above zero toward the label, below away from it


@dataclass(frozen=True)
class ReportRow:
    """An example to read."""

    name: str  # its id, or its place
    text: str | None  # cut to what is shown
    alike: float  # examples with the same votes, itself included
    label: str | None  # the likeliest class; None: no votes, or a tie
    confidence: float  # probability of the likeliest class
    gold: str | None
    parts: tuple[SignalPart, ...]  # the strongest first
    n_more: int  # parts that are not shown
    tied: bool  # whether signals vote, but several classes are equally likely


def table_of(rows: Sequence[ReportRow], caption: str) -> Table:
    """Examples to read, with what the signals said of them."""
    columns: dict[str, Any] = {
        "row": [row.name for row in rows],
        "text": [row.text for row in rows],
        "label": [row.label or ("tied" if row.tied else "no label") for row in rows],
        "confidence": [row.confidence if row.label else None for row in rows],
        "true label": [row.gold for row in rows],
        "votes": [
            "; ".join(
                [f"{part.name} {part.vote} {part.share:+.0%}" for part in row.parts]
                + [f"and {row.n_more} more"] * bool(row.n_more)
            )
            for row in rows
        ],
        "examples": [row.alike for row in rows],
    }
    for name in ("text", "true label"):
        if not any(columns[name]):
            del columns[name]
    meanings = {
        "votes": "What each signal said, and its part in the label: above zero toward it.",
        "examples": "Examples with the same votes.",
    }
    formats = {"confidence": ".2f", "examples": ",.0f"}
    return Table(columns, caption, formats, meanings, most=TERMINAL_ROWS)


@dataclass(frozen=True)
class RowGroup:
    """Examples that are worth reading for one reason."""

    kind: str  # "uncertain", "conflicting", "uncovered" or "wrong"
    title: str
    why: str
    n_examples: float  # how many there are in all
    rows: tuple[ReportRow, ...] = ()  # the first of them, each with other votes


@dataclass(frozen=True, repr=False)
class RowsSection(Result):
    """Rows worth reading."""

    verdict: str
    groups: tuple[RowGroup, ...]

    title = "Rows worth reading"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        for group in self.groups:
            shown = f"{len(group.rows)} of {group.n_examples:,.0f} examples"
            yield Section(group.title, (group.why, table_of(group.rows, shown)))


def choose_groups(votes: LabelledVotes) -> list[tuple[RowGroup, IntArray]]:
    """Which rows to read, by reason; a reason without rows is left out."""
    hard = votes.hard
    # How evenly votes are split: the share that the class with most does not have.
    most = (hard.F @ hard.schema.supports).max(axis=1)
    split = (1 - most / np.maximum(hard.votes_on, 1)) * hard.covered_rows
    split = split[hard.row_of]
    reasons: list[tuple[str, str, BoolArray, FloatArray]] = [
        (
            "uncertain",
            "Signals do not settle these: a label by hand, or one more signal, helps here.",
            votes.covered & (votes.confidence < votes.unsure_below),
            votes.confidence,
        ),
        (
            "conflicting",
            "Signals contradict each other here: see which of them is wrong, and why.",
            votes.covered & (split > 0),
            -split,
        ),
        (
            "uncovered",
            "No signal votes on these: what would a new one look for?",
            ~votes.covered,
            split,
        ),
    ]
    if votes.truth is not None:
        wrong = (votes.truth >= 0) & (votes.answers >= 0)
        wrong &= votes.answers != votes.truth
        why = (
            "The true label is another, the surest mistakes first: a signal misleads, "
        )
        why += "or the true label is wrong."
        reasons.insert(0, ("wrong", why, wrong, -votes.confidence))
    found = []
    for kind, why, among, order in reasons:
        if n := float(votes.counts @ among):
            spread = kind == "uncovered"
            rows = (
                _spread_rows(votes, among)
                if spread
                else choose_rows(votes, among, order, MAX_ROWS)
            )
            found.append((RowGroup(kind, kind.capitalize(), why, n), rows))
    return found


def choose_rows(
    votes: LabelledVotes, among: BoolArray, order: FloatArray, most: int
) -> IntArray:
    """The first rows by `order`, each with other votes; of equals the most frequent."""
    rows = np.flatnonzero(among & (votes.counts > 0))
    # Rounded: labels that are equal but for rounding are as worth reading.
    keys = -votes.alike[rows], np.round(order[rows], 9)
    rows = rows[np.lexsort(keys)]
    _, first = np.unique(votes.signals.row_of[rows], return_index=True)
    return rows[np.sort(first)[:most]]


def _spread_rows(votes: LabelledVotes, among: BoolArray) -> IntArray:
    """Rows at even steps over all examples of some rows."""
    rows = np.flatnonzero(among)
    ends = np.cumsum(votes.counts[rows])
    wanted = (np.arange(MAX_ROWS) + 0.5) / MAX_ROWS * ends[-1]
    chosen = np.searchsorted(ends, wanted, side="right")
    return rows[np.unique(chosen) if votes.signals.row_counts is None else chosen]


def show_rows(votes: LabelledVotes, lists: list[IntArray]) -> list[list[ReportRow]]:
    """Rows as they are shown, for several lists of them; examples are fetched once.

    A row of counted votes may be in a list several times, for so many examples of it.
    """
    times: Counter[int] = Counter()
    for rows in lists:
        times |= Counter(rows.tolist())
    if not times:
        return [[] for _ in lists]
    found = votes.examples.fetch(np.array(list(times)), np.array(list(times.values())))
    shown = {
        row: [_show_row(votes, row, each) for each in examples]
        for row, examples in zip(times, found, strict=True)
    }
    groups = []
    for rows in lists:
        left = {row: iter(shown[row]) for row in rows.tolist()}
        group = [next(left[row], None) for row in rows.tolist()]
        groups.append([row for row in group if row is not None])
    return groups


def _show_row(votes: LabelledVotes, row: int, example: ExampleRow) -> ReportRow:
    found = votes.labeler.explain(0, votes.signals.take([row]))
    named = (*found.signals, *found.constraints)
    said = (*found.votes, *([""] * len(found.constraints)))
    parts = [
        SignalPart(cut(name, MAX_NAME_LENGTH), cut(vote, MAX_NAME_LENGTH), share)
        for i, (name, vote, share) in enumerate(
            zip(named, said, found.shares.tolist(), strict=True)
        )
        if vote or (i >= len(found.signals) and share)
    ]
    parts.sort(key=lambda part: -abs(part.share))
    names = (*votes.class_names, None)  # -1 is none of them
    answer = int(votes.answers[row])
    return ReportRow(
        example.name,
        example.text,
        alike=float(votes.alike[row]),
        label=names[answer],
        confidence=float(votes.confidence[row]),
        gold=None if votes.truth is None else names[votes.truth[row]],
        parts=tuple(parts[:MAX_PARTS]),
        n_more=max(0, len(parts) - MAX_PARTS),
        tied=bool(votes.covered[row]) and answer < 0,
    )


def describe_rows(votes: LabelledVotes, groups: tuple[RowGroup, ...]) -> RowsSection:
    """The section of rows, once they are fetched."""
    if not groups:
        said = "No row stands out: all are covered, and no two signals contradict."
        return RowsSection(said, groups)
    sizes = ", ".join(
        f"{group.n_examples:,.0f} {group.kind} "
        + (
            f"({say_share(group.n_examples / votes.n_gold)} of "
            f"{say_the(votes.n_gold, 'example')} with a true label and a vote)"
            if group.kind == "wrong"
            else f"({say_share(group.n_examples / votes.n_examples)})"
        )
        for group in groups
    )
    first = groups[0]
    n = sum(len(group.rows) for group in groups)
    return RowsSection(
        f"Of {say_count(votes.n_examples, 'example')}, {sizes}; {say_count(n, 'row')} "
        f"below {say_verb(n, 'stands', 'stand')} for them. Begin with the {first.kind} "
        f"{say_verb(first.n_examples, 'one', 'ones')}.",
        groups,
    )
