"""Answers of a crowd in, one label per task out.

Beside the names of Crowd-Kit there is `LabelerAggregator`, any labeler of corral in the
same form.
"""

from typing import Any

from corral.compat.crowdkit.aggregation.classification import (
    DawidSkene,
    GoldMajorityVote,
    LabelerAggregator,
    MajorityVote,
    OneCoinDawidSkene,
    Wawa,
)

__all__ = [
    "DawidSkene",
    "GoldMajorityVote",
    "LabelerAggregator",
    "MajorityVote",
    "OneCoinDawidSkene",
    "Wawa",
]

ABSENT = ("GLAD", "KOS", "MACE", "MMSR", "ZeroBasedSkill")
"""Methods of Crowd-Kit that corral does not have."""


def __getattr__(name: str) -> Any:
    if name in ABSENT:
        raise ImportError(
            f"corral has no {name}. Import it from crowdkit.aggregation; to see it beside "
            "corral's methods, call corral.compare(..., methods='all')."
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
