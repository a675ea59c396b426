"""End models: classifiers that learn from soft labels."""

from corral.end_models.soft_label_classifier import SoftLabelClassifier

__all__ = ["SoftLabelClassifier"]
