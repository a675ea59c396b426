"""Labels by hand: random rows measure, the others teach; rules from selected words.

Rows that corral suggests are those on which rules contradict each other. Accuracy on them
is too low, and says nothing of the other rows. So accuracy is measured on rows that were
drawn by lot, which labels are never learned from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from corral._types import BoolArray, IntArray
from corral.checks import check_choice
from corral.errors import ParameterError
from corral.results import as_plain
from corral.training.calibration import wilson_intervals
from corral.workbench.labels import MIN_TEACHING_ROWS, Snapshot, teaching_rows
from corral.workbench.rules import Rule, require

MIN_MEASURED_ROWS = 20
"""Random rows with a hand label and an answer from which on accuracy is shown."""
LEVEL = 0.9
"""Probability of intervals."""
MAX_SELECTED_LENGTH = 200
"""Characters that a rule is proposed from."""


def labelled_rows(snapshot: Snapshot) -> tuple[IntArray, IntArray, BoolArray]:
    """Places of the rows with a hand label, its class, and whether it was drawn by lot.

    Only of rows that are looked at; see `TextSearch.places`.
    """
    entries = snapshot.project.entries["hand_labels"]
    labels, classes = entries.values(), snapshot.project.classes
    codes = np.array([classes.index(e["class"]) for e in labels], int)
    drawn = np.array([e["how"] == "random" for e in labels], bool)
    places = snapshot.search.places(np.array([int(row) for row in entries], np.int64))
    here = places >= 0
    return places[here], codes[here], drawn[here]


def measure(snapshot: Snapshot) -> dict[str, Any]:
    """How many hand labels there are, and how right the labels are on random rows."""
    entries = snapshot.project.entries["hand_labels"].values()
    origins = [entry["how"] for entry in entries]
    places, truth, drawn = labelled_rows(snapshot)
    places, truth = places[drawn], truth[drawn]
    found = snapshot.evaluation
    said, voted = found.decided[places], found.majority[places]
    answered = said >= 0
    n = int(answered.sum())
    shown: dict[str, Any] = {
        **{how: origins.count(how) for how in ("random", "suggested", "chosen")},
        "teaching": len(teaching_rows(snapshot.project)) >= MIN_TEACHING_ROWS,
        "teaching_from": MIN_TEACHING_ROWS,
        "measured": n,
        "accuracy": None,
        "interval": None,
        "level": LEVEL,
        "majority_accuracy": None,
        "why_not": None,
        "note": None,
    }
    if n < MIN_MEASURED_ROWS:
        shown["why_not"] = (
            f"Accuracy is shown from {MIN_MEASURED_ROWS} random rows on that have a hand "
            f"label and a vote; there {'is' if n == 1 else 'are'} {n}. Suggested rows do "
            "not count: they are the hard ones."
        )
        return shown
    right = float((said == truth)[answered].mean())
    ends = wilson_intervals(np.array([right]), np.array([float(n)]), LEVEL)[0]
    shown["accuracy"], shown["interval"] = right, as_plain(ends)
    # The vote on the same rows; where it is tied, every class is right in equal parts.
    tied = voted[answered] < 0
    vote = np.where(tied, 1 / len(found.classes), (voted == truth)[answered])
    shown["majority_accuracy"] = float(vote.mean())
    rules = snapshot.project.rules_hash
    old = sum(e["how"] == "random" and e["rules"] != rules for e in entries)
    if old:
        shown["note"] = (
            f"{old} of the random rows were labelled before rules were last changed. If "
            "they led to the change, accuracy looks better than it is."
        )
    return shown


def count_wrong(snapshot: Snapshot) -> dict[str, dict[str, int | None]]:
    """By rule: hand labels on rows that it votes on, and how many contradict it."""
    places, truth, _ = labelled_rows(snapshot)
    votes = snapshot.evaluation.votes[places]
    seen = (votes >= 0).sum(axis=0).tolist()
    wrong = ((votes >= 0) & (votes != truth[:, None])).sum(axis=0).tolist()
    return {
        name: {"hand_labelled": seen[at], "wrong": wrong[at] if seen[at] else None}
        for name, at in snapshot.ids.items()
    }


def wrong_rows(snapshot: Snapshot, column: int | None) -> IntArray:
    """Places where a rule, or the label, contradicts a hand label."""
    places, truth, _ = labelled_rows(snapshot)
    found = snapshot.evaluation
    said = found.decided[places] if column is None else found.votes[places, column]
    return np.sort(places[(said >= 0) & (said != truth)])


def choose_row(snapshot: Snapshot, how: str, skip: Sequence[int]) -> int:
    """The place of the row to label next; `skip` are numbers of rows."""
    check_choice("how", how, ("suggested", "random"))
    search, found = snapshot.search, snapshot.evaluation
    skipped = search.places(np.array(list(skip), np.int64))
    known = np.union1d(labelled_rows(snapshot)[0], skipped[skipped >= 0])
    if how == "random":  # in the same order whenever a project is opened
        order = np.random.default_rng(0).permutation(search.n_rows)
        left = order[~np.isin(order, known)]
        if not len(left):
            raise ParameterError("every row has a hand label.", parameter="how")
        return int(left[0])
    if found.labeler is None:
        raise ParameterError(
            "cannot be 'suggested' as long as no rule votes. Add a rule, or ask for random "
            "rows.",
            parameter="how",
        )
    suggested = found.suggest(known)
    if not len(suggested):
        raise ParameterError(
            "cannot be 'suggested': all rows with a vote have a hand label. Ask for random "
            "rows.",
            parameter="how",
        )
    return int(suggested[0])


def propose_rule(snapshot: Snapshot, words: Any) -> dict[str, Any]:
    """A rule from selected words: see `Workbench.propose`."""
    good = isinstance(words, str) and words.strip() != ""
    good = good and len(words) <= MAX_SELECTED_LENGTH
    require(good, "words", f"1 to {MAX_SELECTED_LENGTH} characters", words)
    classes, search = snapshot.project.classes, snapshot.search
    require(len(classes) > 0, "classes", "named first", [])
    sought = words.strip()
    rule = Rule("words", classes[0], words=(sought,))
    matches = search.find(rule)
    if not matches.any():  # a part of a word: as a pattern, whatever the case
        quoted = re.sub(r"[^\w\s]", lambda at: f"\\x{{{ord(at[0]):x}}}", sought)
        rule = Rule("regex", classes[0], pattern=f"(?i){quoted}")
        matches = search.find(rule)
    found = snapshot.evaluation
    told = matches & found.covered
    n = int(told.sum())
    class_, precision = None, None
    if found.labeler is not None and n:
        mean = found.labels[told].mean(axis=0)
        lift = mean - found.labels[found.covered].mean(axis=0)
        best = int(lift.argmax())
        class_, precision = classes[best], float(mean[best])
    return {
        "rule": {**rule.to_dict(), "class": class_},
        "version": snapshot.project.version,
        "covered": int(matches.sum()),
        "new": int((matches & ~found.covered).sum()),
        "estimated_precision": precision,
        "estimated_on": n,
        "sampled": search.sampled,
    }
