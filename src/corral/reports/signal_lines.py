"""What every signal does, and how often it is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.constraints.signal_errors import mean_by_signal
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.paired_gain import LEVEL
from corral.reports.phrases import say_count, say_names, say_share, say_verb
from corral.reports.sections import Interval, SignalLine, SignalsSection
from corral.study import Analysis, SignalValues
from corral.training.calibration import wilson_intervals

BAD = 0.8
"""Part of the error of a guess from which a signal tells little."""

ENOUGH = 10
"""Votes from which on a signal is judged by them."""


def describe_signals(
    votes: LabelledVotes, analysis: Analysis, values: SignalValues | None
) -> SignalsSection:
    """Compute the section of signals."""
    m = votes.signals.n_signals
    expected, intervals, learned = _find_expected(votes)
    gold, seen, gold_intervals = (
        np.full(m, np.nan),
        np.zeros(m),
        np.full((m, 2), np.nan),
    )
    if analysis.gold is not None:
        gold = analysis.gold.error_rates
        seen = analysis.gold.correct + analysis.gold.incorrect
        some = seen > 0
        gold_intervals[some] = wilson_intervals(gold[some], seen[some], LEVEL)
    worth = np.full(m, np.nan) if values is None else values.worth
    lines = tuple(
        SignalLine(
            name=analysis.names[i],
            votes_for=tuple(map(str, analysis.polarity[i])),
            coverage=float(analysis.coverage[i]),
            overlaps=float(analysis.overlaps[i]),
            conflicts=float(analysis.conflicts[i]),
            vote_share=float(analysis.share[i]),
            expected_error=_number(expected[i]),
            expected_interval=_pair(intervals[i]),
            learned=_number(learned[i]),
            implied_error=_number(votes.implied_errors[i]),
            gold_error=_number(gold[i]),
            gold_interval=_pair(gold_intervals[i]),
            n_gold=float(seen[i]),
            worth=_number(worth[i]),
        )
        for i in range(m)
    )
    return SignalsSection(_verdict(lines, votes), lines)


def _find_expected(votes: LabelledVotes) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(m,) expected errors, (m, 2) their intervals, (m,) how far they are learned."""
    labeler: Any = votes.labeler
    m = votes.signals.n_signals
    expected, learned = np.full((2, m), np.nan)
    intervals = np.full((m, 2), np.nan)
    rates = getattr(labeler, "error_rates_", None)
    if rates is None:
        return expected, intervals, learned

    def mean(each: Any) -> FloatArray:
        return mean_by_signal(votes.space, votes.signals, np.asarray(each, float))

    expected = mean(rates)
    found = getattr(labeler, "rates_", None)
    if found is not None:
        ends = found.intervals(LEVEL)
        intervals = np.stack([mean(ends[..., end]) for end in (0, 1)], axis=-1)
        if found.learned is not None:
            learned = mean(found.learned)
            if found.learned.ndim == 2 and votes.signals.names_classes:
                learned = np.nanmean(found.learned, axis=1)  # a share, not an error
    return expected, intervals, learned


def _verdict(lines: tuple[SignalLine, ...], votes: LabelledVotes) -> str:
    """Which signals to look at first."""
    total = float(votes.counts.sum())
    silent = [line.name for line in lines if not line.coverage]
    voting = [line for line in lines if line.coverage]
    speaking = [
        line
        for line in voting
        if _error(line) is not None and line.coverage * total >= ENOUGH
    ]
    said = _say_worst(speaking, len(lines), votes)
    if not voting:
        said = "No signal votes."
    elif not speaking and any(_error(line) is not None for line in voting):
        said = (
            f"No signal whose error is known has {ENOUGH} votes: too few to tell how "
            "often signals err."
        )
    elif not speaking:
        worst = max(voting, key=lambda line: line.conflicts)
        said = (
            "The votes do not tell how often signals err. Read first where others "
            f"contradict {say_names([worst.name])}: on {say_share(worst.conflicts)} of the "
            "examples."
            if worst.conflicts
            else "No two signals contradict each other, so the votes do not tell how often "
            "signals err."
        )
    if silent:
        verb = say_verb(len(silent), "votes", "vote")
        said += (
            f" {say_count(len(silent), 'signal')} never {verb}: {say_names(silent)}."
        )
    assumed = [line for line in voting if _is_assumed(line)]
    if assumed and speaking:
        said += (
            f" The expected error of {say_count(len(assumed), 'signal')} is mostly "
            "assumed: the votes do not tell it."
        )
    return said


def _say_worst(speaking: list[SignalLine], n_signals: int, votes: LabelledVotes) -> str:
    """Which signal makes most mistakes; "" if none has votes enough to tell."""
    if not speaking:
        return ""
    limit = BAD * (1 - 1 / votes.signals.n_classes)
    total = float(votes.counts.sum())
    bad = [line for line in speaking if (_error(line) or 0) > limit]
    worst = max(bad or speaking, key=lambda line: (_error(line) or 0) * line.coverage)
    mistakes = _say_mistakes(worst, total)
    if bad:
        return (
            f"{len(bad):,} of {say_count(n_signals, 'signal')} "
            f"{say_verb(len(bad), 'is', 'are')} hardly better than a guess: read the "
            f"mistakes of {say_names([worst.name])} first, {mistakes}."
        )
    if not _error(worst):
        return "No signal was seen wrong."
    return (
        f"No signal stands out; most mistakes come from {say_names([worst.name])}, "
        f"{mistakes}."
    )


def _say_mistakes(line: SignalLine, total: float) -> str:
    """How often a signal is wrong, and who says so."""
    share = say_share(_error(line) or 0)
    if _has_gold(line):
        return f"wrong on {share} of its {say_count(line.n_gold, 'vote')} with a true label"
    cast = say_count(line.coverage * total, "vote")
    if line.expected_error is not None:
        return f"expected to be wrong on {share} of its {cast}"
    return f"wrong on {share} of its {cast} if the labels are right"


def _error(line: SignalLine) -> float | None:
    """The best that is known of its error; None where it is only assumed."""
    if _has_gold(line):
        return line.gold_error
    if _is_assumed(line):
        return None
    known = line.expected_error, line.implied_error
    return next((error for error in known if error is not None), None)


def _has_gold(line: SignalLine) -> bool:
    return line.gold_error is not None and line.n_gold >= ENOUGH


def _is_assumed(line: SignalLine) -> bool:
    return line.learned is not None and line.learned < 0.5


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _pair(ends: FloatArray) -> Interval | None:
    return None if np.isnan(ends).any() else (float(ends[0]), float(ends[1]))
