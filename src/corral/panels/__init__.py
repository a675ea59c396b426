"""Judges and a hundred human labels: shares with intervals, verdicts, labels."""

from corral.panels.panel_report import PanelReport, study_panel

__all__ = ["PanelReport", "study_panel"]
