"""Weak signals: what every source says of every example, read once and checked."""

from corral.signals.coding import ABSTAIN
from corral.signals.pattern_counts import PatternCounts
from corral.signals.signal_data import Kind
from corral.signals.weak_signals import WeakSignals

__all__ = ["ABSTAIN", "Kind", "PatternCounts", "WeakSignals"]
