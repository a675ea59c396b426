"""One class per task."""

from corral.compat.crowdkit.aggregation.classification.dawid_skene import (
    DawidSkene,
    OneCoinDawidSkene,
)
from corral.compat.crowdkit.aggregation.classification.gold_majority_vote import (
    GoldMajorityVote,
)
from corral.compat.crowdkit.aggregation.classification.majority_vote import MajorityVote
from corral.compat.crowdkit.aggregation.classification.of_corral import (
    LabelerAggregator,
)
from corral.compat.crowdkit.aggregation.classification.wawa import Wawa

__all__ = [
    "DawidSkene",
    "GoldMajorityVote",
    "LabelerAggregator",
    "MajorityVote",
    "OneCoinDawidSkene",
    "Wawa",
]
