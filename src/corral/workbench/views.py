"""Parts of the state and of rows in plain values, as the page and JSON have them.

Suggested rows are those on which rules contradict each other, so accuracy on them is too
low. It is measured on rows that were drawn by lot, which labels are never learned from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corral._types import IntArray
from corral.checks import check_choice
from corral.rates import wilson_intervals
from corral.results import as_plain
from corral.workbench.labels import INTERVAL_LEVEL, Snapshot
from corral.workbench.project import check_id
from corral.workbench.rows import RowStore
from corral.workbench.search import find_spans

SELECTIONS = (
    *("all", "covered", "uncovered", "conflicting", "only", "wrong", "changed"),
    *("uncertain", "labelled"),
)
"""The rows behind a number; see `Workbench.rows`."""
MIN_MEASURED_ROWS = 20
"""Random rows with a hand label and an answer from which on accuracy is shown."""


def show_rules(snapshot: Snapshot) -> list[dict[str, Any]]:
    """One entry per rule, functions first."""
    project, errors = snapshot.project, snapshot.errors()
    places, truth, _ = snapshot.hand_labelled
    shown = []
    for name, title in snapshot.names.items():
        own: dict[str, Any] = {"kind": "function", "class": None, "editable": False}
        if name in project.rules:
            own = {**project.rules[name].to_dict(), "editable": True}
        votes = snapshot.votes[name][places]
        labelled = int((votes >= 0).sum())
        wrong = int(((votes >= 0) & (votes != truth)).sum())
        shown.append(
            {
                "id": name,
                **own,
                "name": title,
                "asked": dict(project.entries["rates"].get(name, {})),
                **snapshot.rule_counts(name),
                "hand_labelled": labelled,
                "wrong": wrong if labelled else None,
                **errors.get(name, {"error": None, "estimated": None}),
            }
        )
    return shown


# -- labels by hand ----------------------------------------------------------------


def measure(snapshot: Snapshot) -> dict[str, Any]:
    """How many hand labels there are, and how right the labels are on random rows."""
    entries = snapshot.project.entries["hand_labels"].values()
    origins = [entry["how"] for entry in entries]
    places, truth, drawn = snapshot.hand_labelled
    answered = drawn & (snapshot.decided[places] >= 0)
    places, truth = places[answered], truth[answered]
    n = len(places)
    shown: dict[str, Any] = {
        "random": origins.count("random"),
        "suggested": origins.count("suggested"),
        "measured": n,
    }
    shown |= dict.fromkeys(
        ("accuracy", "interval", "majority_accuracy", "why_not", "note")
    )
    if n < MIN_MEASURED_ROWS:
        shown["why_not"] = (
            f"Label {MIN_MEASURED_ROWS - n} more random rows that have a vote to see "
            "accuracy. Suggested rows do not count: they are the hard ones."
        )
        return shown
    right = (snapshot.decided[places] == truth).mean()
    ends = wilson_intervals(right, n, INTERVAL_LEVEL)
    voted = snapshot.majority[places]
    # Where a vote is tied, every class is right in equal parts.
    vote = np.where(voted < 0, 1 / len(snapshot.classes), voted == truth).mean()
    shown |= as_plain({"accuracy": right, "interval": ends, "majority_accuracy": vote})
    rules = snapshot.project.rules_hash
    old = sum(e["how"] == "random" and e["rules"] != rules for e in entries)
    if old:
        shown["note"] = (
            f"{old} of the random rows were labelled before the last change of a rule. If "
            "they led to the change, accuracy looks better than it is."
        )
    return shown


# -- rows ---------------------------------------------------------------------------


def select(snapshot: Snapshot, what: Any, rule: str | None) -> IntArray:
    """Places of the rows behind a number, in the order to show them in."""
    check_choice("what", what, SELECTIONS)
    if rule is not None or what == "only":
        check_id(snapshot.votes, rule)
    covered, decided = snapshot.covers("covered"), snapshot.decided
    if what in ("wrong", "labelled"):
        places, truth, _ = snapshot.hand_labelled
        if what == "wrong":
            said = (decided if rule is None else snapshot.votes[rule])[places]
            places = places[(said >= 0) & (said != truth)]
        return np.sort(places)
    if what == "uncertain":  # the least certain first
        rows = np.flatnonzero(covered)
        two = np.sort(snapshot.row_labels, axis=1)[:, -2:]
        margin = (two[:, -1] - two[:, 0])[snapshot.row_of[rows]]
        return rows[np.argsort(margin, kind="stable")]
    if what in ("covered", "conflicting", "only"):
        named = "only_this" if what == "only" else what
        return np.flatnonzero(snapshot.covers(named, rule))
    before = decided if snapshot.before is None else snapshot.before
    masks = {
        "all": np.ones(len(covered), bool),
        "uncovered": ~covered,
        "changed": before != decided,
    }
    return np.flatnonzero(masks[what])


def find_matches(
    snapshot: Snapshot, store: RowStore, places: IntArray, texts: list[str]
) -> list[list[tuple[int, int, str]]]:
    """What every rule matched in the texts of some rows: (start, end, id of the rule)."""
    found: list[list[tuple[int, int, str]]] = [[] for _ in texts]
    for name, rule in snapshot.project.rules.items():
        rows = np.flatnonzero(snapshot.votes[name][places] >= 0).tolist()
        spans = find_spans(store, rule, [texts[row] for row in rows]) if rows else []
        for row, own in zip(rows, spans, strict=True):
            found[row] += [(a, b, name) for a, b in own]
    return found


def describe(snapshot: Snapshot, place: int) -> dict[str, Any]:
    """A row beside its text: its votes, its label and its hand label."""
    classes = snapshot.classes
    names = (*classes, None)  # -1 is the last
    at = snapshot.row_of[place]
    votes = zip(snapshot.names, snapshot.codes[at].tolist(), strict=True)
    row = int(snapshot.search.rows[place])
    chances = snapshot.row_labels[at].tolist()
    return {
        "row": row,
        "votes": {name: classes[vote] for name, vote in votes if vote >= 0},
        "label": names[snapshot.decided[place]],
        "probabilities": dict(zip(classes, chances, strict=False)),
        "majority": names[snapshot.majority[place]],
        "hand": snapshot.project.entries["hand_labels"].get(str(row)),
    }
