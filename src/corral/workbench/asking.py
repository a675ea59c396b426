"""Which row to label next, and a rule from words that somebody selected."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from corral.checks import check_choice
from corral.errors import ParameterError
from corral.study import suggest_labels
from corral.workbench.hand_labels import labelled_rows
from corral.workbench.rules import Rule
from corral.workbench.snapshot import Snapshot

SEED = 0
"""Rows are drawn in the same order whenever a project is opened."""
LONGEST_WORDS = 200
"""Characters that a rule is proposed from."""


def choose_row(snapshot: Snapshot, how: str, skip: Sequence[int]) -> int:
    """The place of the row to label next.

    Parameters
    ----------
    snapshot : Snapshot
    how : {"suggested", "random"}
    skip : sequence of int
        Numbers of rows that are not wanted.
    """
    check_choice("how", how, ("suggested", "random"))
    skipped = snapshot.places(np.array(list(skip), np.int64))
    known = np.union1d(labelled_rows(snapshot)[0], skipped[skipped >= 0])
    if how == "random":
        order = np.random.default_rng(SEED).permutation(snapshot.search.n_rows)
        left = order[~np.isin(order, known)]
        if not len(left):
            raise ParameterError("every row has a hand label.", parameter="how")
        return int(left[0])
    labeler = snapshot.evaluation.labeler
    if labeler is None:
        raise ParameterError(
            "cannot be 'suggested' as long as no rule votes: corral asks for rows on which "
            "it would learn most about rules. Add a rule, or ask for random rows.",
            parameter="how",
        )
    found = suggest_labels(
        labeler, labeler._signals_, 1, known=known, random_state=SEED
    )
    if not len(found):
        raise ParameterError(
            "cannot be 'suggested': all rows with a vote have a hand label. Ask for random "
            "rows.",
            parameter="how",
        )
    return int(found[0])


def propose_rule(snapshot: Snapshot, words: Any) -> dict[str, Any]:
    """A rule from selected words: see `Workbench.propose`."""
    if not isinstance(words, str) or not words.strip() or len(words) > LONGEST_WORDS:
        raise ParameterError(
            f"must be 1 to {LONGEST_WORDS} characters; {words!r:.80} came.",
            parameter="words",
        )
    classes = snapshot.project.classes
    if not classes:
        raise ParameterError("must be named first.", parameter="classes")
    sought = words.strip()
    rule = Rule("words", classes[0], words=(sought,)).checked()
    matches = snapshot.search.find(rule)
    if not matches.any():  # a part of a word: as a pattern, whatever the case
        quoted = re.sub(r"[^\w\s]", lambda at: f"\\x{{{ord(at[0]):x}}}", sought)
        rule = Rule("regex", classes[0], pattern=f"(?i){quoted}").checked()
        matches = snapshot.search.find(rule)
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
        "sampled": None if snapshot.search.rows is None else snapshot.search.n_rows,
    }
