"""End models: classifiers that learn from soft labels."""

from corral.end_models.soft_label_classifier import SoftLabelClassifier
from corral.end_models.soft_label_loss import soft_label_loss

__all__ = ["SoftLabelClassifier", "soft_label_loss"]
