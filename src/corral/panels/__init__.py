"""Judges and a hundred human labels: shares with intervals, verdicts, labels.

panel_votes     what judges say, and what label-free methods make of it
pattern_model   P(class | votes), fitted to the labelled rows; each row left out
known           class balances and error rates that are known: constraints
sampling        which rows have labels, and what each stands for
assisted        means over all rows, with intervals that cover
shares          of classes, beside the labels alone and Rogan and Gladen
slices          the same by slice, which borrow from each other
judges          accuracy and confusion
dependence      who errs with whom
comparison      panel, vote and best judge; which labels to give
next_steps      whom to drop, whom to add, how many more labels
panel_report    `PanelReport`: what it prints
study           all of it together
"""

from corral.panels.panel_report import PanelReport
from corral.panels.study import study_panel

__all__ = ["PanelReport", "study_panel"]
