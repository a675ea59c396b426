"""Public sets with simulated signals added: a rater beside rules, or bad company."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.sets import VoteSet, load_set
from corral._types import IntArray

RULE_SETS = (
    *(f"votes/{name}" for name in ("youtube", "cdr", "commercial", "yelp", "trec")),
    *(f"votes/{name}" for name in ("semeval", "imdb", "sms", "tennis", "basketball")),
    *("votes/chemprot", "rules/agnews", "rules/spouse", "wrench/yoruba"),
    *("paper/sst2", "paper/imdb"),
)
ACCURACIES = (0.75, 0.85, 0.95)
MOST = 8000
"""Examples of a set that are used; of more, a random choice."""
SHARED = 0.5
"""Part of their answers that two raters take from a third."""
CONSTANT = 0.3
"""Part of the workers of rte who always say the commonest class."""


def with_rater(
    sets: list[VoteSet], accuracy: float, seed: int = 1
) -> Iterator[VoteSet]:
    """Rules and one rater who answers everything, right so often."""
    for one in sets:
        rater = draw_rater(one, accuracy, seed)
        yield add_signals(one, f"rater {accuracy}", rater)


def with_bad_company(sets: list[VoteSet]) -> Iterator[VoteSet]:
    """Rules and a spammer, an adversary, or raters with shared errors; constant workers."""
    for one in sets:
        yield add_signals(one, "spammer", draw_rater(one, 1 / one.k, seed=1))
        yield add_signals(one, "adversary", draw_rater(one, 0.3, seed=1))
        first, *others = (draw_rater(one, 0.8, seed) for seed in (1, 5, 6))
        rng = np.random.default_rng(5)
        copied = rng.random((2, len(first))) < SHARED
        raters = [first, *np.where(copied, first, others)]
        yield add_signals(one, "shared errors", *raters)
    rte = load_set("crowd/rte")
    commonest = np.bincount(rte.gold).argmax()
    for seed in range(6):
        rng = np.random.default_rng(seed)
        m = rte.votes.shape[1]
        votes = rte.votes.copy()
        for i in rng.choice(m, int(CONSTANT * m), replace=False):
            votes[votes[:, i] >= 0, i] = commonest
        yield replace(rte, name=f"rte {seed}", kind="constant workers", votes=votes)


def rules_with_gold() -> list[VoteSet]:
    """`RULE_SETS`, not more than `MOST` examples of each."""
    found = []
    for name in RULE_SETS:
        one = load_set(name)
        known = np.flatnonzero(one.gold >= 0)
        if len(known) > MOST:
            rng = np.random.default_rng(1)
            known = np.sort(rng.choice(known, MOST, replace=False))
        found.append(replace(one, votes=one.votes[known], gold=one.gold[known]))
    return found


def draw_rater(one: VoteSet, accuracy: float, seed: int) -> IntArray:
    """(n,) answers that are right so often; any other class is as likely."""
    rng = np.random.default_rng(seed)
    n = len(one.gold)
    wrong = (one.gold + rng.integers(1, one.k, n)) % one.k
    answers: IntArray = np.where(rng.random(n) < accuracy, one.gold, wrong)
    return answers


def add_signals(one: VoteSet, kind: str, *signals: IntArray) -> VoteSet:
    """A set with further signals (n,) each; it is scored by accuracy."""
    votes = np.column_stack([one.votes, *signals]).astype(np.int16)
    return replace(one, name=f"{one.name} + {kind}", kind=kind, votes=votes)


def add_noisy_copies(
    one: VoteSet, rng: np.random.Generator, copies: int = 3, flipped: float = 0.05
) -> VoteSet:
    """A set with copies of a random signal, some votes of which say another class."""
    column = one.votes[:, rng.integers(one.votes.shape[1])]
    added = []
    for _ in range(copies):
        other = (column + rng.integers(1, one.k, len(column))) % one.k
        moved = (rng.random(len(column)) < flipped) & (column >= 0)
        added.append(np.where(moved, other, column))
    return add_signals(one, "copies", *added)
