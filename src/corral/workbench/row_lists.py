"""Which rows belong to a number on the page, and how each is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from corral._types import IntArray
from corral.checks import check_choice
from corral.errors import ParameterError
from corral.results import as_plain
from corral.workbench.hand_labels import labelled_rows, wrong_rows
from corral.workbench.row_store import RowStore
from corral.workbench.row_views import EXCERPT, WHOLE, cut, find_spans, spans_by_rule
from corral.workbench.rules import Rule
from corral.workbench.snapshot import Snapshot

SELECTIONS = (
    *("all", "covered", "uncovered", "conflicting", "only", "wrong", "changed"),
    *("uncertain", "undecided", "labelled", "search"),
)
"""What rows can be asked for."""
LONGEST_CELL = 200
"""Characters of other cells of a row that are shown."""


def select(snapshot: Snapshot, selection: Mapping[str, Any]) -> IntArray:
    """Places of the rows that a selection means, in the order to show them in."""
    if not isinstance(selection, Mapping):
        raise ParameterError(
            f"must be an object; {selection!r:.80} came.", parameter="selection"
        )
    what = selection.get("what", "all")
    check_choice("what", what, SELECTIONS)
    found, rule = snapshot.evaluation, selection.get("rule")
    if rule is not None and (not isinstance(rule, str) or rule not in snapshot.ids):
        raise ParameterError(
            f"must be the id of a rule; {rule!r:.80} came.", parameter="rule"
        )
    column = None if rule is None else snapshot.ids[rule]
    if what == "wrong":
        return wrong_rows(snapshot, column)
    if what == "search":
        return np.flatnonzero(snapshot.search.find(sought_words(snapshot, selection)))
    if what == "labelled":
        return np.sort(labelled_rows(snapshot)[0])
    if what == "uncertain":
        return found.uncertain
    if column is not None and what in ("covered", "conflicting", "only"):
        named = "only_this" if what == "only" else what
        return np.flatnonzero(found.rule_rows(column, named))
    if what == "only":
        raise ParameterError("must be the id of a rule; none came.", parameter="rule")
    if what == "changed":
        before = found.decided if snapshot.before is None else snapshot.before
        return np.flatnonzero(before != found.decided)
    if what == "undecided":
        return np.flatnonzero(found.covered & (found.decided < 0))
    masks = {
        "all": np.ones(len(found.covered), bool),
        "covered": found.covered,
        "uncovered": ~found.covered,
        "conflicting": found.conflicting,
    }
    return np.flatnonzero(masks[what])


def sought_words(snapshot: Snapshot, selection: Mapping[str, Any]) -> Rule:
    """What a search looks for, as a rule."""
    words = selection.get("words")
    if not isinstance(words, str) or not words.strip():
        raise ParameterError(
            f"must be what to look for; {words!r:.80} came.", parameter="words"
        )
    names = snapshot.project.classes or ("",)
    return Rule("words", names[0], words=(words.strip(),))


def show_rows(
    snapshot: Snapshot, store: RowStore, places: IntArray, sought: Rule | None = None
) -> list[dict[str, Any]]:
    """Rows as they are listed: an excerpt, votes, label, hand label.

    Parameters
    ----------
    snapshot : Snapshot
    store : RowStore
    places : (r,) array of int
    sought : Rule, optional
        To be highlighted in place of what rules match.
    """
    texts = [text or "" for text in store.texts_of(snapshot.row_numbers(places))]
    if sought is None:
        spans = _spans(snapshot, store, places, texts)
    else:
        spans = [
            [(a, b, "") for a, b in own]
            for own in find_spans(store.connection, sought, texts)
        ]
    return [
        {**describe(snapshot, int(place)), **cut(text, own, EXCERPT)}
        for place, text, own in zip(places, texts, spans, strict=True)
    ]


def _spans(
    snapshot: Snapshot, store: RowStore, places: IntArray, texts: list[str]
) -> list[Any]:
    votes = snapshot.evaluation.votes[places]
    return spans_by_rule(store.connection, texts, snapshot.rules, votes, snapshot.ids)


def describe(snapshot: Snapshot, place: int) -> dict[str, Any]:
    """What is known of a row beside its text."""
    found, classes = snapshot.evaluation, snapshot.project.classes
    row = int(snapshot.row_numbers(np.array([place]))[0])
    votes = found.votes[place]
    label, majority = int(found.decided[place]), int(found.majority[place])
    return {
        "row": row,
        "votes": {
            name: classes[votes[at]]
            for name, at in snapshot.ids.items()
            if votes[at] >= 0
        },
        "label": classes[label] if label >= 0 else None,
        "probabilities": dict(zip(classes, found.labels[place].tolist(), strict=True))
        if classes
        else {},
        "majority": classes[majority] if majority >= 0 else None,
        "hand": _hand_label(snapshot, row),
    }


def show_row(snapshot: Snapshot, store: RowStore, row: int) -> dict[str, Any]:
    """One row in full, other cells and the part of every rule in its label included."""
    number = np.array([row])
    (cells,) = store.cells_of(number, store.columns)
    by_name = dict(zip(store.columns, cells, strict=True))
    text = by_name.pop(store.text) or ""
    shown = {
        "length": len(text),
        "cells": {name: as_plain(_cut_cell(cell)) for name, cell in by_name.items()},
    }
    (place,) = snapshot.places(number).tolist()
    if place < 0:  # not in the sample, and not looked at yet
        hand = _hand_label(snapshot, row)
        return {
            "row": row,
            "hand": hand,
            "pending": True,
            **cut(text, [], WHOLE),
            **shown,
        }
    (spans,) = _spans(snapshot, store, np.array([place]), [text])
    return {
        **describe(snapshot, place),
        **cut(text, spans, WHOLE),
        **shown,
        "explanation": _explain(snapshot, place),
    }


def _hand_label(snapshot: Snapshot, row: int) -> dict[str, str] | None:
    hand = snapshot.project.section("hand_labels").get(str(row))
    return None if hand is None else {"class": hand["class"], "how": hand["how"]}


def _cut_cell(cell: Any) -> Any:
    return cell[:LONGEST_CELL] if isinstance(cell, str) else cell


def _explain(snapshot: Snapshot, place: int) -> list[dict[str, Any]]:
    """The part of every rule in the label, the largest first."""
    found = snapshot.evaluation
    if found.labeler is None or not found.covered[place]:
        return []
    told = found.labeler.explain(place)
    by_column = {at: name for name, at in snapshot.ids.items()}
    shares = told.shares
    parts = [
        {
            "rule": by_column[int(found.columns[j])],
            "vote": vote,
            "share": float(shares[j]),
        }
        for j, vote in enumerate(told.votes)
        if vote
    ]
    m = len(told.signals)
    parts += [
        {"rule": None, "constraint": name, "share": float(shares[m + j])}
        for j, name in enumerate(told.constraints)
        if shares[m + j]
    ]
    return sorted(parts, key=lambda part: -abs(part["share"]))
