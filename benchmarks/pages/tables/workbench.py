"""The tables of the workbench: a session, and how fast it answers."""

from __future__ import annotations

from benchmarks.pages.markdown import lay_out
from benchmarks.pages.stored import stored


def session() -> str:
    """What there was after every few rules, and how right it was."""
    rows = [
        [
            f"{look['minutes']:.1f}",
            str(look["rules"]),
            *(f"{look[share]:.1%}" for share in ("covered", "conflicting")),
            *(f"{100 * look[name]:.1f}" for name in ("majority_vote", "corral")),
        ]
        for look in stored("workbench_transcript")["looks"]
    ]
    head = ["minutes", "rules", "covered", "conflicting", "majority vote", "corral"]
    return lay_out(head, rows)


def speed() -> str:
    """Time from a keystroke to painted numbers, in the browser."""
    rows = [
        [f"{one['texts']:,}", pace, *(f"{1000 * found[q]:.0f}" for q in ("p50", "p95"))]
        for one in stored("workbench")["keys"]
        for pace in ("one by one", "six a second")
        for found in [one[pace]]
    ]
    return lay_out(["texts", "keys", "median, ms", "95th percentile, ms"], rows)


TABLES = {"workbench session": session, "workbench speed": speed}
