"""What to do next, the most useful first, and the rows to do it with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from corral._types import FloatArray, IntArray
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.rows import ReportRow, choose_rows
from corral.reports.verdicts import (
    BAD_ERROR,
    MIN_VOTES,
    say_count,
    say_names,
    say_share,
    say_verb,
)
from corral.study import Analysis, SignalValues, suggest_labels
from corral.study.signal_values import MIN_SHARE

MAX_ADVICE_ROWS = 8
"""Rows per advice."""
MAX_DROPPED_NAMES = 5
"""Signals that are named in an advice."""


@dataclass(frozen=True)
class Advice:
    """One thing to do."""

    action: str  # "fix", "check", "drop", "write" or "label"
    short: str = field(repr=False)  # what, in a few words
    sentence: str  # what, and why
    rows: tuple[ReportRow, ...] = ()  # to do it with


Choice = tuple[str, str, str, IntArray]
"""Action, what to do in a few words, why, and positions of the rows to do it with."""
NO_ROWS: IntArray = np.array([], int)


def choose_advice(
    votes: LabelledVotes,
    analysis: Analysis,
    values: SignalValues | None,
    seed: int,
) -> list[tuple[Advice, IntArray]]:
    """What to do next, and positions of the rows to do it with."""
    items: list[Choice] = []
    if values is not None:
        items += _advise_on_signals(votes, analysis, values)
    uncovered = votes.n_examples - votes.n_covered
    if uncovered / votes.n_examples >= MIN_SHARE:
        why = (
            f"{say_count(uncovered, 'example')} "
            f"({say_share(uncovered / votes.n_examples)}) "
            f"{say_verb(uncovered, 'gets', 'get')} no label. The group of uncovered rows "
            "below shows some."
        )
        short = "Write a signal for what no signal votes on"
        items.append(("write", short, why, NO_ROWS))
    if values is not None and len(values.doubtful) and values.mistakes[0] >= MIN_SHARE:
        many = values.mistakes[:MAX_ADVICE_ROWS]
        why = (
            f"{say_share(float(many.sum()))} of all examples have the votes of these rows "
            "and are expected to be labelled wrong."
        )
        rows = values.doubtful[: len(many)]
        items.append(("write", "Write a signal for doubtful votes", why, rows))
    items += _advise_on_labels(votes, seed)
    return [
        (Advice(action, short, f"{short}: {why}"), rows)
        for action, short, why, rows in items
    ]


def _advise_on_labels(votes: LabelledVotes, seed: int) -> Iterator[Choice]:
    unlabelled = votes.covered & (votes.counts > 0) & (votes.truth < 0)
    # Rows of counted votes are split by true label; any of them may be asked for.
    each = votes.signals.row_counts is None
    known = np.flatnonzero(votes.truth >= 0) if each else NO_ROWS
    most = int(min(MAX_ADVICE_ROWS, votes.counts[unlabelled].sum()))
    if not most:
        return
    rows = suggest_labels(
        votes.labeler, votes.signals, most, known=known, random_state=seed
    )
    why = (
        "random rows, given as `gold`, move the labels of all other examples and measure "
        "how often these are right."
    )
    yield "label", f"Label {say_count(len(rows), 'row')} by hand", why, rows


def _advise_on_signals(
    votes: LabelledVotes, analysis: Analysis, values: SignalValues
) -> Iterator[Choice]:
    """Which signal to fix, which to check and which to drop."""
    errors, seen = np.full((2, len(values.names)), np.nan)
    if analysis.gold is not None:
        seen = analysis.gold.correct + analysis.gold.incorrect
        errors = np.where(seen >= MIN_VOTES, analysis.gold.error_rates, np.nan)
    known = ~np.isnan(errors)
    # True labels know better than the labels how often a signal errs.
    values = replace(
        values,
        errors=np.where(known, errors, values.errors),
        assumed=values.assumed & ~known,
    )
    # As in the verdict on signals, first one that tells little.
    limit = BAD_ERROR * (1 - 1 / votes.signals.n_classes)
    is_bad = (values.errors > limit) & (values.coverage * votes.n_examples >= MIN_VOTES)
    bad = replace(values, errors=np.where(is_bad, values.errors, 0)).to_fix
    worst = values.to_fix if bad is None else bad
    if worst is not None:
        rows = _find_mistakes(votes, worst)
        of = (
            f"its {say_count(seen[worst], 'vote')} with a true label"
            if known[worst]
            else "its votes if the labels are right"
        )
        why = (
            f"it is wrong on {say_share(float(values.errors[worst]))} of {of}, or "
            f"about {say_share(float(values.wrong[worst]))} of all examples."
            + (" These are its likeliest mistakes." if len(rows) else "")
        )
        yield "fix", f"Fix {say_names([values.names[worst]])}", why, rows
    if (doubted := values.to_check) is not None:
        rows = _find_mistakes(votes, doubted)
        why = (
            f"other signals contradict it on "
            f"{say_share(float(values.conflicts[doubted]))} of all examples, and the "
            "votes do not tell who is right."
            + (" Read a few: here it was outvoted." if len(rows) else "")
        )
        yield "check", f"Check {say_names([values.names[doubted]])}", why, rows
    yield from _advise_to_drop(votes, values, errors, limit)


def _advise_to_drop(
    votes: LabelledVotes, values: SignalValues, errors: FloatArray, limit: float
) -> Iterator[Choice]:
    """Signals that can be missed; `errors` are by true labels, NaN where unknown."""
    droppable = values.droppable & (values.coverage > 0)
    if votes.n_gold:
        # A signal that is right more often than the labels should count more, not less.
        right = votes.known_counts @ votes.score(votes.labels)
        droppable &= ~(errors < 1 - right / votes.n_gold)
    if not droppable.any():
        return
    bad = droppable & (errors > limit)
    names = [values.names[i] for i in np.flatnonzero(droppable)]
    short, why = f"Drop {say_names(names)}", "without it hardly a label changes."
    if bad.any():
        worst = int(np.where(bad, errors, -1).argmax())
        short = f"Drop {say_names([values.names[worst]])}"
        wrong = say_share(float(errors[worst]))
        why = f"true labels find it wrong on {wrong} of its votes, and {why}"
    elif len(names) > 1:
        short = f"Drop one of {say_names(names, MAX_DROPPED_NAMES)}"
        why += " Look again then: of two copies each can go, but not both."
    yield "drop", short, why, NO_ROWS


def _find_mistakes(votes: LabelledVotes, signal: int) -> IntArray:
    """Rows on which a signal is likeliest to be wrong."""
    hard, judged = votes.hard, votes.labels
    mine = np.flatnonzero(hard.schema.signal == signal)
    known = (votes.truth >= 0)[:, None]
    judged = np.where(known, np.eye(judged.shape[1])[votes.truth], judged)
    right = judged @ hard.schema.supports[mine].T
    said = hard.F[:, mine].toarray()[hard.row_of] > 0
    doubt = np.where(said, right, 1.0).min(axis=1, initial=1.0)
    return choose_rows(votes, doubt < 0.5, doubt, MAX_ADVICE_ROWS)


def judge_advice(items: tuple[Advice, ...]) -> str:
    """What to do first, and what then."""
    if not items:
        return "Nothing stands out: every signal adds something, and all are covered."
    first, *others = (item.short for item in items)
    said = f"{first} first" if others else first
    for short in others[:2]:
        said += f", then {short[0].lower()}{short[1:]}"
    return f"{said}."
