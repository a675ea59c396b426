"""Signals written as functions: rules, models, and `corral.apply` for all.

Every builder returns a `SignalFunction`.
"""

from corral.functions.apply_functions import apply, load_functions
from corral.functions.base import Answers, Failures, Row, SignalFunction, signal
from corral.functions.models import llm, model
from corral.functions.rules import keywords, lookup, regex, threshold

__all__ = [
    "Answers",
    "Failures",
    "Row",
    "SignalFunction",
    "apply",
    "keywords",
    "llm",
    "load_functions",
    "lookup",
    "model",
    "regex",
    "signal",
    "threshold",
]
