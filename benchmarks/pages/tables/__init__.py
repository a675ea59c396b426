"""The tables of the pages, each written from stored results, by name."""

from benchmarks.pages.tables import labels, quality, speed, workbench

TABLES = {**quality.TABLES, **labels.TABLES, **speed.TABLES, **workbench.TABLES}

__all__ = ["TABLES"]
