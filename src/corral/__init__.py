"""Training labels from many noisy signals, by constrained label learning.

A run goes one way, and so do the imports::

    data -> votes -> error rates -> constraints -> solver -> labels

Names are loaded when first used, so ``import corral`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_NAMES = {
    "corral.api": "inspect label panel report suggest",
    "corral.constraints": "ClassBalance Confusion ErrorRate GroupShare Known Precision "
    "Recall distance_bound make_system signal_errors",
    "corral.exchange": "Annotations read_annotations read_judges write_annotations",
    "corral.functions": "apply signal",
    "corral.labelers": "Averaging ConstrainedLabeler DataProgramming DawidSkene "
    "MajorityVote MeTaL OneCoinDawidSkene OrdinalLabeler WeightedVote",
    "corral.panels": "PanelReport",
    "corral.ranking": "Preferences preferences",
    "corral.rates": "Agreement Auto FromLabels Rates",
    "corral.reports.label_report": "LabelReport",
    "corral.solvers": "Adagrad Entropy Projection Solution Status",
    "corral.solvers.feasibility": "feasibility",
    "corral.study": "agreement analyse compare redundancy value_of_signal",
    "corral.training.calibration": "Calibrator Reliability calibrate reliability",
    "corral.training.classifier": "SoftLabelClassifier",
    "corral.training.trained_classifier": "TrainedClassifier train",
    "corral.votes": "WeakSignals",
}
"""Public names by the module that has them."""
_ALIASES = {"analyze": "analyse", "rank": "preferences"}
"""Other names of them, and what docs call them."""
_MODULES = {
    "datasets": "corral.datasets",
    "errors": "corral.errors",
    "functions": "corral.functions",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*_HOME, *_MODULES, "__version__"]

if TYPE_CHECKING:
    from corral import datasets as datasets
    from corral import errors as errors
    from corral import functions as functions
    from corral.api import inspect as inspect
    from corral.api import label as label
    from corral.api import panel as panel
    from corral.api import report as report
    from corral.api import suggest as suggest
    from corral.constraints import ClassBalance as ClassBalance
    from corral.constraints import Confusion as Confusion
    from corral.constraints import ErrorRate as ErrorRate
    from corral.constraints import GroupShare as GroupShare
    from corral.constraints import Known as Known
    from corral.constraints import Precision as Precision
    from corral.constraints import Recall as Recall
    from corral.constraints import distance_bound as distance_bound
    from corral.constraints import make_system as make_system
    from corral.constraints import signal_errors as signal_errors
    from corral.exchange import Annotations as Annotations
    from corral.exchange import read_annotations as read_annotations
    from corral.exchange import read_judges as read_judges
    from corral.exchange import write_annotations as write_annotations
    from corral.functions import apply as apply
    from corral.functions import signal as signal
    from corral.labelers import Averaging as Averaging
    from corral.labelers import ConstrainedLabeler as ConstrainedLabeler
    from corral.labelers import DataProgramming as DataProgramming
    from corral.labelers import DawidSkene as DawidSkene
    from corral.labelers import MajorityVote as MajorityVote
    from corral.labelers import MeTaL as MeTaL
    from corral.labelers import OneCoinDawidSkene as OneCoinDawidSkene
    from corral.labelers import OrdinalLabeler as OrdinalLabeler
    from corral.labelers import WeightedVote as WeightedVote
    from corral.panels import PanelReport as PanelReport
    from corral.ranking import Preferences as Preferences
    from corral.ranking import preferences as preferences
    from corral.rates import Agreement as Agreement
    from corral.rates import Auto as Auto
    from corral.rates import FromLabels as FromLabels
    from corral.rates import Rates as Rates
    from corral.reports.label_report import LabelReport as LabelReport
    from corral.solvers import Adagrad as Adagrad
    from corral.solvers import Entropy as Entropy
    from corral.solvers import Projection as Projection
    from corral.solvers import Solution as Solution
    from corral.solvers import Status as Status
    from corral.solvers.feasibility import feasibility as feasibility
    from corral.study import agreement as agreement
    from corral.study import analyse as analyse
    from corral.study import compare as compare
    from corral.study import redundancy as redundancy
    from corral.study import value_of_signal as value_of_signal
    from corral.training.calibration import Calibrator as Calibrator
    from corral.training.calibration import Reliability as Reliability
    from corral.training.calibration import calibrate as calibrate
    from corral.training.calibration import reliability as reliability
    from corral.training.classifier import SoftLabelClassifier as SoftLabelClassifier
    from corral.training.trained_classifier import (
        TrainedClassifier as TrainedClassifier,
    )
    from corral.training.trained_classifier import train as train
    from corral.votes import WeakSignals as WeakSignals


def __getattr__(name: str) -> Any:
    name = _ALIASES.get(name, name)
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(_MODULES[name])
    raise AttributeError(f"module 'corral' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
