"""What to do next, with the rows to do it with."""

from __future__ import annotations

import numpy as np

from corral._types import BoolArray, IntArray
from corral.errors import CorralError
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.phrases import say_count, say_share, say_verb
from corral.reports.row_choice import choose_rows
from corral.reports.row_sections import AdviceSection, ReportRow
from corral.reports.signal_advice import MOST_ROWS, AdviceChoice, advise_on_signals
from corral.study import Analysis, SignalValues, suggest_labels, value_of_signal
from corral.study.signal_values import LITTLE

MOST_CELLS = 100_000_000
"""Patterns times signals times classes up to which each signal is left out in turn."""
MOST_REFIT_CELLS = 40_000_000
"""The same times signals up to which a labeler is fitted again for that."""
MOST_DESIGN_CELLS = 40_000_000
"""Patterns times signals times classes up to which rows are chosen for their worth."""


def find_values(votes: LabelledVotes, skipped: list[str]) -> SignalValues | None:
    """What every signal adds, unless that is too dear; `skipped` gets the reason."""
    m, p = votes.signals.n_signals, votes.n_patterns
    if votes.n_cells > MOST_CELLS:
        skipped.append(
            f"What signals add was not computed: {p:,} distinct rows of votes of "
            f"{say_count(m, 'signal')} for "
            f"{say_count(votes.signals.n_classes, 'class', 'classes')} would take minutes; "
            "corral.value_of_signal does it."
        )
        return None
    refit = None if m * votes.n_cells <= MOST_REFIT_CELLS else False
    try:
        return value_of_signal(votes.labeler, votes.signals, refit=refit)
    except CorralError as error:
        skipped.append(f"What signals add was not computed: {error}")
        return None


def choose_advice(
    votes: LabelledVotes,
    analysis: Analysis,
    values: SignalValues | None,
    seed: int,
    skipped: list[str],
) -> list[AdviceChoice]:
    """What to do next, the most useful first."""
    items: list[AdviceChoice] = []
    if values is not None:
        items += advise_on_signals(votes, analysis, values)
    items += _advise_on_gaps(votes, values)
    items += _advise_on_labels(votes, seed, skipped)
    return items


def _advise_on_gaps(
    votes: LabelledVotes, values: SignalValues | None
) -> list[AdviceChoice]:
    items = []
    total = votes.counts.sum()
    uncovered = float(total - votes.covered_counts.sum())
    if uncovered / total >= LITTLE:
        items.append(
            AdviceChoice(
                "write",
                "Write a signal for what no signal votes on",
                f"Write a signal for what no signal votes on: "
                f"{say_count(uncovered, 'example')} ({say_share(uncovered / float(total))})"
                f" {say_verb(uncovered, 'gets', 'get')} no label. The group of uncovered "
                "rows below shows some.",
                np.array([], int),
            )
        )
    if values is not None and len(values.doubtful) and values.mistakes[0] >= LITTLE:
        many = values.mistakes[:MOST_ROWS]
        items.append(
            AdviceChoice(
                "write",
                "Write a signal for doubtful votes",
                "Write a signal that tells apart examples with the votes of these rows: "
                f"{say_share(float(many.sum()))} of all examples have such votes and are "
                "expected to be labelled wrong.",
                values.doubtful[: len(many)],
            )
        )
    return items


def _advise_on_labels(
    votes: LabelledVotes, seed: int, skipped: list[str]
) -> list[AdviceChoice]:
    chosen: IntArray = np.array([], int)
    unlabelled: BoolArray = votes.covered & (votes.counts > 0)
    known: IntArray = np.array([], int)
    if votes.truth is not None:
        known = np.flatnonzero(votes.truth >= 0)
        unlabelled = unlabelled & (votes.truth < 0)
    most = int(min(MOST_ROWS, votes.counts[unlabelled].sum()))
    if not most:
        return []
    if votes.n_cells > MOST_DESIGN_CELLS:
        chosen = choose_rows(votes, unlabelled, votes.confidence, most)
        skipped.append(
            "Rows to label are the least certain ones; to choose them for what they tell "
            "of others, use corral.suggest_labels."
        )
    else:
        chosen = _suggest(votes, known, most, seed)
    them = say_verb(len(chosen), "this row", "these")
    it = say_verb(len(chosen), "it", "them")
    return [
        AdviceChoice(
            "label",
            f"Label {say_count(len(chosen), 'row')} by hand",
            f"Label {them} by hand and give {it} to corral.FromLabels: "
            f"{say_verb(len(chosen), 'it tells', 'they tell')} most about the other "
            "examples. To measure accuracy, label random examples instead.",
            chosen,
        )
    ]


def _suggest(votes: LabelledVotes, known: IntArray, most: int, seed: int) -> IntArray:
    """Rows to label; those with a true label are known."""
    if votes.signals.counts is not None:
        # Rows of counted votes are split by true label; any of them may be asked for.
        known = np.array([], int)
    return suggest_labels(
        votes.labeler, votes.signals, most, known=known, random_state=seed
    )


def describe_advice(
    choices: list[AdviceChoice], shown: list[list[ReportRow]], skipped: list[str]
) -> AdviceSection:
    """The section of advice, once its rows are fetched."""
    items = tuple(
        choice.show(rows) for choice, rows in zip(choices, shown, strict=True)
    )
    if not items:
        verdict = (
            "Nothing stands out: every signal adds something, and all are covered."
        )
    else:
        verdict = f"{choices[0].short} first" if items[1:] else choices[0].short
        verdict += (
            "".join(f", then {_lower(each.short)}" for each in choices[1:3]) + "."
        )
    return AdviceSection(verdict, items, tuple(skipped))


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]
