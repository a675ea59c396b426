"""What to do next: which rates matter, which signals repeat, what to label or write."""

from corral.advice.label_suggestions import suggest_labels
from corral.advice.rate_changes import Sensitivity, sensitivity
from corral.advice.repetition import Redundancy, redundancy
from corral.advice.signal_values import SignalValues, value_of_signal

__all__ = [
    "Redundancy",
    "Sensitivity",
    "SignalValues",
    "redundancy",
    "sensitivity",
    "suggest_labels",
    "value_of_signal",
]
