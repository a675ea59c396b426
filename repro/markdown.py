"""Pieces of Markdown that several parts of the page need."""

from __future__ import annotations

import re

from repro.config import Experiment


def write_line(*cells: str) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"


def write_heading(experiment: Experiment) -> str:
    """The heading of a section, such as "Table 1: dependent signals"."""
    place = f"{experiment.place}: " if experiment.place else ""
    return f"{place}{experiment.title}"


def link_to(experiment: Experiment, shown: str) -> str:
    """A link to the section of an experiment."""
    words = re.sub(r"[^\w\- ]", "", write_heading(experiment).lower())
    return f"[{shown}](#{words.replace(' ', '-')})"
