"""What every signal does, and how well: coverage, conflicts, errors, where it is wrong."""

from corral.analysis.measures import analyse
from corral.analysis.report import Analysis, Bucket, GoldScores

__all__ = ["Analysis", "Bucket", "GoldScores", "analyse"]
