"""The table of a session in the workbench."""

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


TABLES = {"workbench session": session}
