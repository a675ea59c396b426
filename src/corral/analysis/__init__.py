"""What signals do, and how well: coverage, conflicts, errors, agreement."""

from corral.analysis.analyse_signals import analyse
from corral.analysis.rater_agreement import RaterAgreement, agreement
from corral.analysis.report import Analysis, Bucket, GoldScores

__all__ = [
    "Analysis",
    "Bucket",
    "GoldScores",
    "RaterAgreement",
    "agreement",
    "analyse",
]
