"""Signals written as functions: rules, models, crowds, and `corral.apply` for all.

One file per kind; every builder returns a `SignalFunction`.
"""

from corral.functions.apply_functions import apply
from corral.functions.by_crowd import crowd
from corral.functions.by_exemplar import exemplar
from corral.functions.by_keywords import keywords
from corral.functions.by_llm import llm
from corral.functions.by_lookup import lookup
from corral.functions.by_model import model
from corral.functions.by_pseudolabels import pseudolabels
from corral.functions.by_regex import regex
from corral.functions.by_rows import signal
from corral.functions.by_threshold import threshold
from corral.functions.function_file import load_functions
from corral.functions.signal_function import Answers, Failure, Failures, SignalFunction

__all__ = [
    "Answers",
    "Failure",
    "Failures",
    "SignalFunction",
    "apply",
    "crowd",
    "exemplar",
    "keywords",
    "llm",
    "load_functions",
    "lookup",
    "model",
    "pseudolabels",
    "regex",
    "signal",
    "threshold",
]
