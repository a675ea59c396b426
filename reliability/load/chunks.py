"""`partial_fit`, chunk after chunk: memory stays flat, labels are those of one fit."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from benchmarks.processes import look_at

from corral import ConstrainedLabeler, WeakSignals

ROWS, SIGNALS = 100, 6
"""Of every chunk."""
LABELERS = {
    "the default": {},
    "given rates, entropy": {"error_rates": 0.2, "solver": "entropy"},
}
"""Options of what is fed."""
GROWTH = 16 << 20
"""Bytes that the second half of the chunks may add."""
SLOWER = 2.0
"""How many times as long the second half may take: other work on the machine counts."""
SECONDS = 1.0
"""A half that takes less than this tells nothing."""
SAME = 1e-12
"""How far labels may be apart: patterns come in another order, and so do sums."""
ASKED = 1000
"""Chunks between two lines of progress."""


def run_chunks(chunks: int) -> dict[str, Any]:
    """Feed chunks to every labeler of `LABELERS`, then stream labels of all of them."""
    found = {name: feed(name, chunks) for name in LABELERS}
    return {"chunks": chunks, "rows": chunks * ROWS, "labelers": found}


def feed(name: str, chunks: int) -> dict[str, Any]:
    """One labeler: time and memory of both halves, and how far labels are from one fit."""
    labeler = ConstrainedLabeler(**LABELERS[name])
    marks = [(time.monotonic(), look_at().resident)]
    for i in range(chunks):
        labeler.partial_fit(make_chunk(i))
        if i + 1 in (chunks // 2, chunks):
            marks.append((time.monotonic(), look_at().resident))
        if (i + 1) % ASKED == 0:
            held = look_at().resident / 1e6
            print(f"{name}: {i + 1:,} chunks, {held:.0f} MB", flush=True)
    streamed = np.concatenate(
        [labeler.predict_proba(make_chunk(i)) for i in range(chunks)]
    )
    votes = np.concatenate([make_votes(i) for i in range(chunks)])
    every = WeakSignals.from_votes(votes, classes=[0, 1])
    once = ConstrainedLabeler(**LABELERS[name]).fit(every)
    seconds = np.diff([at for at, _ in marks])
    return {
        "patterns": len(labeler.pattern_counts_.signals),
        "seconds_first_half": float(seconds[0]),
        "seconds_second_half": float(seconds[1]),
        "halfway": marks[1][1],
        "end": marks[2][1],
        "apart": float(np.abs(streamed - once.labels_).max()),
    }


def make_votes(seed: int) -> Any:
    """(n, m) votes of a chunk: right three times in four, none in four of ten."""
    rng = np.random.default_rng([1, seed])
    truth = rng.integers(0, 2, (ROWS, 1))
    wrong = rng.random((ROWS, SIGNALS)) < 0.25
    votes = np.where(wrong, 1 - truth, truth).astype(np.int8)
    votes[rng.random(votes.shape) < 0.4] = -1
    return votes


def make_chunk(seed: int) -> WeakSignals:
    """A chunk as signals; it may lack a class, so both are named."""
    return WeakSignals.from_votes(make_votes(seed), classes=[0, 1])


def find_failures(found: dict[str, Any]) -> list[str]:
    """What did not hold."""
    failures = []
    for name, one in found["labelers"].items():
        if one["end"] - one["halfway"] > GROWTH:
            failures.append(f"chunks, {name}: memory grows")
        first, second = one["seconds_first_half"], one["seconds_second_half"]
        if second > max(SLOWER * first, SECONDS):
            failures.append(f"chunks, {name}: {first:.1f} s, then {second:.1f} s")
        if one["apart"] > SAME:
            failures.append(f"chunks, {name}: labels are {one['apart']:.2g} apart")
    return failures
