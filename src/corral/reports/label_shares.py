"""Class shares, confidence and reliability of the labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.decisions import winner_shares
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.paired_gain import ENOUGH_GOLD
from corral.reports.phrases import say_count, say_names, say_share, say_verb
from corral.reports.sections import ClassShare, LabelsSection
from corral.training import Reliability, reliability

SURE = 0.9
BINS = 20
"""Of the histogram of confidence."""
LIKELY_OFF = 2.0
"""How many times what chance explains makes a calibration error a fault."""
LEAST_ERROR = 0.02
"""Calibration errors below this do no harm."""


def describe_labels(votes: LabelledVotes) -> LabelsSection:
    """Compute the section of labels."""
    covered = votes.covered_counts
    k = votes.signals.n_classes
    edges = np.linspace(1 / k, 1, BINS + 1)
    sure = votes.confidence
    # Rounding may put a confidence a little outside of what is possible.
    bins = np.clip(np.searchsorted(edges, sure, side="right") - 1, 0, BINS - 1)
    found = None
    if votes.known_counts.any():
        assert votes.truth is not None
        known = np.flatnonzero(votes.known_counts)
        found = reliability(
            votes.labels[known], votes.truth[known], sample_weight=votes.counts[known]
        )
    shares = _class_shares(votes)
    is_sure, is_unsure = (
        float(covered @ each / covered.sum())
        for each in (sure >= SURE, sure < votes.unsure_below)
    )
    verdict = _verdict(votes, shares, is_sure, is_unsure, found)
    counts: Any = np.bincount(bins, covered, BINS)
    return LabelsSection(
        verdict,
        shares,
        tuple(edges.tolist()),
        tuple(counts.tolist()),
        is_sure,
        is_unsure,
        found,
    )


def _class_shares(votes: LabelledVotes) -> tuple[ClassShare, ...]:
    covered, known = votes.covered_counts, votes.known_counts

    def mean(labels: FloatArray) -> FloatArray:
        return covered @ labels / covered.sum()

    soft = mean(votes.labels)
    answers = mean(winner_shares(votes.labels))
    voted = mean(winner_shares(votes.vote_labels))
    gold: list[float | None] = [None] * len(soft)
    if known.any():
        assert votes.truth is not None
        at = known > 0
        sums: Any = np.bincount(votes.truth[at], known[at], len(soft)) / known.sum()
        gold = sums.tolist()
    return tuple(
        ClassShare(name, float(soft[i]), float(answers[i]), float(voted[i]), gold[i])
        for i, name in enumerate(votes.class_names)
    )


def _verdict(
    votes: LabelledVotes,
    shares: tuple[ClassShare, ...],
    sure: float,
    unsure: float,
    found: Reliability | None,
) -> str:
    first = max(shares, key=lambda share: share.answers)
    said = f"{say_share(first.answers)} of the labels are {say_names([first.value])}"
    if not votes.tells_confidence:
        return (
            f"{said}. A majority vote names a winner and does not say how sure that is: "
            "to train on soft labels, use another labeler."
        )
    said += (
        f"; {say_share(sure)} of the examples have a confidence of at least {SURE:g}, and "
        f"{say_share(unsure)} one below {votes.unsure_below:.2f}"
    )
    if found is None:
        return f"{said}: train on soft labels, which keep this doubt."
    n = float(found.counts.sum())
    if n < ENOUGH_GOLD:
        return (
            f"{said}. {say_count(n, 'true label')} {say_verb(n, 'is', 'are')} too few to "
            "tell whether probabilities can be taken at their word."
        )
    confidence = float(found.counts @ found.confidence / n)
    accuracy = float(found.counts @ found.accuracy / n)
    # By chance the mean differs by so much if every probability is exactly right.
    spread = votes.known_counts @ (votes.confidence * (1 - votes.confidence))
    by_chance = LIKELY_OFF * float(np.sqrt(spread)) / n
    off, gap = found.calibration_error, abs(confidence - accuracy)
    beside = f"confidence is {confidence:.2f} on average, accuracy {accuracy:.2f}"
    if off < LEAST_ERROR or (off < LIKELY_OFF * found.noise and gap < by_chance):
        return f"{said}. Probabilities can be taken at their word: {beside}."
    how = "too sure" if confidence > accuracy else "not sure enough"
    if gap < off / 2:
        how = "too sure in places and not sure enough in others"
    return f"{said}. Labels are {how} ({beside}): corral.calibrate can repair that."
