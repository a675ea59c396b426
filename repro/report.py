"""Pages from stored results: templates in ``pages``, filled in and written to ``docs``.

A template may hold ``{{ table NAME }}`` for a whole experiment, ``{{ NAME ROW/COLUMN }}``
for one value, ``{{ cll }}``, ``{{ scoreboard }}`` and
``{{ claims }}``.
"""

from __future__ import annotations

import re
from pathlib import Path

from repro.claims import Stored, write_claims
from repro.config import experiments
from repro.results import RESULTS, Results
from repro.scoreboard import count_all, write_cll, write_scoreboard
from repro.sections import write_section

PAGES = Path(__file__).parent / "pages"
DOCS = Path(__file__).parents[1] / "docs"
MADE = "<!-- Made by `python -m repro report`; change repro/pages instead. -->\n\n"
_HOLE = re.compile(r"\{\{ (table )?(\w+)(?: ([^{}/]+)/([^{}/]+))? \}\}")


def make_pages(results: Path = RESULTS) -> dict[Path, str]:
    """Every page by where it goes, as the stored results have it."""
    known = experiments()
    stored = Stored({name: Results(name, results).records for name in known})

    def fill(hole: re.Match[str]) -> str:
        table, name, row, column = hole.groups()
        if name == "scoreboard":
            return "\n".join(write_scoreboard(count_all(known, stored.of)))
        if name == "cll":
            return "\n".join(write_cll(known, stored.of))
        if name == "claims":
            return "\n".join(write_claims(stored))
        if table:
            # What an experiment says about itself may have holes, too.
            return _HOLE.sub(
                fill, "\n".join(write_section(known[name], stored.of(name)))
            )
        return f"{stored.mean(name, row, column):.3f}"

    return {
        DOCS / template.name: MADE + _HOLE.sub(fill, template.read_text("utf-8"))
        for template in sorted(PAGES.glob("*.md"))
    }
