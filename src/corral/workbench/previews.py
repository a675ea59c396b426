"""What a rule would do, before it is added."""

from __future__ import annotations

from threading import Event
from typing import Any

import numpy as np

from corral._types import BoolArray, IntArray
from corral.workbench.evaluation import Evaluation, add_column, evaluate
from corral.workbench.row_store import RowStore
from corral.workbench.row_views import cut, find_spans
from corral.workbench.rules import Rule
from corral.workbench.snapshot import Snapshot, find_demands, vote_column
from corral.workbench.text_search import stop_if

SHOWN = 12
"""Matching rows that a preview shows."""


def preview_rule(
    snapshot: Snapshot,
    store: RowStore,
    rule: Rule,
    replaces: str | None,
    cancel: Event | None,
) -> dict[str, Any]:
    """Numbers and rows of a rule that is being typed; see `Workbench.preview`."""
    project, before = snapshot.project, snapshot.evaluation
    column = vote_column(snapshot.search, rule, project.classes, cancel)
    votes, names, patterns = before.votes, list(snapshot.names.values()), None
    if replaces is None:
        patterns = add_column(before.patterns, column)
        at, votes = votes.shape[1], np.column_stack([votes, column])
        names.append(rule.title)
    else:
        at, votes = snapshot.ids[replaces], votes.copy()
        votes[:, at] = column
        names[at] = rule.title
    stop_if(cancel)
    demands = find_demands(project, snapshot.search, snapshot.functions)
    after = evaluate(votes, project.classes, demands, names, patterns)
    stop_if(cancel)
    moves = list_moves(before, after)
    matches = column >= 0
    return {
        "rule": {**rule.to_dict(), "name": rule.title},
        "version": project.version,
        "rows": snapshot.search.n_rows,
        "sampled": None if snapshot.search.rows is None else snapshot.search.n_rows,
        **{key: int(value[at]) for key, value in after.rule_counts.items()},
        "changed": sum(move["rows"] for move in moves),
        "moves": moves,
        "shares": after.shares(after.decided),
        "totals": {
            "covered": int(after.covered.sum()),
            "conflicting": int(after.conflicting.sum()),
        },
        "matching": show_matches(snapshot, store, rule, matches),
    }


def list_moves(before: Evaluation, after: Evaluation) -> list[dict[str, Any]]:
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


def show_matches(
    snapshot: Snapshot, store: RowStore, rule: Rule, matches: BoolArray
) -> list[dict[str, Any]]:
    """Some of the rows that a rule matches, from all over the file."""
    found = np.flatnonzero(matches)
    if not len(found):
        return []
    some: IntArray = found[np.unique(np.linspace(0, len(found) - 1, SHOWN).astype(int))]
    rows = snapshot.row_numbers(some)
    texts = [text or "" for text in store.texts_of(rows)]
    spans = find_spans(store.connection, rule, texts)
    classes, decided = snapshot.project.classes, snapshot.evaluation.decided[some]
    return [
        {"row": int(row), "label": classes[k] if k >= 0 else None, **cut(text, own)}
        for row, text, own, k in zip(rows, texts, spans, decided.tolist(), strict=True)
    ]
