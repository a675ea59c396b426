"""Reports on labels: computed once, shown as a page, as text and as JSON.

LabelledVotes      what a report is about (labelled_votes, example_rows)
compute_report     all sections (compute; one file per section)
LabelReport        the result (label_report, sections)
render_*           HTML (html_page, charts, templates) and text (text_page)
"""

from corral.reports.label_report import LabelReport

__all__ = ["LabelReport"]
