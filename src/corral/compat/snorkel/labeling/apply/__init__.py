"""Labeling functions, applied to rows."""

from corral.compat.snorkel.labeling.apply.core import LFApplier
from corral.compat.snorkel.labeling.apply.pandas import PandasLFApplier

__all__ = ["LFApplier", "PandasLFApplier"]
