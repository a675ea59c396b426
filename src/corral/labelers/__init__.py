"""Labelers: scikit-learn style estimators from signals to soft labels."""

from corral.labelers.averaging import Averaging
from corral.labelers.base import Labeler
from corral.labelers.constrained import ConstrainedLabeler
from corral.labelers.majority_vote import MajorityVote
from corral.labelers.minimax_entropy import MinimaxEntropy

__all__ = [
    "Averaging",
    "ConstrainedLabeler",
    "Labeler",
    "MajorityVote",
    "MinimaxEntropy",
]
