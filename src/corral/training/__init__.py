"""Classifiers on soft labels, calibration of probabilities."""

from corral.training.calibration import Calibrator, Reliability, calibrate, reliability
from corral.training.classifier import SoftLabelClassifier
from corral.training.trained_classifier import TrainedClassifier, train

__all__ = [
    "Calibrator",
    "Reliability",
    "SoftLabelClassifier",
    "TrainedClassifier",
    "calibrate",
    "reliability",
    "train",
]
