"""Judges and a hundred human labels: shares with intervals, verdicts, labels.

inputs                 votes, labelled rows, known means, slices and families
pattern_model          P(class | votes), fitted to the labelled rows, each left out
difference_estimator   means over all rows, with intervals that cover; slices
judges                 accuracy and confusion; who errs with whom
decisions              which labels to give, whom to drop or add, how many more labels
panel_report           `study_panel`, all of it together; `PanelReport` prints it
"""

from corral.panels.panel_report import PanelReport, study_panel

__all__ = ["PanelReport", "study_panel"]
