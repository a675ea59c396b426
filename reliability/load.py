"""Long load: many chunks into one labeler, and memory that stays flat."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from corral import ConstrainedLabeler, PatternCounts, WeakSignals
from reliability.results import commit, store

ROWS, SIGNALS = 100, 6
"""Of every chunk."""
GROWTH = 16 << 20
"""Bytes by which the second half of the chunks may raise the peak."""


def run_load(chunks: int) -> bool:
    """Feed chunks to `partial_fit`; whether memory stayed flat and labels are right."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, (chunks, ROWS))
    labeler, seen = ConstrainedLabeler(0.2, "entropy"), None
    began, marks = time.monotonic(), []
    for i in range(chunks):
        signals = WeakSignals.from_votes(make_votes(truth[i], i), classes=[0, 1])
        labeler.partial_fit(signals)
        counts = PatternCounts(signals)
        seen = counts if seen is None else seen + counts
        if i in (chunks // 2, chunks - 1):
            marks.append(resident())
        if i % 1000 == 999:
            print(f"{i + 1:,} chunks, {resident() / 1e6:.0f} MB", flush=True)
    once = ConstrainedLabeler(0.2, "entropy").fit(seen)
    last = make_votes(truth[-1], chunks - 1)
    apart = float(np.abs(labeler.predict_proba(last) - once.predict_proba(last)).max())
    found: dict[str, Any] = {
        "commit": commit(),
        "chunks": chunks,
        "rows": chunks * ROWS,
        "seconds": round(time.monotonic() - began, 1),
        "halfway": marks[0],
        "end": marks[-1],
        "apart": apart,
    }
    store("load", found)
    print(found)
    return apart == 0 and found["end"] - found["halfway"] <= GROWTH


def make_votes(truth: Any, seed: int) -> Any:
    """(n, m) votes that are right three times in four, or none."""
    rng = np.random.default_rng([1, seed])
    wrong = rng.random((len(truth), SIGNALS)) < 0.25
    votes = np.where(wrong, 1 - truth[:, None], truth[:, None])
    votes[rng.random(votes.shape) < 0.4] = -1
    return votes


def resident() -> int:
    """Bytes that this process holds in memory (Linux)."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
