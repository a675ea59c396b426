"""The tables of the pages, each written from stored results, by name."""

from benchmarks.pages.tables import labels, quality, speed
from reliability import page as reliability_page

TABLES = {**quality.TABLES, **labels.TABLES, **speed.TABLES, **reliability_page.TABLES}

__all__ = ["TABLES"]
