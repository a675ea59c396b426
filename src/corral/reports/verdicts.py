"""What a report concludes and advises."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from corral import study
from corral._types import IntArray
from corral.labelers import MajorityVote
from corral.reports.rows import LabelledVotes, ReportRow, choose_rows
from corral.results.text import say_count, say_share
from corral.study.comparison import MIN_GOLD, PairedGain
from corral.training.calibration import Reliability

if TYPE_CHECKING:
    from corral.reports.label_report import Summary

SAMPLE_SIZE = 50
"""Random examples whose true labels tell how good labels are."""
CHANCE_FACTOR = 2.0
"""How many times what chance explains makes a calibration error a fault."""
MIN_CALIBRATION_ERROR = 0.02
"""Calibration errors below this do no harm."""
MAX_ADVICE_ROWS = 8
"""Rows per advice."""


def judge_labels(found: Summary, gain: PairedGain | None) -> str:
    """How good the labels are; `gain` over a majority vote is None without true labels."""
    said = str(found.accuracy)
    if not found.changed:
        return f"{said} A majority vote gives the same labels."
    if gain is None:
        covered = say_share(found.n_covered / found.n_examples)
        return (
            f"{said} {covered} of {say_count(found.n_examples, 'example')} have a label; "
            f"a majority vote would label {say_share(found.changed)} of them otherwise, "
            f"{say_share(found.tied_votes)} tied."
        )
    if not gain.is_enough:
        few = say_count(gain.n_differing, "true label")
        return (
            f"{said} Only {few} of {gain.n:,.0f} tell the two apart, too few to judge."
        )
    if not gain.is_shown:
        return f"{said} Chance may explain the difference."
    if gain.mean > 0:
        return f"{said} That is more than chance: use the labels."
    return f"{said} Prefer the vote until the worst signals are fixed."


def judge_calibration(votes: LabelledVotes, found: Reliability | None) -> str:
    """Whether probabilities mean what they say."""
    if isinstance(votes.labeler, MajorityVote):
        return (
            "A majority vote names a winner and does not say how sure that is: to train "
            "on soft labels, use another labeler."
        )
    if found is None:
        return "Train on soft labels, which keep the doubt of the votes."
    n = float(found.counts.sum())
    if n < MIN_GOLD:
        few = say_count(n, "true label")
        return f"Whether probabilities are right, {few} cannot tell: too few."
    confidence = float(found.counts @ found.confidence / n)
    accuracy = float(found.counts @ found.accuracy / n)
    # By chance the mean differs by so much if every probability is exactly right.
    spread = votes.known_counts @ (votes.confidence * (1 - votes.confidence))
    by_chance = CHANCE_FACTOR * float(np.sqrt(spread)) / n
    off, gap = found.calibration_error, abs(confidence - accuracy)
    explained = off < CHANCE_FACTOR * found.noise and gap < by_chance
    beside = f"confidence is {confidence:.2f} on average, accuracy {accuracy:.2f}"
    if off < MIN_CALIBRATION_ERROR or explained:
        return f"The probabilities are calibrated: {beside}."
    how = "too confident" if confidence > accuracy else "not confident enough"
    return f"Labels are {how} ({beside}): corral.calibrate can repair that."


@dataclass(frozen=True)
class Advice:
    """One thing to do."""

    action: str  # "fix", "check", "drop" or "write"
    short: str = field(repr=False)  # what, in a few words
    sentence: str  # what, and why
    rows: tuple[ReportRow, ...] = ()  # to do it with


def choose_advice(
    votes: LabelledVotes,
    analysis: study.Analysis,
    values: study.SignalValues | None,
) -> list[tuple[Advice, IntArray]]:
    """What to do next, and positions of the rows to do it with."""
    if values is None:
        return []
    if analysis.gold is not None:
        error = 1 - votes.known_counts @ votes.score(votes.labels) / votes.n_gold
        values = values.judged_by(analysis.gold, float(error))
    found = []
    for action, signal, short, why in values.advice():
        rows = _find_mistakes(votes, signal)
        found.append((Advice(action, short, f"{short}: {why}."), rows))
    return found


def _find_mistakes(votes: LabelledVotes, signal: int) -> IntArray:
    """Rows on which a signal is likeliest to be wrong; -1 is no signal."""
    hard, judged = votes.hard, votes.labels
    mine = np.flatnonzero(hard.schema.signal == signal)
    known = (votes.truth >= 0)[:, None]
    judged = np.where(known, np.eye(judged.shape[1])[votes.truth], judged)
    right = judged @ hard.schema.supports[mine].T
    said = hard.F[:, mine].toarray()[hard.row_of] > 0
    doubt = np.where(said, right, 1.0).min(axis=1, initial=1.0)
    return choose_rows(votes, doubt < 0.5, doubt, MAX_ADVICE_ROWS)
