"""Tables of panels of judges and human labels."""

from __future__ import annotations

from typing import Any

from benchmarks.pages.markdown import lay_out
from benchmarks.pages.stored import stored
from benchmarks.panel import (
    BEST,
    ESTIMATES,
    FEW,
    GLADEN,
    LABELS,
    PANEL,
    SKENE,
    VOTES,
)

NAMES = {
    PANEL: "`corral.panel`",
    LABELS: "labels alone",
    GLADEN: "vote, corrected",
    VOTES: "vote",
    BEST: "best judge by the labels",
    SKENE: "Dawid-Skene",
    FEW: "`FromLabels`",
}
SHOWN = (PANEL, VOTES, BEST, SKENE, FEW)


def _sizes() -> list[tuple[str, dict[str, Any]]]:
    return [(size, row["panels"]) for size, row in stored("panel")["sizes"].items()]


def panel_shares() -> str:
    """Errors of shares, and coverage, by number of labels."""
    rows = [
        [
            size,
            *(f"{row['rmse'][name]:.3f}" for name in ESTIMATES),
            f"{row['held'][PANEL]:.0f}% ({row['least held']:.0f} to "
            f"{row['most held']:.0f})",
        ]
        for size, row in _sizes()
    ]
    names = [NAMES[name] for name in ESTIMATES]
    return lay_out(["labels", *names, "intervals hold"], rows)


def panel_labels() -> str:
    """Accuracy and log-loss of labels, by number of labels."""
    rows = [
        [
            size,
            *(
                f"{row['accuracy'][name]:.1f}, {row['log-loss'][name]:.2f}"
                for name in SHOWN
            ),
        ]
        for size, row in _sizes()
    ]
    return lay_out(["labels", *(NAMES[name] for name in SHOWN)], rows)


TABLES = {"panel shares": panel_shares, "panel labels": panel_labels}
