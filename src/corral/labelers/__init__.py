"""Labelers: scikit-learn style estimators from signals to soft labels."""

from corral.labelers.adversarial import AdversarialLabeler
from corral.labelers.averaging import Averaging
from corral.labelers.base import Labeler
from corral.labelers.constrained import ConstrainedLabeler
from corral.labelers.data_consistent import DataConsistentLabeler
from corral.labelers.data_programming import DataProgramming
from corral.labelers.dawid_skene import DawidSkene
from corral.labelers.featured import FeatureLabeler
from corral.labelers.majority_vote import MajorityVote
from corral.labelers.metal import MeTaL
from corral.labelers.minimax_entropy import MinimaxEntropy
from corral.labelers.named import FEATURED, LABELERS, labeler_of
from corral.labelers.one_coin_dawid_skene import OneCoinDawidSkene
from corral.labelers.stochastic_gall import StochasticGALL
from corral.labelers.weighted_vote import WeightedVote

__all__ = [
    "FEATURED",
    "LABELERS",
    "AdversarialLabeler",
    "Averaging",
    "ConstrainedLabeler",
    "DataConsistentLabeler",
    "DataProgramming",
    "DawidSkene",
    "FeatureLabeler",
    "Labeler",
    "MajorityVote",
    "MeTaL",
    "MinimaxEntropy",
    "OneCoinDawidSkene",
    "StochasticGALL",
    "WeightedVote",
    "labeler_of",
]
