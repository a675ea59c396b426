"""The tables of the pages, each written from stored results, by name."""

from benchmarks.pages.tables import labels, panel, preferences, quality, speed

TABLES = {
    **quality.TABLES,
    **labels.TABLES,
    **speed.TABLES,
    **preferences.TABLES,
    **panel.TABLES,
}

__all__ = ["TABLES"]
