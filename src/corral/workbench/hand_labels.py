"""Labels by hand: random rows measure, the others teach.

Rows that corral suggests are those on which rules contradict each other. Accuracy on them
is too low, and says nothing of the other rows. So accuracy is measured on rows that were
drawn by lot, which labels are never learned from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corral._types import IntArray
from corral.results import as_plain
from corral.training.calibration import wilson_intervals
from corral.workbench.snapshot import FEWEST_TAUGHT, Snapshot, teaching_rows

FEWEST_MEASURED = 20
"""Random rows with a hand label and an answer from which on accuracy is shown."""
LEVEL = 0.9
"""Probability of intervals."""


def labelled_rows(snapshot: Snapshot) -> tuple[IntArray, IntArray, Any]:
    """Places of the rows with a hand label, its class, and whether it was drawn by lot.

    Only rows that are looked at; see `Snapshot.places`.
    """
    project = snapshot.project
    entries = project.section("hand_labels")
    rows = np.array([int(row) for row in entries], np.int64)
    codes = np.array([project.classes.index(e["class"]) for e in entries.values()], int)
    drawn = np.array([e["how"] == "random" for e in entries.values()], bool)
    places = snapshot.places(rows) if len(rows) else rows
    here = places >= 0
    return places[here], codes[here], drawn[here]


def measure(snapshot: Snapshot) -> dict[str, Any]:
    """How many hand labels there are, and how right the labels are as far as they tell."""
    entries = snapshot.project.section("hand_labels").values()
    drawn_all = sum(e["how"] == "random" for e in entries)
    lessons = len(teaching_rows(snapshot.project))
    places, truth, drawn = labelled_rows(snapshot)
    places, truth = places[drawn], truth[drawn]
    found = snapshot.evaluation
    said, voted = found.decided[places], found.majority[places]
    answered = said >= 0
    n = int(answered.sum())
    shown: dict[str, Any] = {
        "random": drawn_all,
        "suggested": sum(e["how"] == "suggested" for e in entries),
        "chosen": sum(e["how"] == "chosen" for e in entries),
        "teaching": lessons >= FEWEST_TAUGHT,
        "teaching_from": FEWEST_TAUGHT,
        "measured": n,
        "accuracy": None,
        "interval": None,
        "level": LEVEL,
        "majority_accuracy": None,
        "why_not": None,
        "note": None,
    }
    if n < FEWEST_MEASURED:
        shown["why_not"] = (
            f"Accuracy is shown from {FEWEST_MEASURED} random rows on that have a hand "
            f"label and a vote; there {'is' if n == 1 else 'are'} {n}. Suggested rows do "
            "not count: they are the hard ones."
        )
        return shown
    right = float((said == truth)[answered].mean())
    ends = wilson_intervals(np.array([right]), np.array([float(n)]), LEVEL)[0]
    shown["accuracy"], shown["interval"] = right, as_plain(ends)
    rules = snapshot.project.rules_hash
    new = sum(e["how"] == "random" and e["rules"] == rules for e in entries)
    if new < drawn_all:
        shown["note"] = (
            f"{drawn_all - new} of the random rows were labelled before rules were last "
            "changed. If they led to the change, accuracy looks better than it is."
        )
    # The vote on the same rows; where it is tied, every class is right in equal parts.
    tied = voted[answered] < 0
    vote = np.where(tied, 1 / len(found.classes), (voted == truth)[answered])
    shown["majority_accuracy"] = float(vote.mean())
    return shown


def count_wrong(snapshot: Snapshot) -> dict[str, dict[str, int | None]]:
    """By rule: hand labels on rows that it votes on, and how many contradict it."""
    places, truth, _ = labelled_rows(snapshot)
    votes = snapshot.evaluation.votes[places]
    said = votes >= 0
    wrong = (said & (votes != truth[:, None])).sum(axis=0)
    seen = said.sum(axis=0)
    return {
        name: {
            "hand_labelled": int(seen[at]),
            "wrong": int(wrong[at]) if seen[at] else None,
        }
        for name, at in snapshot.ids.items()
    }


def wrong_rows(snapshot: Snapshot, column: int | None) -> IntArray:
    """Places where a rule, or the label, contradicts a hand label."""
    places, truth, _ = labelled_rows(snapshot)
    found = snapshot.evaluation
    said = found.decided[places] if column is None else found.votes[places, column]
    return np.sort(places[(said >= 0) & (said != truth)])
