"""Signals and labels looked at: what they do, what they are worth, what to do next."""

from corral.study.analysis import Analysis, Bucket, GoldScores, analyse
from corral.study.comparison import (
    LEFT_OUT,
    Comparison,
    TriedMethod,
    compare_signals,
    score_methods,
    try_methods,
)
from corral.study.inspection import Inspection, SuggestedRows
from corral.study.label_suggestions import suggest_labels
from corral.study.rate_changes import Sensitivity, sensitivity
from corral.study.rater_agreement import RaterAgreement, agreement, check_order
from corral.study.repeated_signals import Redundancy, redundancy
from corral.study.signal_values import SignalValues, value_of_signal

__all__ = [
    "LEFT_OUT",
    "Analysis",
    "Bucket",
    "Comparison",
    "GoldScores",
    "Inspection",
    "RaterAgreement",
    "Redundancy",
    "Sensitivity",
    "SignalValues",
    "SuggestedRows",
    "TriedMethod",
    "agreement",
    "analyse",
    "check_order",
    "compare_signals",
    "redundancy",
    "score_methods",
    "sensitivity",
    "suggest_labels",
    "try_methods",
    "value_of_signal",
]
