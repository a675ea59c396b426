"""Which signals to fix, to check and to drop."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from corral._types import FloatArray, IntArray
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.phrases import say_count, say_names, say_share
from corral.reports.row_choice import choose_rows
from corral.reports.row_sections import Advice, ReportRow
from corral.reports.signal_lines import BAD, ENOUGH
from corral.study import Analysis, SignalValues

MOST_ROWS = 8
"""Rows per advice."""
SHOWN = 5
"""Signals that are named in an advice."""


@dataclass(frozen=True, eq=False)
class AdviceChoice:
    """An advice before its rows are fetched; `short` is what to do in a few words."""

    action: str
    short: str
    sentence: str
    rows: IntArray

    def show(self, rows: list[ReportRow]) -> Advice:
        """The advice with its rows."""
        return Advice(self.action, self.sentence, tuple(rows))


def advise_on_signals(
    votes: LabelledVotes, analysis: Analysis, values: SignalValues
) -> list[AdviceChoice]:
    """Which signal to fix, which to check and which to drop."""
    items = []
    errors, seen = _find_true_errors(analysis)
    known = ~np.isnan(errors)
    # True labels know better than the labels how often a signal errs.
    values = replace(
        values,
        errors=np.where(known, errors, values.errors),
        assumed=values.assumed & ~known,
    )
    if (worst := _find_worst(votes, values)) is not None:
        short = f"Fix {say_names([values.names[worst]])}"
        rows = _find_mistakes(votes, worst)
        of = (
            f"its {say_count(seen[worst], 'vote')} with a true label"
            if known[worst]
            else "its votes if the labels are right"
        )
        items.append(
            AdviceChoice(
                "fix",
                short,
                f"{short}: it is wrong on {say_share(float(values.errors[worst]))} of "
                f"{of}, or about {say_share(float(values.wrong[worst]))} of all examples."
                + (" These are its likeliest mistakes." if len(rows) else ""),
                rows,
            )
        )
    if (doubted := values.to_check) is not None:
        short = f"Check {say_names([values.names[doubted]])}"
        rows = _find_mistakes(votes, doubted)
        items.append(
            AdviceChoice(
                "check",
                short,
                f"{short}: other signals contradict it on "
                f"{say_share(float(values.conflicts[doubted]))} of all examples, and the "
                "votes do not tell who is right."
                + (" Read a few: here it was outvoted." if len(rows) else ""),
                rows,
            )
        )
    if (dropped := _advise_to_drop(votes, values, errors)) is not None:
        items.append(AdviceChoice("drop", *dropped, np.array([], int)))
    return items


def _find_worst(votes: LabelledVotes, values: SignalValues) -> int | None:
    """The signal to fix: as in the table of signals, first one that tells little."""
    limit = BAD * (1 - 1 / votes.signals.n_classes)
    few = values.coverage * votes.counts.sum() < ENOUGH
    bad = replace(
        values, errors=np.where(few | ~(values.errors > limit), 0, values.errors)
    )
    return values.to_fix if bad.to_fix is None else bad.to_fix


def _find_true_errors(analysis: Analysis) -> tuple[FloatArray, FloatArray]:
    """(m,) errors by true labels, NaN where these are too few, and (m,) votes judged."""
    m = len(analysis.names)
    if analysis.gold is None:
        return np.full(m, np.nan), np.zeros(m)
    seen = analysis.gold.correct + analysis.gold.incorrect
    return np.where(seen >= ENOUGH, analysis.gold.error_rates, np.nan), seen


def _advise_to_drop(
    votes: LabelledVotes, values: SignalValues, errors: FloatArray
) -> tuple[str, str] | None:
    """In a few words, and why; each of the signals can be missed.

    `errors` are by true labels, NaN where these do not tell. A signal that is right more
    often than the labels should count more, not less.
    """
    droppable = values.droppable & (values.coverage > 0)
    if votes.known_counts.any():
        right = votes.known_counts @ votes.score(votes.labels)
        labels_error = 1 - right / votes.known_counts.sum()
        droppable &= ~(errors < labels_error)
    if not droppable.any():
        return None
    bad = droppable & (errors > BAD * (1 - 1 / votes.signals.n_classes))
    if bad.any():
        worst = int(np.where(bad, errors, -1).argmax())
        short = f"Drop {say_names([values.names[worst]])}"
        return short, (
            f"{short}: true labels find it wrong on {say_share(float(errors[worst]))} of "
            "its votes, and without it hardly a label changes."
        )
    names = [values.names[i] for i in np.flatnonzero(droppable)]
    if len(names) == 1:
        short = f"Drop {say_names(names)}"
        return short, f"{short}: without it hardly a label changes."
    if len(names) <= SHOWN:
        short = f"Drop one of {say_names(names, SHOWN)}"
        return short, (
            f"{short} and look again: without it hardly a label changes. Of two copies "
            "each can go, but not both."
        )
    return "Do with fewer signals", (
        f"Do with fewer signals: without any one of {len(names):,} hardly a label changes. "
        "Drop some, first those that repeat others, and look again."
    )


def _find_mistakes(votes: LabelledVotes, signal: int) -> IntArray:
    """Rows on which a signal is likeliest to be wrong."""
    hard = votes.signals.harden()
    row, column, vote = hard.cells()
    mine = hard.vote_columns[column, 0] == signal
    row, column, vote = row[mine], column[mine], vote[mine]
    about = hard.vote_columns[column, 1]
    says = np.where(about < 0, vote, about)
    p = votes.labels[row, says]
    if votes.truth is not None:
        truth = votes.truth[row]
        p = np.where(truth < 0, p, truth == says)
    right = np.where((about >= 0) & (vote == 0), 1 - p, p)
    doubt = np.ones(len(votes.signals))
    np.minimum.at(doubt, row, right)
    return choose_rows(votes, doubt < 0.5, doubt, MOST_ROWS)
