"""Labeling functions."""

from corral.compat.snorkel.labeling.lf.core import LabelingFunction, labeling_function

__all__ = ["LabelingFunction", "labeling_function"]
