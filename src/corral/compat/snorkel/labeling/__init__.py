"""Labeling functions, what they do, and what becomes of their votes."""

from corral.compat.snorkel.labeling.analysis import LFAnalysis
from corral.compat.snorkel.labeling.apply.core import LFApplier
from corral.compat.snorkel.labeling.apply.pandas import PandasLFApplier
from corral.compat.snorkel.labeling.lf.core import LabelingFunction, labeling_function
from corral.compat.snorkel.labeling.utils import filter_unlabeled_dataframe

__all__ = [
    "LFAnalysis",
    "LFApplier",
    "LabelingFunction",
    "PandasLFApplier",
    "filter_unlabeled_dataframe",
    "labeling_function",
]
