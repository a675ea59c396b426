"""End models: classifiers that learn from soft labels."""

from corral.end_models.soft_label_classifier import SoftLabelClassifier
from corral.end_models.soft_label_cnn import SoftLabelCNN
from corral.end_models.soft_label_mlp import SoftLabelMLP

__all__ = ["SoftLabelCNN", "SoftLabelClassifier", "SoftLabelMLP"]
