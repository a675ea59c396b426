"""Labelled votes, and rows of them worth reading: which, their names, what signals said.

A row without a name is called by its position from 0 in memory, as ``labeler.explain``
takes it, and by its number from 1 in a file, as ``corral explain`` does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from corral._types import BoolArray, FloatArray, IntArray
from corral.decisions import is_winner, winner_shares
from corral.io.files import DuckTable
from corral.io.reader import Votes
from corral.labelers import Labeler, MajorityVote
from corral.results import Table, shorten
from corral.study import fetch_rows
from corral.votes import WeakSignals
from corral.votes.coding import is_missing

MAX_ROWS = 12
"""Rows per group."""
MAX_PARTS = 8
"""Signals whose part is shown per row."""
MAX_TEXT_LENGTH, MAX_ROW_NAME_LENGTH, MAX_NAME_LENGTH = 300, 60, 40
"""Characters of a text, of the name of a row, and of the name of a signal or a vote."""


@dataclass(frozen=True, eq=False)
class LabelledVotes:
    """Votes with their labels; a row is an example, or so many as its count says."""

    labeler: Labeler  # fitted
    signals: WeakSignals
    labels: FloatArray  # (n, k)
    covered: BoolArray  # (n,)
    truth: IntArray  # (n,) positions of true classes, -1 where unknown
    warnings: tuple[str, ...] = ()  # of the fit

    @property
    def class_names(self) -> tuple[str, ...]:
        return tuple(map(str, self.signals.classes.tolist()))

    @property
    def counts(self) -> FloatArray:
        """(n,) examples per row."""
        return self.signals.row_weights

    @cached_property
    def covered_counts(self) -> FloatArray:
        """(n,) the same, zero where no signal votes."""
        return np.where(self.covered, self.counts, 0.0)

    @cached_property
    def known_counts(self) -> FloatArray:
        """(n,) the same, zero where no signal votes or the true class is unknown."""
        return np.where(self.truth >= 0, self.covered_counts, 0.0)

    @property
    def n_examples(self) -> float:
        return float(self.counts.sum())

    @property
    def n_covered(self) -> float:
        return float(self.covered_counts.sum())

    @property
    def n_gold(self) -> float:
        """Covered examples with a true label."""
        return float(self.known_counts.sum())

    @cached_property
    def vote_labels(self) -> FloatArray:
        """(n, k) labels of a majority vote."""
        return MajorityVote().fit(self.signals).labels_

    @cached_property
    def answers(self) -> IntArray:
        """(n,) the likeliest class; -1 where no signal votes or classes are tied."""
        clear = self.covered & (is_winner(self.labels).sum(axis=1) == 1)
        return np.where(clear, self.labels.argmax(axis=1), -1)

    @cached_property
    def confidence(self) -> FloatArray:
        """(n,) probability of the likeliest class."""
        return np.max(self.labels, axis=1)

    @cached_property
    def hard(self) -> WeakSignals:
        """The signals; probabilities count as votes for the likeliest class."""
        return self.signals.harden()

    @property
    def alike(self) -> FloatArray:
        """(n,) examples with the votes of a row."""
        return self.signals.counts[self.signals.row_of]

    def score(self, labels: FloatArray) -> FloatArray:
        """(n,) how far labels (n, k) are right, ties in parts; 0 where unknown."""
        right = winner_shares(labels)[np.arange(len(labels)), self.truth]
        return np.where(self.truth >= 0, right, 0.0)

    def changed(self, labels: FloatArray) -> float:
        """Share of the covered examples that others label otherwise, or leave tied."""
        changed = (is_winner(labels) != is_winner(self.labels)).any(axis=1)
        return float(self.covered_counts @ changed / self.n_covered)


def _text(value: Any) -> str | None:
    # NumPy has missing values of its own, which equal nothing.
    own = isinstance(value, np.generic) and bool(value != value)
    if own or is_missing(value):
        return None
    text = str(value)
    long = len(text) > MAX_TEXT_LENGTH
    return f"{text[: MAX_TEXT_LENGTH - 1].rstrip()}…" if long else text


@dataclass(frozen=True)
class SignalPart:
    """What a signal said of an example, and its part in the label."""

    name: str
    vote: str
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


@dataclass(frozen=True)
class RowGroup:
    """Examples that are worth reading for one reason."""

    kind: str  # "uncertain", "conflicting", "uncovered" or "wrong"
    why: str
    n_examples: float  # how many there are in all
    rows: tuple[ReportRow, ...] = ()  # the first of them, each with other votes


def table_of(rows: Sequence[ReportRow], caption: str = "") -> Table:
    """Examples to read; each opens, and shows what the signals said of it."""
    texts, golds = [row.text for row in rows], [row.gold for row in rows]
    columns: dict[str, Any] = {
        "row": [row.name for row in rows],
        "text": texts if any(texts) else None,
        "label": [row.label or ("tied" if row.tied else "no label") for row in rows],
        "confidence": [row.confidence if row.label else None for row in rows],
        "true label": golds if any(golds) else None,
        "votes": [
            "; ".join(
                [f"{part.name} {part.vote} {part.share:+.0%}" for part in row.parts]
                + [f"and {row.n_more} more"] * bool(row.n_more)
            )
            or "no signal votes"
            for row in rows
        ],
        "examples": [row.alike for row in rows],
    }
    return Table(
        columns,
        caption,
        {"confidence": ".2f", "examples": ",.0f"},
        opens=("votes", "examples"),
    )


def choose_groups(votes: LabelledVotes) -> list[tuple[RowGroup, IntArray]]:
    """Which rows to read, by reason; a reason without rows is left out."""
    hard = votes.hard
    # How evenly votes are split: the share that the class with most does not have.
    most = (hard.F @ hard.schema.supports).max(axis=1)
    split = (1 - most / np.maximum(hard.votes_on, 1)) * hard.covered_rows
    split = split[hard.row_of]
    # A quarter of the way from a guess to certainty.
    unsure = 0.25 + 0.75 / votes.signals.n_classes
    wrong = (votes.truth >= 0) & (votes.answers >= 0) & (votes.answers != votes.truth)
    reasons: list[tuple[str, str, BoolArray, FloatArray]] = [
        (
            "wrong",
            "The true label is another class: a signal misleads, or the true label is "
            "wrong. The most confident mistakes come first.",
            wrong,
            -votes.confidence,
        ),
        (
            "uncertain",
            "The votes do not settle these rows: label them by hand, or write one more "
            "signal.",
            votes.covered & (votes.confidence < unsure),
            votes.confidence,
        ),
        (
            "conflicting",
            "Signals contradict each other on these rows: see which is wrong, and why.",
            votes.covered & (split > 0),
            -split,
        ),
        (
            "uncovered",
            "No signal votes on these rows: see what a new signal could look for.",
            ~votes.covered,
            split,
        ),
    ]
    found = []
    for kind, why, among, order in reasons:
        if n := float(votes.counts @ among):
            if kind == "uncovered":  # all have the same votes
                rows = _spread_rows(votes, among)
            else:
                rows = choose_rows(votes, among, order, MAX_ROWS)
            found.append((RowGroup(kind, why, n), rows))
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
    n = min(MAX_ROWS, int(ends[-1]))
    wanted = (np.arange(n) + 0.5) / n * ends[-1]
    return rows[np.searchsorted(ends, wanted, side="right")]


def show_rows(
    votes: LabelledVotes, found: Votes, lists: list[IntArray]
) -> list[tuple[ReportRow, ...]]:
    """Rows as they are shown, for several lists of them; examples are fetched once.

    A row of counted votes may be in a list several times, for so many examples of it.
    """
    times: Counter[int] = Counter()
    for rows in lists:
        times |= Counter(rows.tolist())
    shown: dict[int, list[ReportRow]] = {row: [] for row in times}
    in_memory = found.table is None or found.task is not None
    if not in_memory and not isinstance(found.table, DuckTable):  # a lazy frame
        for row in times:
            shown[row].append(_show_row(votes, row, f"votes {row:,}", None))
    elif times:
        wanted, often = np.array([*times]), np.array([*times.values()])
        at, numbers, cells, texts = fetch_rows(found, wanted, often)
        for i, (each, number) in enumerate(zip(at, numbers, strict=True)):
            row = int(wanted[each])
            place = f"row {number - 1 if in_memory else number}"
            name = " · ".join(_text(column[i]) or "" for column in cells)
            name = shorten(name, MAX_ROW_NAME_LENGTH) or place
            text = None if texts is None else _text(texts[i])
            shown[row].append(_show_row(votes, row, name, text))
    groups = []
    for rows in lists:
        often_here = Counter(rows.tolist())
        groups.append(tuple(r for row, n in often_here.items() for r in shown[row][:n]))
    return groups


def _show_row(votes: LabelledVotes, row: int, name: str, text: str | None) -> ReportRow:
    found = votes.labeler.explain(0, votes.signals.take([row]))
    said = zip(found.signals, found.votes, found.shares.tolist(), strict=False)
    parts = [
        SignalPart(
            shorten(signal, MAX_NAME_LENGTH), shorten(vote, MAX_NAME_LENGTH), share
        )
        for signal, vote, share in said
        if vote
    ]
    parts.sort(key=lambda part: -abs(part.share))
    names = (*votes.class_names, None)  # -1 is none of them
    answer = int(votes.answers[row])
    return ReportRow(
        name,
        text,
        alike=float(votes.alike[row]),
        label=names[answer],
        confidence=float(votes.confidence[row]),
        gold=names[votes.truth[row]],
        parts=tuple(parts[:MAX_PARTS]),
        n_more=max(0, len(parts) - MAX_PARTS),
        tied=bool(votes.covered[row]) and answer < 0,
    )
