"""The workbench in plain values, as the page and JSON have it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from threading import Event
from typing import Any

import numpy as np

from corral._types import BoolArray, IntArray
from corral.checks import check_choice
from corral.errors import ParameterError
from corral.results import as_plain
from corral.training.calibration import wilson_intervals
from corral.workbench.labels import (
    MIN_TEACHING_ROWS,
    Evaluation,
    Snapshot,
    find_feasibility,
    teaching_rows,
)
from corral.workbench.rows import RowStore
from corral.workbench.rules import Rule, require
from corral.workbench.search import cut, find_spans, stop_if

SELECTIONS = (
    *("all", "covered", "uncovered", "conflicting", "only", "wrong", "changed"),
    *("uncertain", "undecided", "labelled", "search"),
)
"""What rows can be asked for."""
MAX_ROWS = 1000
"""Rows in one answer."""
MAX_MATCHES = 12
"""Matching rows that a preview shows."""
MAX_TEXT_LENGTH, MAX_CELL_LENGTH = 200_000, 200
"""Characters of the text of a single row, and of its other cells."""
MIN_MEASURED_ROWS = 20
"""Random rows with a hand label and an answer from which on accuracy is shown."""
INTERVAL_LEVEL = 0.9
"""Probability of intervals."""
MAX_SELECTED_LENGTH = 200
"""Characters that a rule is proposed from."""


# -- the state ----------------------------------------------------------------------


def show_state(snapshot: Snapshot, store: RowStore, path: str) -> dict[str, Any]:
    """What the page shows beside rows; `path` is that of the project."""
    project, found, search = snapshot.project, snapshot.evaluation, snapshot.search
    covered, decided, before = found.covered, found.decided, snapshot.before
    return {
        "data": {
            "file": store.path.name,
            "rows": store.n_rows,
            "columns": store.columns,
            "numbers": store.numbers,
            "text": store.text,
            "sampled": search.sampled,
        },
        "version": project.version,
        "classes": list(project.classes),
        "rules": _show_rules(snapshot),
        "totals": {
            "rows": len(covered),
            "covered": int(covered.sum()),
            "uncovered": int((~covered).sum()),
            "conflicting": int(found.conflicting.sum()),
            "undecided": int((covered & (decided < 0)).sum()),
            "changed": 0 if before is None else int((before != decided).sum()),
        },
        "shares": found.shares(decided),
        "majority_shares": found.shares(found.majority),
        "balance": {c: dict(v) for c, v in project.entries["balance"].items()},
        "feasibility": find_feasibility(snapshot),
        "hand_labels": measure(snapshot),
        "notes": list(found.notes),
        "can_undo": project.undo_steps[-1].what if project.undo_steps else None,
        "can_redo": project.redo_steps[-1].what if project.redo_steps else None,
        "saved": {"path": path, "version": project.version},
        "working": search.rows is not None,
    }


def _show_rules(snapshot: Snapshot) -> list[dict[str, Any]]:
    """One entry per rule, functions first."""
    found, project = snapshot.evaluation, snapshot.project
    errors, counts = found.errors(), found.rule_counts
    places, truth, _ = labelled_rows(snapshot)
    said = found.votes[places] >= 0
    wrong = said & (found.votes[places] != truth[:, None])
    shown = []
    for name, at in snapshot.ids.items():
        if name in project.rules:
            rule = project.rules[name]
            own = {**rule.to_dict(), "name": rule.title, "editable": True}
        else:
            voted = np.unique(found.votes[:, at]).tolist()
            classes = [project.classes[k] for k in voted if k >= 0]
            own = {
                "kind": "function",
                "name": snapshot.names[name],
                "class": classes[0] if len(classes) == 1 else None,
                "classes": classes,
                "editable": False,
            }
        labelled = int(said[:, at].sum())
        shown.append(
            {
                "id": name,
                **own,
                "asked": dict(project.entries["rates"].get(name, {})),
                **{key: int(value[at]) for key, value in counts.items()},
                "hand_labelled": labelled,
                "wrong": int(wrong[:, at].sum()) if labelled else None,
                **errors.get(at, {"error": None, "estimated": None}),
            }
        )
    return shown


# -- labels by hand ----------------------------------------------------------------
#
# Rows that corral suggests are those on which rules contradict each other. Accuracy on them
# is too low, and says nothing of the other rows. So accuracy is measured on rows that were
# drawn by lot, which labels are never learned from.


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
        "level": INTERVAL_LEVEL,
        "majority_accuracy": None,
        "why_not": None,
        "note": None,
    }
    if n < MIN_MEASURED_ROWS:
        shown["why_not"] = (
            f"Label {MIN_MEASURED_ROWS - n} more random rows that have a vote to see "
            "accuracy. Suggested rows do not count: they are the hard ones."
        )
        return shown
    right = float((said == truth)[answered].mean())
    ends = wilson_intervals(np.array([right]), np.array([float(n)]), INTERVAL_LEVEL)[0]
    shown["accuracy"], shown["interval"] = right, as_plain(ends)
    # The vote on the same rows; where it is tied, every class is right in equal parts.
    tied = voted[answered] < 0
    vote = np.where(tied, 1 / len(found.classes), (voted == truth)[answered])
    shown["majority_accuracy"] = float(vote.mean())
    rules = snapshot.project.rules_hash
    old = sum(e["how"] == "random" and e["rules"] != rules for e in entries)
    if old:
        shown["note"] = (
            f"{old} of the random rows were labelled before the last change of a rule. If "
            "they led to the change, accuracy looks better than it is."
        )
    return shown


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
    suggested: Any = () if found.labeler is None else found.suggest(known)
    if not len(suggested):
        raise ParameterError(
            "cannot be 'suggested': no rule votes on a row without a hand label. Add a "
            "rule, or ask for random rows.",
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


# -- rows ---------------------------------------------------------------------------


def list_rows(
    snapshot: Snapshot,
    store: RowStore,
    selection: Mapping[str, Any],
    offset: int,
    limit: int,
) -> dict[str, Any]:
    """The rows behind a number; see `Workbench.rows`."""
    for name, value in (("offset", offset), ("limit", limit)):
        good = type(value) is int and value >= 0
        require(good, name, "a whole number from 0", value)
    require(isinstance(selection, Mapping), "selection", "an object", selection)
    sought, search = None, snapshot.search
    if selection.get("what") == "search":
        words = selection.get("words")
        good = isinstance(words, str) and words.strip() != ""
        require(good, "words", "what to look for", words)
        sought = Rule("words", "any", words=(str(words).strip(),))
        places = np.flatnonzero(search.find(sought))
    else:
        places = _select(snapshot, selection)
    part = places[offset : offset + min(limit, MAX_ROWS)]
    texts = [text or "" for text in store.texts_of(search.row_numbers(part))]
    spans: list[Any]
    if sought is None:
        spans = _find_matches(snapshot, store, part, texts)
    else:
        every = find_spans(store, sought, texts)
        spans = [[(a, b, "") for a, b in own] for own in every]
    return {
        "version": snapshot.project.version,
        "total": len(places),
        "offset": offset,
        "sampled": search.sampled,
        "rows": [
            {**_describe(snapshot, place), **cut(text, own)}
            for place, text, own in zip(part.tolist(), texts, spans, strict=True)
        ],
    }


def _select(snapshot: Snapshot, selection: Mapping[str, Any]) -> IntArray:
    """Places of the rows that a selection means, in the order to show them in."""
    what, rule = selection.get("what", "all"), selection.get("rule")
    check_choice("what", what, SELECTIONS)
    found, column = snapshot.evaluation, None
    if rule is not None or what == "only":
        good = isinstance(rule, str) and rule in snapshot.ids
        require(good, "rule", "the id of a rule", rule)
        column = snapshot.ids[str(rule)]
    if what == "wrong":
        return wrong_rows(snapshot, column)
    if what == "labelled":
        return np.sort(labelled_rows(snapshot)[0])
    if what == "uncertain":  # the least certain first
        rows = np.flatnonzero(found.covered)
        sure = np.sort(found.labels[rows], axis=1)
        margin = sure[:, -1] - sure[:, -2] if sure.shape[1] > 1 else sure[:, -1]
        return rows[np.argsort(margin, kind="stable")]
    if column is not None and what in ("covered", "conflicting", "only"):
        named = "only_this" if what == "only" else what
        return np.flatnonzero(found.rule_rows(column, named))
    before = found.decided if snapshot.before is None else snapshot.before
    masks = {
        "all": np.ones(len(found.covered), bool),
        "covered": found.covered,
        "uncovered": ~found.covered,
        "conflicting": found.conflicting,
        "undecided": found.covered & (found.decided < 0),
        "changed": before != found.decided,
    }
    return np.flatnonzero(masks[what])


def _find_matches(
    snapshot: Snapshot, store: RowStore, places: IntArray, texts: list[str]
) -> list[list[tuple[int, int, str]]]:
    """What every rule matched in the texts of some rows: (start, end, id of the rule)."""
    votes = snapshot.evaluation.votes[places]
    found: list[list[tuple[int, int, str]]] = [[] for _ in texts]
    for name, rule in snapshot.project.rules.items():
        rows = np.flatnonzero(votes[:, snapshot.ids[name]] >= 0).tolist()
        if not rows or rule.kind == "threshold":
            continue
        spans = find_spans(store, rule, [texts[row] for row in rows])
        for row, own in zip(rows, spans, strict=True):
            found[row] += [(a, b, name) for a, b in own]
    return [sorted(spans) for spans in found]


def _describe(snapshot: Snapshot, place: int) -> dict[str, Any]:
    """What is known of a row beside its text."""
    found, classes = snapshot.evaluation, snapshot.project.classes
    names = (*classes, None)  # -1 is the last
    votes, chances = found.votes[place].tolist(), found.labels[place].tolist()
    row = int(snapshot.search.row_numbers(np.array([place]))[0])
    return {
        "row": row,
        "votes": {
            name: classes[votes[at]]
            for name, at in snapshot.ids.items()
            if votes[at] >= 0
        },
        "label": names[found.decided[place]],
        "probabilities": dict(zip(classes, chances, strict=False)),
        "majority": names[found.majority[place]],
        "hand": _hand_label(snapshot, row),
    }


def _hand_label(snapshot: Snapshot, row: int) -> dict[str, str] | None:
    hand = snapshot.project.entries["hand_labels"].get(str(row))
    return None if hand is None else {"class": hand["class"], "how": hand["how"]}


def show_row(snapshot: Snapshot, store: RowStore, row: int) -> dict[str, Any]:
    """One row in full, other cells and the part of every rule in its label included."""
    (cells,) = store.cells_of(np.array([row]), store.columns)
    by_name = dict(zip(store.columns, cells, strict=True))
    text = by_name.pop(store.text) or ""
    (place,) = snapshot.search.places(np.array([row])).tolist()
    spans: list[Any] = []
    if place < 0:  # not in the sample, and not looked at yet
        hand = _hand_label(snapshot, row)
        shown: dict[str, Any] = {"row": row, "hand": hand, "pending": True}
    else:
        ids = list(snapshot.ids)
        (spans,) = _find_matches(snapshot, store, np.array([place]), [text])
        parts = snapshot.evaluation.explain(place)
        for part in parts:
            part["rule"] = None if part["rule"] is None else ids[part["rule"]]
        shown = {**_describe(snapshot, place), "explanation": parts}
    return {
        **shown,
        **cut(text, spans, MAX_TEXT_LENGTH),
        "length": len(text),
        "cells": {
            name: as_plain(cell[:MAX_CELL_LENGTH] if isinstance(cell, str) else cell)
            for name, cell in by_name.items()
        },
    }


# -- previews -----------------------------------------------------------------------


def preview_rule(
    snapshot: Snapshot,
    store: RowStore,
    rule: Rule,
    replaces: str | None,
    cancel: Event | None,
) -> dict[str, Any]:
    """Numbers and rows of a rule that is being typed; see `Workbench.preview`."""
    before, search = snapshot.evaluation, snapshot.search
    after, at = snapshot.with_rule(rule, replaces, cancel)
    stop_if(cancel)
    moves = _list_moves(before, after)
    some = np.flatnonzero(after.rule_rows(at, "covered"))
    if len(some):  # from all over the file
        some = some[np.unique(np.linspace(0, len(some) - 1, MAX_MATCHES).astype(int))]
    rows = search.row_numbers(some)
    texts = [text or "" for text in store.texts_of(rows)]
    names = (*after.classes, None)  # -1 is the last
    labels = [names[k] for k in before.decided[some].tolist()]
    spans = find_spans(store, rule, texts)
    return {
        "rows": search.n_rows,
        "sampled": search.sampled,
        **{key: int(value[at]) for key, value in after.rule_counts.items()},
        "changed": sum(move["rows"] for move in moves),
        "moves": moves,
        "matching": [
            {"row": row, "label": label, **cut(text, own)}
            for row, label, text, own in zip(
                rows.tolist(), labels, texts, spans, strict=True
            )
        ],
    }


def _list_moves(before: Evaluation, after: Evaluation) -> list[dict[str, Any]]:
    """How many labels change from which class to which, the most first."""
    k = len(after.classes) + 1
    pair = (before.decided + 1) * k + after.decided + 1
    counts = np.bincount(pair, minlength=k * k).reshape(k, k)
    np.fill_diagonal(counts, 0)
    names = [None, *after.classes]
    moves = [
        {"from": names[a], "to": names[b], "rows": int(counts[a, b])}
        for a, b in zip(*np.nonzero(counts), strict=True)
    ]
    return sorted(moves, key=lambda move: -move["rows"])
