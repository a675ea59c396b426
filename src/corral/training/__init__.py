"""Classifiers on soft labels, calibration of probabilities, scores."""

from corral.training.calibration import Calibrator, Reliability, calibrate, reliability
from corral.training.soft_labels import SoftLabelClassifier, soft_label_loss
from corral.training.trained_classifier import TrainedClassifier, train

__all__ = [
    "Calibrator",
    "Reliability",
    "SoftLabelClassifier",
    "TrainedClassifier",
    "calibrate",
    "reliability",
    "soft_label_loss",
    "train",
]
