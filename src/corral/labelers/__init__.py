"""Labelers: scikit-learn style estimators from signals to soft labels."""

from corral.labelers.adversarial import AdversarialLabeler
from corral.labelers.averaging import Averaging
from corral.labelers.base import Labeler
from corral.labelers.constrained import ConstrainedLabeler
from corral.labelers.data_consistent import DataConsistentLabeler
from corral.labelers.featured import FeatureLabeler
from corral.labelers.majority_vote import MajorityVote
from corral.labelers.stochastic_gall import StochasticGALL

__all__ = [
    "AdversarialLabeler",
    "Averaging",
    "ConstrainedLabeler",
    "DataConsistentLabeler",
    "FeatureLabeler",
    "Labeler",
    "MajorityVote",
    "StochasticGALL",
]
