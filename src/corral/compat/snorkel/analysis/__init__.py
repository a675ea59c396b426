"""Scores of labels, and examples by what is said of them."""

from corral.compat.snorkel.analysis.error_analysis import (
    get_label_buckets,
    get_label_instances,
)
from corral.compat.snorkel.analysis.metrics import metric_score
from corral.compat.snorkel.analysis.scorer import Scorer

__all__ = ["Scorer", "get_label_buckets", "get_label_instances", "metric_score"]
