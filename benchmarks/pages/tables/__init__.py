"""The tables of the pages, each written from stored results, by name."""

from benchmarks.pages.tables import (
    labels,
    panel,
    preferences,
    quality,
    speed,
    workbench,
)

TABLES = {
    name: table
    for part in (quality, labels, speed, preferences, panel, workbench)
    for name, table in part.TABLES.items()
}

__all__ = ["TABLES"]
