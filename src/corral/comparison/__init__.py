"""Many methods on the same signals, scored on the same examples."""

from corral.comparison.compare_signals import compare_signals
from corral.comparison.comparison import Comparison
from corral.comparison.methods import LEFT_OUT
from corral.comparison.try_methods import first_sentence, score_labels, try_methods

__all__ = [
    "LEFT_OUT",
    "Comparison",
    "compare_signals",
    "first_sentence",
    "score_labels",
    "try_methods",
]
