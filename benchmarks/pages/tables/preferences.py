"""Tables of strengths, judges and their intervals."""

from __future__ import annotations

from typing import Any

from benchmarks.pages.markdown import lay_out
from benchmarks.pages.stored import stored

PEERS = ("choix", "Crowd-Kit BradleyTerry", "Crowd-Kit NoisyBradleyTerry")


def quality() -> str:
    """Order of items, and of judges."""
    methods = ("corral", *PEERS)

    def both(row: dict[str, Any]) -> str:
        known = "" if row["judges"] is None else f", {row['judges']:.2f}"
        return f"{row['order']:.2f}{known}"

    rows = [
        [case, *(both(row[name]) for name in methods)]
        for case, row in stored("preferences")["quality"].items()
    ]
    return lay_out(["", *methods], rows)


def coverage() -> str:
    """Shares of intervals that hold the truth."""
    found = stored("preferences")["coverage"]
    names = ("strengths", "sensitivities", "position bias")
    rows = [
        [case, *(f"{row[name]:.0%}" if name in row else "" for name in names)]
        for case, row in found.items()
    ]
    return lay_out(["", *names], rows)


def tasks() -> str:
    """The same where judges err together."""
    found = stored("preferences")["tasks"]
    rows = [
        ["taken for independent", f"{found['independent']:.0%}"],
        ["with `task=`", f"{found['by task']:.0%}"],
    ]
    return lay_out(["verdicts", "intervals that hold the truth"], rows)


def detection() -> str:
    """Shares of judges of whom the right thing is said."""
    rows = [
        [kind, f"{share:.0%}"]
        for kind, share in stored("preferences")["detection"].items()
    ]
    return lay_out(["judges", "of whom that is said"], rows)


def speed() -> str:
    """Seconds of one processor core."""
    methods = ("corral", *PEERS)
    rows = [
        [
            f"{case}: {row[name]['comparisons']:,} comparisons, {name}",
            f"{row[name]['cpu_seconds']:.1f}",
        ]
        for case, row in stored("preferences")["speed"].items()
        for name in methods
    ]
    return lay_out(["", "seconds of one core"], rows)


TABLES = {
    "preferences quality": quality,
    "preferences coverage": coverage,
    "preferences tasks": tasks,
    "preferences detection": detection,
    "preferences speed": speed,
}
