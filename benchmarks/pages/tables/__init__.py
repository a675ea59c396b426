"""The tables of the pages, each written from stored results, by name."""

from benchmarks.pages.tables import (
    labels,
    panel,
    preferences,
    quality,
    speed,
    workbench,
)
from reliability import page as reliability_page

PARTS = (quality, labels, speed, preferences, panel, workbench, reliability_page)
TABLES = {name: table for part in PARTS for name, table in part.TABLES.items()}

__all__ = ["TABLES"]
