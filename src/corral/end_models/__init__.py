"""End models: classifiers that learn from soft labels, or one gradient step at a time."""

from corral.end_models.gradient_model import GradientModel
from corral.end_models.logistic_model import LogisticModel
from corral.end_models.soft_label_classifier import SoftLabelClassifier
from corral.end_models.soft_label_cnn import SoftLabelCNN
from corral.end_models.soft_label_loss import soft_label_loss
from corral.end_models.soft_label_mlp import SoftLabelMLP
from corral.end_models.torch_model import TorchModel

__all__ = [
    "GradientModel",
    "LogisticModel",
    "SoftLabelCNN",
    "SoftLabelClassifier",
    "SoftLabelMLP",
    "TorchModel",
    "soft_label_loss",
]
