"""Which rows are worth reading, and what is shown of a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from corral._types import BoolArray, FloatArray, IntArray
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.phrases import cut
from corral.reports.row_sections import ReportRow, SignalPart

MOST_PARTS = 8
"""Signals whose part is shown per row."""
LONGEST_NAME = 40
"""Characters of the name of a signal, or of a vote."""


def choose_rows(
    votes: LabelledVotes, among: BoolArray, order: FloatArray, most: int
) -> IntArray:
    """The first rows by some order, each with other votes; of equals the most frequent.

    Parameters
    ----------
    votes : LabelledVotes
    among : (n,) array of bool
    order : (n,) array of float
        Small is first.
    most : int
    """
    rows = np.flatnonzero(among & (votes.counts > 0))
    # Rounded: labels that are equal but for rounding are as worth reading.
    keys = -votes.pattern_counts[rows], np.round(order[rows], 9)
    rows = rows[np.lexsort(keys)]
    _, first = np.unique(votes.pattern[rows], return_index=True)
    return rows[np.sort(first)[:most]]


def show_rows(votes: LabelledVotes, rows: Iterable[IntArray]) -> list[list[ReportRow]]:
    """Rows as they are shown, for several lists of them; examples are fetched once.

    Parameters
    ----------
    votes : LabelledVotes
    rows : iterable of arrays of int
        A row of counted votes may be there several times, for so many examples of it.
    """
    lists = [each.tolist() for each in rows]
    times: dict[int, int] = {}
    for some in lists:
        for row, n in Counter(some).items():
            times[row] = max(n, times.get(row, 0))
    if not times:
        return [[] for _ in lists]
    found = votes.examples.fetch(np.array(list(times)), np.array(list(times.values())))
    examples = dict(zip(times, found, strict=True))
    facts = {row: _find_facts(votes, row) for row in times}
    shown = []
    for each in lists:
        seen: Counter[int] = Counter()
        group = []
        for row in each:
            if seen[row] < len(examples[row]):
                example = examples[row][seen[row]]
                group.append(ReportRow(example.name, example.text, **facts[row]))
            seen[row] += 1
        shown.append(group)
    return shown


def _find_facts(votes: LabelledVotes, row: int) -> dict[str, Any]:
    """What is shown of a row beside the name and the text of an example."""
    names = votes.class_names
    answer = int(votes.answers[row])
    truth = -1 if votes.truth is None else int(votes.truth[row])
    parts = _find_parts(votes, row)
    return {
        "alike": float(votes.pattern_counts[row]),
        "label": None if answer < 0 else names[answer],
        "confidence": float(votes.confidence[row]),
        "gold": None if truth < 0 else names[truth],
        "parts": tuple(parts[:MOST_PARTS]),
        "n_more": max(0, len(parts) - MOST_PARTS),
        "tied": bool(votes.covered[row]) and answer < 0,
    }


def _find_parts(votes: LabelledVotes, row: int) -> list[SignalPart]:
    """What signals said of a row, and whatever else moved its label."""
    own = votes.signals is getattr(votes.labeler, "_signals_", None)
    found = votes.labeler.explain(row, None if own else votes.signals)
    said = [*found.votes, *([""] * len(found.constraints))]
    named = [*found.signals, *found.constraints]
    shares = found.shares.tolist()
    parts = [
        SignalPart(cut(named[i], LONGEST_NAME), cut(said[i], LONGEST_NAME), shares[i])
        for i in range(len(named))
        if said[i] or (i >= len(found.signals) and shares[i])
    ]
    return sorted(parts, key=lambda part: -abs(part.share))
