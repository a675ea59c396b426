"""From votes to labels."""

from corral.compat.snorkel.labeling.model.baselines import (
    MajorityClassVoter,
    MajorityLabelVoter,
    RandomVoter,
)
from corral.compat.snorkel.labeling.model.label_model import LabelModel

__all__ = ["LabelModel", "MajorityClassVoter", "MajorityLabelVoter", "RandomVoter"]
