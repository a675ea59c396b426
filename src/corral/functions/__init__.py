"""Signals written as functions: rules, models, and `corral.apply` for all.

One file per kind of rule; every builder returns a `SignalFunction`.
"""

from corral.functions.apply_functions import apply, load_functions
from corral.functions.base import (
    Answers,
    Failure,
    Failures,
    Row,
    SignalFunction,
    signal,
)
from corral.functions.columns import lookup, threshold
from corral.functions.llm import llm
from corral.functions.models import model
from corral.functions.text import keywords, regex

__all__ = [
    "Answers",
    "Failure",
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
