"""Reports on labels: computed once, shown as a page, as text and as JSON.

LabelledVotes      what a report is about (labelled_votes, example_rows)
compute_report     all sections (compute; one file per section)
LabelReport        the result, made of results (label_report, sections, row_sections)
"""

from corral.reports.label_report import LabelReport

__all__ = ["LabelReport"]
