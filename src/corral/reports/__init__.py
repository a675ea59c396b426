"""Reports on labels: computed once, shown as a page, as text and as JSON."""

from corral.reports.label_report import LabelReport

__all__ = ["LabelReport"]
