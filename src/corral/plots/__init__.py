"""Plots of signals, labels and constraints, in the manner of scikit-learn's displays.

Every display is made by ``from_labeler``, ``from_votes`` or from what a function of corral
found, is drawn on matplotlib axes (``pip install 'corral[plots]'``), its own or those given
as ``ax=``, and has ``figure_``, ``ax_``, ``plot`` and ``to_svg``.
"""

from corral.plots.advice import SensitivityDisplay, SignalValuesDisplay
from corral.plots.agreement import AgreementDisplay
from corral.plots.constrained_space import ConstrainedSpaceDisplay
from corral.plots.cost import CostDisplay
from corral.plots.display import Display
from corral.plots.labels import (
    ClassSharesDisplay,
    ConfidenceDisplay,
    ReliabilityDisplay,
)
from corral.plots.panel import PanelDisplay
from corral.plots.signal_errors import SignalErrorsDisplay
from corral.plots.strengths import StrengthsDisplay

__all__ = [
    "AgreementDisplay",
    "ClassSharesDisplay",
    "ConfidenceDisplay",
    "ConstrainedSpaceDisplay",
    "CostDisplay",
    "Display",
    "PanelDisplay",
    "ReliabilityDisplay",
    "SensitivityDisplay",
    "SignalErrorsDisplay",
    "SignalValuesDisplay",
    "StrengthsDisplay",
]
