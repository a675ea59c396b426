"""Sentences that rest on panels of judges."""

from __future__ import annotations

from typing import Any

from benchmarks.pages.claims import Claim
from benchmarks.pages.stored import stored
from benchmarks.panel import (
    COVERED,
    FEW,
    GLADEN,
    JUDGE,
    LABELS,
    PANEL,
    SCALE,
    SCORED,
    SKENE,
    VOTES,
)

found: dict[str, Any] = stored("panel")
panels = found["sizes"][str(COVERED)]["panels"]
hardest = min(
    (
        row
        for row in found["sets"]
        if row["kind"] == "panels" and row["size"] == COVERED
    ),
    key=lambda row: row["held"]["slices"],
)
good, sharing = found["simulated"].values()
SETTING = "how the panels are made up, or a setting of the benchmark"

CLAIMS = (
    Claim(
        "On {} public panels of language models with human labels, rows were drawn {} "
        "times each",
        (panels["sets"], SCORED),
    ),
    Claim("share of the 90% intervals that held the truth", reason=SETTING),
    Claim(
        "With 100 labels, drawn {:,} times, the intervals of {} of {} panels held the "
        "truth in 85 to 95% of the draws. Those of the accuracy of judges held it in "
        "{:.1f}%, those of the gain over the best judge in {:.1f}%, and those of shares in "
        "five slices in {:.1f}% ({:.1f}% on the panel where it was least)",
        (
            *(found["draws"], panels["held 85 to 95"], panels["sets"]),
            *(panels["held"][name] for name in ("judges", "gain", "slices")),
            hardest["held"]["slices"],
        ),
        SETTING,
    ),
    Claim(
        "Five judges made up to be right on 97% each, independently, are believed: "
        "log-loss {:.3f} with 100 labels (Dawid-Skene {:.3f}, `FromLabels` {:.3f})",
        tuple(good["log-loss"][name] for name in (PANEL, SKENE, FEW)),
        SETTING,
    ),
    Claim(
        "Three judges made up to fail together on 8% of the rows: labels are right on "
        "{:.1f}% (the vote {:.1f}%, `FromLabels` {:.1f}%), and the share is off by {:.3f} "
        "(the labels alone {:.3f}, the vote corrected {:.3f})",
        (
            *(sharing["accuracy"][name] for name in (PANEL, VOTES, FEW)),
            *(sharing["rmse"][name] for name in (PANEL, LABELS, GLADEN)),
        ),
        SETTING,
    ),
    Claim(
        "chosen again with every family of sets left out, the log-loss is {:.3f} ({:.3f} "
        "as it is)",
        (
            found["precisions"]["left out"],
            found["precisions"]["cost"][f"{SCALE:g}, {JUDGE:g}"],
        ),
    ),
)
