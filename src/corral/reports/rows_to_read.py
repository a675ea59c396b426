"""Rows worth reading: uncertain, conflicting, uncovered and wrong ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import BoolArray, FloatArray, IntArray
from corral.error_rates.vote_features import vote_features
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.phrases import say_count, say_share, say_the, say_verb
from corral.reports.row_choice import choose_rows
from corral.reports.row_sections import ReportRow, RowGroup, RowsSection

MOST_ROWS = 30
"""Rows per group: with those of advice, fewer than 200 in all."""


@dataclass(frozen=True, eq=False)
class RowChoice:
    """A group of rows before they are fetched."""

    kind: str
    title: str
    why: str
    n_examples: float
    rows: IntArray

    def show(self, rows: list[ReportRow]) -> RowGroup:
        """The group with its rows."""
        return RowGroup(self.kind, self.title, self.why, self.n_examples, tuple(rows))


def choose_groups(votes: LabelledVotes, most: int = MOST_ROWS) -> list[RowChoice]:
    """Which rows to read, by reason; a reason without rows is left out."""
    unsure = votes.covered & (votes.confidence < votes.unsure_below)
    split = _share_of_minority(votes)
    reasons: list[tuple[str, str, str, BoolArray, FloatArray]] = [
        (
            "uncertain",
            "Uncertain",
            "Signals do not settle these: a label by hand, or one more signal, helps here.",
            unsure,
            votes.confidence,
        ),
        (
            "conflicting",
            "Conflicting",
            "Signals contradict each other here: see which of them is wrong, and why.",
            votes.covered & (split > 0),
            -split,
        ),
        (
            "uncovered",
            "Uncovered",
            "No signal votes on these: what would a new one look for?",
            ~votes.covered,
            np.zeros(len(split)),
        ),
    ]
    if votes.truth is not None:
        wrong = (
            (votes.truth >= 0) & (votes.answers >= 0) & (votes.answers != votes.truth)
        )
        reasons.insert(
            0,
            (
                "wrong",
                "Wrong",
                "The true label is another, the surest mistakes first: a signal misleads, "
                "or the true label is wrong.",
                wrong,
                -votes.confidence,
            ),
        )
    return [
        RowChoice(
            kind,
            title,
            why,
            float(votes.counts @ among),
            _spread(votes, among, order, most, single=kind == "uncovered"),
        )
        for kind, title, why, among, order in reasons
        if (votes.counts @ among) > 0
    ]


def _spread(
    votes: LabelledVotes,
    among: BoolArray,
    order: FloatArray,
    most: int,
    *,
    single: bool,
) -> IntArray:
    """Rows with different votes; those without any spread over all of them."""
    if not single:
        return choose_rows(votes, among, order, most)
    rows = np.flatnonzero(among)
    ends = np.cumsum(votes.counts[rows])
    wanted = (np.arange(most) + 0.5) / most * ends[-1]
    chosen = np.searchsorted(ends, wanted, side="right")
    if votes.signals.counts is None:
        chosen = np.unique(chosen)
    return rows[chosen]


def _share_of_minority(votes: LabelledVotes) -> FloatArray:
    """(n,) how evenly votes are split: the share that the class with most does not have."""
    hard = votes.signals.harden()
    features = vote_features(hard)
    claims = features.matrix @ (features.member > 0).astype(float)
    number = np.asarray(features.matrix.sum(axis=1)).ravel()
    split = 1 - claims.max(axis=1) / np.maximum(number, 1)
    patterns = hard.patterns
    voted = np.zeros(len(patterns), bool)
    voted[patterns.inverse] = hard.covered
    voted &= patterns.counts > 0
    by_pattern = np.zeros(len(patterns))
    by_pattern[voted] = split
    found: FloatArray = by_pattern[patterns.inverse]
    return found


def describe_rows(
    votes: LabelledVotes, choices: list[RowChoice], shown: list[list[ReportRow]]
) -> RowsSection:
    """The section of rows, once they are fetched."""
    groups = tuple(
        choice.show(rows) for choice, rows in zip(choices, shown, strict=True)
    )
    return RowsSection(_verdict(votes, groups), groups)


def _verdict(votes: LabelledVotes, groups: tuple[RowGroup, ...]) -> str:
    sizes = {group.kind: group.n_examples for group in groups}
    total = float(votes.counts.sum())
    if not groups:
        return "No row stands out: all are covered, and no two signals contradict."
    known = float(votes.known_counts.sum())
    said = ", ".join(
        f"{size:,.0f} {kind} ({say_share(size / known)} of {say_the(known, 'example')} "
        "with a true label and a vote)"
        if kind == "wrong"
        else f"{size:,.0f} {kind} ({say_share(size / total)})"
        for kind, size in sizes.items()
    )
    first = groups[0]
    n = sum(len(group.rows) for group in groups)
    return (
        f"Of {say_count(total, 'example')}, {said}; {say_count(n, 'row')} below "
        f"{say_verb(n, 'stands', 'stand')} for them. Begin with the {first.kind} "
        f"{say_verb(first.n_examples, 'one', 'ones')}."
    )
