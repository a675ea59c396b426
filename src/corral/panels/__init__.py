"""Judges and a hundred human labels: shares with intervals, verdicts, labels."""

from corral.panels.automation import Automation
from corral.panels.drift import Drift
from corral.panels.gate import Gate
from corral.panels.panel_report import PanelReport, study_panel
from corral.panels.systems import SystemDifferences

__all__ = [
    "Automation",
    "Drift",
    "Gate",
    "PanelReport",
    "SystemDifferences",
    "study_panel",
]
