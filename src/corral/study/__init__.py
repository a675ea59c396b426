"""Signals and labels looked at: what they do, what they are worth, what to do next."""

from corral.study.analysis import Analysis, Bucket, GoldScores, analyse
from corral.study.comparison import Comparison, compare
from corral.study.inspection import Inspection, SuggestedRows, fetch_rows
from corral.study.rater_agreement import RaterAgreement, agreement
from corral.study.repeated_signals import Redundancy, redundancy
from corral.study.signal_values import SignalValues, value_of_signal

__all__ = [
    "Analysis",
    "Bucket",
    "Comparison",
    "GoldScores",
    "Inspection",
    "RaterAgreement",
    "Redundancy",
    "SignalValues",
    "SuggestedRows",
    "agreement",
    "analyse",
    "compare",
    "fetch_rows",
    "redundancy",
    "value_of_signal",
]
